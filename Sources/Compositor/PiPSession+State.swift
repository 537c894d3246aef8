import CompositorProtocol
import SharedFrames

extension PiPSession {
    /// The progress of opening the surface. A pure value.
    struct Opening {
        var request = FloatingOpening()
        /// A window was requested and has not been closed since.
        var isStarted = false
        /// The surface is not open yet, or has not shown a frame yet.
        var isPending = false
        /// The program waits for `shown`.
        var awaitsShown = false
        /// Attempts to show the first frame.
        var attempts = 0

        /// Begins an opening.
        static func begin(_ request: FloatingOpening) -> Opening {
            Opening(request: request, isStarted: true, isPending: true, awaitsShown: true)
        }
    }

    /// The return animation to the program's window. A pure value; times are host nanoseconds.
    struct Return: Equatable {
        /// Nanoseconds for which the surface stays open for late frames after the animation.
        static let patience: Int64 = 50_000_000

        /// The length of the ring when the animation began. The program also shows later frames in its own layer.
        var fedAloneUntil = UInt64.max
        private(set) var landedAt: Int64?

        mutating func land(now: Int64) { landedAt = landedAt ?? now }

        /// The host time at which the surface is closed at the latest; `nil` before the end of the animation.
        var deadline: Int64? { landedAt.map { $0 + Self.patience } }

        /// Returns whether the surface can be closed: all late frames have been shown, or the deadline has passed.
        func isDone(hasLateFrames: Bool, now: Int64) -> Bool { deadline.map { !hasLateFrames || now >= $0 } ?? false }
    }

    /// The frame that is on screen or will be next. It is held until the next frame is on screen.
    struct Shown {
        let entry: FrameEntry
        /// The host time at which the frame was given to the screen; 0 if it was not yet.
        var shownAt: Int64 = 0
    }

    /// The state of redrawing the current frame.
    struct Redraw {
        var isNeeded = false
        /// The host time at which drawing is retried without an event of the display; `nil` if the display is ready.
        var retryAt: Int64?
    }
}
