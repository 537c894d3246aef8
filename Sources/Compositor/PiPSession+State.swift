import CompositorProtocol
import SharedFrames

extension PiPSession {
    /// How far the opening of the surface is. A pure value.
    struct Opening {
        var request = FloatingOpening()
        /// A window was asked for and not given up since.
        var isStarted = false
        /// The surface is not open, or has shown no frame yet.
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

    /// The picture's flight back to the program's window. A pure value; times are host nanoseconds.
    struct Return: Equatable {
        /// Nanoseconds for which a picture that has landed stays for late frames.
        static let patience: Int64 = 50_000_000

        /// The length of the ring when the flight began: the program shows later frames at its layer, too.
        var fedAloneUntil = UInt64.max
        private(set) var landedAt: Int64?

        mutating func land(now: Int64) { landedAt = landedAt ?? now }

        /// When the surface may be closed at the latest; nil: the picture has not landed.
        var deadline: Int64? { landedAt.map { $0 + Self.patience } }

        /// Whether the surface may be closed: the late frames have been shown in it, or their time is over.
        func isDone(hasLateFrames: Bool, now: Int64) -> Bool { deadline.map { !hasLateFrames || now >= $0 } ?? false }
    }

    /// The frame on screen, or about to be. Held until the next one is on screen.
    struct Shown {
        let entry: FrameEntry
        /// Host time at which the frame was given to the screen; 0: it was not yet.
        var shownAt: Int64 = 0
    }

    /// Whether the frame on screen has to be drawn once more.
    struct Redraw {
        var isNeeded = false
        /// Host time at which drawing is tried again without a sign of the display; nil: the display is not waited for.
        var retryAt: Int64?
    }
}
