import Glibc

/// A device call that failed: small and flat, so that throwing it on the render thread allocates nothing.
package struct PCMFailure: Error, Sendable, Equatable {
    /// What was being done.
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

    /// The device ran out of samples: all that was written has been heard.
    package var isUnderrun: Bool { code == EPIPE }
    /// The machine slept while the device was open.
    package var isSuspended: Bool { code == ESTRPIPE }
    /// The device takes samples at another speed than it was opened for.
    package var isWrongClock: Bool { code == ETIME }
    /// Not possible now, perhaps soon.
    package var isTemporary: Bool { code == EAGAIN }

    /// Nothing that can be done to the open device helps: it is gone, its clock is wrong, or it cannot be made ready
    /// again. (Plug-ins turn a loss into an underrun that is followed by this.)
    package var isFinal: Bool {
        switch code {
        case ENODEV, EBADFD, ETIME: true
        default: step == .prepare && !isTemporary && code != EINTR
        }
    }

    /// Both numbers in one positive word, for an atomic.
    package var packed: Int { (step.rawValue + 1) << 32 | Int(code) }

    /// The failure behind ``packed``; nil for 0.
    package init?(packed: Int) {
        guard let step = Step(rawValue: (packed >> 32) - 1) else { return nil }
        self.init(step, Int32(truncatingIfNeeded: packed))
    }
}
