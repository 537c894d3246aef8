import Glibc

/// A failed operation of an audio device. A small value, so that throwing it on the render thread does not allocate.
package struct PCMFailure: Error, Sendable, Equatable {
    /// The device operation that failed.
    package enum Step: Int, Sendable {
        case open, configure, prepare, start, write, pause, drop, resume, timing, wait
    }

    /// The device operation that failed.
    package let step: Step
    /// The `errno` of the failure, as a positive number.
    package let code: Int32

    package init(_ step: Step, _ code: Int32) {
        self.step = step
        self.code = abs(code)
    }

    /// Whether the device ran out of samples: everything that was written has been heard.
    package var isUnderrun: Bool { code == EPIPE }
    /// Whether the machine slept while the device was open.
    package var isSuspended: Bool { code == ESTRPIPE }
    /// Whether the device consumes samples at a wrong speed.
    package var isClockDrift: Bool { code == ETIME }
    /// Whether the operation is not possible yet and may succeed later.
    package var isTemporary: Bool { code == EAGAIN }

    /// Whether the open device cannot recover: it was removed, its clock is wrong, or it cannot be prepared again.
    /// (Plug-ins report a lost device as an underrun, and then fail to prepare.)
    package var isFinal: Bool {
        switch code {
        case ENODEV, EBADFD, ETIME: true
        default: step == .prepare && !isTemporary && code != EINTR
        }
    }

    /// ``step`` and ``code`` in one positive word, for an atomic.
    package var packed: Int { (step.rawValue + 1) << 32 | Int(code) }

    /// Creates the failure from ``packed``; nil for 0.
    package init?(packed: Int) {
        guard let step = Step(rawValue: (packed >> 32) - 1) else { return nil }
        self.init(step, Int32(truncatingIfNeeded: packed))
    }
}
