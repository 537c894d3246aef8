import SharedFrames

/// Everything that is drawn over a player's picture. Two scenes that look the same are equal.
struct ControlsScene: Equatable, Sendable {
    /// The preview over a position of the slider.
    struct Hover: Equatable, Sendable {
        var x: Int
        var text: String
        var picture: PreviewPicture?
    }

    var layout: PlayerControlsLayout
    /// The opacity of the controls; 0 if they are hidden.
    var opacity = 0.0
    var title = ""
    var timeText = ""
    var isPaused = false
    var isMuted = false
    var isFullScreen = false
    var audioText = "", subtitleText = ""
    var hasSubtitles = false
    /// The ends of the bright parts of the sliders, in pixels.
    var filmX = 0, volumeX = 0
    var pointed: PlayerControl?
    var hover: Hover?
    /// The message for the user.
    var message: String?
    /// The position of the buffering ring; nil while it is hidden.
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

/// A small picture of the item: BGRX pixels without gaps. Compared by its item and time.
struct PreviewPicture: Equatable, Sendable {
    let key: Int
    let size: PixelSize
    let pixels: [UInt8]

    static func == (a: Self, b: Self) -> Bool { a.key == b.key && a.size == b.size }
}
