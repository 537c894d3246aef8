import Glibc

/// A failed device call. A small value, so that throwing it on the render thread does not allocate.
package struct PCMFailure: Error, Sendable, Equatable {
    /// The operation.
    package enum Step: Int, Sendable {
        case open, configure, prepare, start, write, pause, drop, resume, timing, wait
    }

    package let step: Step
    /// A positive `errno`.
    package let code: Int32

    package init(_ step: Step, _ code: Int32) {
        self.step = step
        self.code = abs(code)
    }

    /// The device ran out of samples: everything that was written has been heard.
    package var isUnderrun: Bool { code == EPIPE }
    /// The machine slept while the device was open.
    package var isSuspended: Bool { code == ESTRPIPE }
    /// The device consumes samples at a wrong speed.
    package var isWrongClock: Bool { code == ETIME }
    /// The operation is not possible yet.
    package var isTemporary: Bool { code == EAGAIN }

    /// Whether the open device cannot recover: it is gone, its clock is wrong, or it cannot be prepared again.
    /// (Plug-ins report a loss as an underrun, followed by this.)
    package var isFinal: Bool {
        switch code {
        case ENODEV, EBADFD, ETIME: true
        default: step == .prepare && !isTemporary && code != EINTR
        }
    }

    /// Both numbers in one positive word, for an atomic.
    package var packed: Int { (step.rawValue + 1) << 32 | Int(code) }

    /// Creates the failure from ``packed``; nil for 0.
    package init?(packed: Int) {
        guard let step = Step(rawValue: (packed >> 32) - 1) else { return nil }
        self.init(step, Int32(truncatingIfNeeded: packed))
    }
}
