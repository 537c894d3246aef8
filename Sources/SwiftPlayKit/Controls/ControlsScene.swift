import SharedFrames

/// All that is to be drawn over a player's picture, and nothing that would make two of them differ that look the same.
/// A value.
struct ControlsScene: Equatable, Sendable {
    /// What is seen above a place on the scrubber.
    struct Hover: Equatable, Sendable {
        var x: Int
        var text: String
        var picture: PreviewPicture?
    }

    var layout: PlayerControlsLayout
    /// 0: without controls.
    var opacity = 0.0
    var title = ""
    var timeText = ""
    var isPaused = false
    var isMuted = false
    var isFullScreen = false
    var audioText = "", subtitleText = ""
    var hasSubtitles = false
    /// Ends of the bright parts of the lines, in pixels.
    var filmX = 0, volumeX = 0
    var pointed: PlayerControl?
    var hover: Hover?
    /// A word to the user.
    var message: String?
    /// The position of the ring that says that media is waited for; nil: it is not seen.
    var busyStep: Int?

    init(layout: PlayerControlsLayout, facts: ControlsFacts, opacity: Double) {
        self.layout = layout
        guard opacity > 0 else { return }
        self.opacity = opacity
        title = facts.title
        timeText = facts.timeText
        (isPaused, isMuted, isFullScreen) = (facts.isPaused, facts.isMuted, facts.isFullScreen)
        (audioText, subtitleText) = (facts.audioTracks.text, facts.subtitles.text)
        hasSubtitles = facts.subtitles.current != nil
        filmX = layout.line.x + Int(Double(layout.line.width) * facts.part)
        volumeX =
            layout.volumeLine.x
            + Int(Double(layout.volumeLine.width) * min(1, max(0, facts.isMuted ? 0 : facts.volume)))
    }
}

/// A small picture of a moment of the film: BGRX pixels without gaps. Compared by what it is of.
struct PreviewPicture: Equatable, Sendable {
    let key: Int
    let size: PixelSize
    let pixels: [UInt8]

    static func == (a: Self, b: Self) -> Bool { a.key == b.key && a.size == b.size }
}
