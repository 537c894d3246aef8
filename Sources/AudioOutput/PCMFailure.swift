import Glibc

/// A failed operation of an audio device. A small value, so that throwing it on the render thread does not allocate.
package struct PCMFailure: Error, Sendable, Equatable {
    /// The device operation that failed.
    package enum Operation: Int, Sendable {
        case open, configure, prepare, start, write, pause, drop, resume, timing, wait
    }

    /// The device operation that failed.
    package let operation: Operation
    /// The `errno` of the failure, as a positive number.
    package let errorNumber: Int32

    package init(_ operation: Operation, _ errorNumber: Int32) {
        self.operation = operation
        self.errorNumber = abs(errorNumber)
    }

    /// Whether the device ran out of samples: everything that was written has been heard.
    package var isUnderrun: Bool { errorNumber == EPIPE }
    /// Whether the machine slept while the device was open.
    package var isSuspended: Bool { errorNumber == ESTRPIPE }
    /// Whether the device consumes samples at a wrong speed.
    package var isClockDrift: Bool { errorNumber == ETIME }
    /// Whether the operation is not possible yet and may succeed later.
    package var isTemporary: Bool { errorNumber == EAGAIN }

    /// Whether the open device cannot recover: it was removed, its clock is wrong, or it cannot be prepared again.
    /// (Plug-ins report a lost device as an underrun, and then fail to prepare.)
    package var isFinal: Bool {
        switch errorNumber {
        case ENODEV, EBADFD, ETIME: true
        default: operation == .prepare && !isTemporary && errorNumber != EINTR
        }
    }

    /// ``operation`` and ``errorNumber`` packed into one positive integer, which an `Atomic` can store.
    package var packed: Int { (operation.rawValue + 1) << 32 | Int(errorNumber) }

    /// Creates the failure from ``packed``; nil for 0.
    package init?(packed: Int) {
        guard let operation = Operation(rawValue: (packed >> 32) - 1) else { return nil }
        self.init(operation, Int32(truncatingIfNeeded: packed))
    }
}
