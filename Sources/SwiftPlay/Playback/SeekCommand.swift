import MediaPipeline

/// One seek of the current item.
struct SeekCommand: Sendable {
    /// The target, in nanoseconds of media time.
    var time: Int64
    /// The precision of the seek: the exact frame, a keyframe, or a frame within a range.
    var precision: SeekRequest.Precision
    /// The item in which the program seeks; nil for the current item.
    var item: PlayerItem?
    /// Whether this is a backward step by frames, after which the clock stops at the time of the frame shown.
    var isBackwardStep = false
    /// The start of playback after the seek; nil to continue as before.
    var start: ScheduledStart?
    /// Returns whether the seek was cancelled, or replaced by a newer seek, before it started.
    var isCancelled: @Sendable () -> Bool = { false }
    /// Called once at the end of the seek; receives `false` if the seek was interrupted or failed.
    var completion: @Sendable (Bool) -> Void

    init(
        time: Int64, precision: SeekRequest.Precision = .exact,
        completion: @escaping @Sendable (Bool) -> Void = { _ in }
    ) {
        self.time = time
        self.precision = precision
        self.completion = completion
    }
}

/// The start of playback after a seek: its rate and its host time.
struct ScheduledStart: Hashable, Sendable {
    /// The rate of playback after the seek; 0 to pause.
    var rate: Float
    /// The host time at which the seek's target is played; nil for as soon as possible.
    var hostTime: Int64?
}

/// A request to buffer the data for playback at a rate, while the player is paused.
struct PrerollCommand: Sendable {
    /// The rate for which audio is prepared.
    var rate: Float
    /// The completion handler, which receives whether the preroll has finished.
    var completion: SeekCompletion
}
