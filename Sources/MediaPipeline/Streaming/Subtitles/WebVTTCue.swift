/// A line of subtitles of a WebVTT file. Times are nanoseconds.
struct WebVTTCue: Sendable, Equatable {
    var start: Int64
    var end: Int64
    /// The lines of the cue with their tags.
    var text: String

    /// Returns the cue, moved by `offset` in time.
    func moved(by offset: Int64) -> WebVTTCue {
        WebVTTCue(start: (start &+ offset).boundedTime, end: (end &+ offset).boundedTime, text: text)
    }
}
