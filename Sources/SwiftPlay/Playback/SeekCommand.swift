import MediaPipeline

/// One seek of the current item.
struct SeekCommand: Sendable {
    /// Media nanoseconds.
    var time: Int64
    var precision: SeekRequest.Precision
    /// The item that a program seeks in; nil: the current one.
    var item: PlayerItem?
    /// A step backwards: the item stands at the time of the frame that is shown.
    var isStep = false
    /// How playing begins after the seek; nil: as before.
    var start: ScheduledStart?
    /// Whether the seek was cancelled, or replaced by a newer one, before it began.
    var isCancelled: @Sendable () -> Bool = { false }
    /// Called once, with `false` if the seek did not end at its time.
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

/// How playing begins after a seek.
struct ScheduledStart: Hashable, Sendable {
    var rate: Float
    /// Host time at which the seek's time is played; nil: as soon as possible.
    var host: Int64?
}

/// A request to buffer what playing at a rate needs.
struct PrerollCommand: Sendable {
    var rate: Float
    var answer: SeekAnswer
}
