import SharedFrames

/// The appearance of everything that is drawn over a player's picture. Two values are equal if they look the same, so
/// that the same appearance is not drawn twice.
struct ControlsScene: Equatable, Sendable {
    /// The preview above the position slider: the time under the pointer and the picture at that time.
    struct SliderPreview: Equatable, Sendable {
        /// The x-coordinate of the pointer, in pixels from the left edge of the window.
        var x: Int
        /// The text of the time to which a click at the pointer's position would seek, such as `2:03`.
        var text: String
        /// The name of the chapter at the time under the pointer; nil for none.
        var chapterName: String?
        /// The picture of the item at the time under the pointer; nil until it is decoded.
        var picture: PreviewPicture?
    }

    /// The positions of the controls.
    var layout: PlayerControlsLayout
    /// The opacity of the controls; 0 if they are hidden.
    var opacity = 0.0
    /// The title of the item.
    var title = ""
    /// The text of the playback position and the duration, such as `2:03 / 4:56`.
    var timeText = ""
    /// Whether the play button shows that playback is paused.
    var isPaused = false
    var isMuted = false
    var isFullScreen = false
    /// The texts beside the track buttons: the number of the selected track and the number of tracks, such as `2/3`.
    var audioTrackText = "", subtitleTrackText = ""
    /// The text beside the button for the quality, such as `1080p`.
    var qualityText = ""
    /// The x-coordinates, in pixels, at which the bright parts of the position slider and of the volume slider end.
    var playedEndX = 0, volumeEndX = 0
    /// The x-coordinate, in pixels, at which the loaded part of the position slider ends; nil if none is shown.
    var loadedEndX: Int?
    /// The x-coordinates, in pixels, at which chapters start on the position slider.
    var chapterXs: [Int] = []
    /// Whether the buttons for the previous and the next item have a function.
    var hasPreviousItem = false, hasNextItem = false
    /// The control under the pointer; nil for none.
    var hoveredControl: PlayerControl?
    /// The preview above the position slider; nil if the pointer is not over the slider.
    var sliderPreview: SliderPreview?
    /// The message that is drawn over the picture; nil for none.
    var message: String?
    /// The animation step of the buffering ring; nil while the ring is hidden.
    var bufferingStep: Int?

    /// Creates the appearance for a state of the player. With an opacity of 0, the appearance contains no controls.
    init(layout: PlayerControlsLayout, state: ControlsState, opacity: Double) {
        self.layout = layout
        guard opacity > 0 else { return }
        self.opacity = opacity
        title = state.title
        timeText = state.timeText
        (isPaused, isMuted, isFullScreen) = (state.isPaused, state.isMuted, state.isFullScreen)
        (audioTrackText, subtitleTrackText) = (state.audioTracks.text, state.subtitles.text)
        qualityText = state.quality ?? ""
        let line = layout.positionLine
        playedEndX = line.x + Int(Double(line.width) * state.playedFraction)
        chapterXs = state.chapterFractions.map { line.x + Int(Double(line.width) * $0) }
        (hasPreviousItem, hasNextItem) = (state.hasPreviousItem, state.hasNextItem)
        loadedEndX = state.loadedFraction.map { line.x + Int(Double(line.width) * $0) }
        volumeEndX =
            layout.volumeLine.x
            + Int(Double(layout.volumeLine.width) * min(1, max(0, state.isMuted ? 0 : state.volume)))
    }
}

/// A small preview picture of an item, as BGRX pixels in consecutive rows. Equality compares the position index,
/// the decoder number and the size, not the pixels.
struct PreviewPicture: Equatable, Sendable {
    /// The number of the preview position within the item. An item has 400 preview positions at equal distances.
    let positionIndex: Int
    /// The number of the decoder that created the picture. Each new item has a new decoder.
    let decoderNumber: Int
    let size: PixelSize
    /// The pixels, row after row, four bytes each: blue, green, red and an unused byte.
    let pixels: [UInt8]

    static func == (a: Self, b: Self) -> Bool {
        a.positionIndex == b.positionIndex && a.decoderNumber == b.decoderNumber && a.size == b.size
    }
}
