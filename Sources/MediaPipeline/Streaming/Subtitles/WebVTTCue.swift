/// A cue of a WebVTT file: text that is shown for a certain time. Times are nanoseconds.
struct WebVTTCue: Sendable, Equatable {
    /// The time at which the cue appears, in nanoseconds.
    var start: Int64
    /// The time at which the cue disappears, in nanoseconds.
    var end: Int64
    /// The text of the cue with its WebVTT tags; may have several lines.
    var text: String

    /// Returns the cue with `offset` nanoseconds added to its times.
    func moved(by offset: Int64) -> WebVTTCue {
        WebVTTCue(start: (start &+ offset).boundedTime, end: (end &+ offset).boundedTime, text: text)
    }
}
