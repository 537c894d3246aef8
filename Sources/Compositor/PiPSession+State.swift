import CompositorProtocol
import SharedFrames

extension PiPSession {
    /// The progress of opening the surface. A pure value.
    struct Opening {
        /// The parameters for opening the surface, such as the rectangle in which its animation begins.
        var request = SurfaceOpenRequest()
        /// Whether the program started Picture-in-Picture and the surface has not been closed since.
        var isStarted = false
        /// Whether the surface is not open yet, or has not shown a frame yet.
        var isPending = false
        /// Whether the program waits for the message `shown`.
        var awaitsFirstFrame = false
        /// The number of attempts to show the first frame: a newer frame may arrive during each attempt.
        var attemptCount = 0

        /// Returns the initial state of a surface that starts to open.
        static func opening(_ request: SurfaceOpenRequest) -> Opening {
            Opening(request: request, isStarted: true, isPending: true, awaitsFirstFrame: true)
        }
    }

    /// The state of the return animation from the surface to the program's layer. A pure value; times are host times in
    /// nanoseconds.
    struct ReturnAnimationState: Equatable {
        /// Nanoseconds for which the surface stays open after the animation to show late frames.
        static let timeout: Int64 = 50_000_000

        /// The length of the frame ring when the animation began; `UInt64.max` without an animation. The program shows
        /// the frames after that position in its own layer, too.
        var ringLengthAtStart = UInt64.max
        /// The host time at which the animation finished; `nil` before.
        private(set) var finishTime: Int64?

        /// Records that the animation has finished; only the first call has an effect.
        mutating func markReturnAnimationFinished(now: Int64) { finishTime = finishTime ?? now }

        /// The host time at which the surface is closed at the latest; `nil` before the end of the animation.
        var deadline: Int64? { finishTime.map { $0 + Self.timeout } }

        /// Returns whether the surface can be closed after the animation: all late frames have been shown, or the
        /// deadline has passed.
        func canClose(hasLateFrames: Bool, now: Int64) -> Bool { deadline.map { !hasLateFrames || now >= $0 } ?? false }
    }

    /// The frame that is on screen or will be shown next. The program gets the frame's memory back when the next frame
    /// is on screen.
    struct CurrentFrame {
        /// The frame's entry in the frame ring.
        let entry: FrameEntry
        /// The host time at which the frame was sent to the screen; 0 if it has not been sent yet.
        var shownAt: Int64 = 0
    }

    /// Whether and when the current frame is drawn again.
    struct RedrawState {
        /// Whether the frame must be drawn again at the end of this iteration of the thread's loop.
        var isNeeded = false
        /// The host time at which drawing is retried even if the display server sends no event; `nil` if the server is
        /// ready.
        var retryTime: Int64?
    }
}
