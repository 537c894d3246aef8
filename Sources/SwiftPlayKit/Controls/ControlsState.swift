/// The state of a player and its window that the player's controls show.
struct ControlsState: Equatable, Sendable {
    /// The number of audio tracks or of subtitle tracks, and which of them is selected.
    struct Tracks: Equatable, Sendable {
        /// The number of the selected track, counted from 1; nil if no track is selected.
        var selectedNumber: Int?
        /// The number of tracks of this kind.
        var count = 0
        /// The number of the selected track and the number of tracks, such as `2/3`; `-/3` if no track is selected.
        var text: String { "\(selectedNumber.map(String.init) ?? "-")/\(count)" }
    }

    /// The start of a chapter.
    struct Chapter: Equatable, Sendable {
        /// The start in seconds.
        var start: Double
        /// The name of the chapter; nil if it has none.
        var name: String?
    }

    /// The title of the item.
    var title = ""
    /// The chapters of the item, in order.
    var chapters: [Chapter] = []
    /// Whether there is a previous item, and whether there is a next item. If either exists, both buttons are shown.
    var hasPreviousItem = false, hasNextItem = false
    /// Whether playback is paused.
    var isPaused = true
    /// The position and the duration in seconds; the duration is nil if it is unknown or infinite.
    var position = 0.0
    var duration: Double?
    /// Whether the user may seek in the current item.
    var canSeek = false
    var hasAudio = false
    /// The volume as a cubic factor: see ``PlayerViewController/Command/setVolume(_:)``.
    var volume = 1.0
    var isMuted = false
    /// The number of audio tracks, and which of them is selected.
    var audioTracks = Tracks()
    /// The number of subtitle tracks, and which of them is selected.
    var subtitles = Tracks()
    /// The name of the selected variant of a stream, such as `1080p`; nil if there is nothing to choose.
    var quality: String?
    /// The position up to which the item is loaded, in seconds; nil if it is not loaded from the network.
    var loadedUntil: Double?
    /// Whether the Picture-in-Picture button is shown.
    var offersPictureInPicture = false
    var isFullScreen = false
    /// Whether the full-screen button is shown.
    var canEnterFullScreen = true

    /// The controls that have a function for the current item, such as the volume slider for an item with audio.
    var availableControls: Set<PlayerControl> {
        var availableControls: Set<PlayerControl> = [.playPause, .time]
        if canEnterFullScreen { availableControls.insert(.fullScreen) }
        if hasPreviousItem || hasNextItem { availableControls.formUnion([.previous, .next]) }
        if duration != nil { availableControls.insert(.scrubber) }
        if hasAudio { availableControls.formUnion([.mute, .volume]) }
        if audioTracks.count > 1 { availableControls.insert(.audioTracks) }
        if subtitles.count > 0 { availableControls.insert(.subtitles) }
        if quality != nil { availableControls.insert(.quality) }
        if offersPictureInPicture { availableControls.insert(.pictureInPicture) }
        return availableControls
    }

    /// The played part of the item, 0 to 1.
    var playedFraction: Double {
        guard let duration, duration > 0 else { return 0 }
        return min(1, max(0, position / duration))
    }

    /// The part of the item from its start to the position up to which it is loaded, 0 to 1; nil if it is not shown.
    var loadedFraction: Double? {
        guard let loadedUntil, let duration, duration > 0 else { return nil }
        return min(1, max(playedFraction, loadedUntil / duration))
    }

    /// Returns the name of the chapter at a time in seconds; nil if that chapter has none.
    func chapterName(at seconds: Double) -> String? { chapters.last { $0.start <= seconds }?.name }

    /// The starts of the chapters as fractions of the duration, without the start of the item.
    var chapterFractions: [Double] {
        guard let duration, duration > 0 else { return [] }
        return chapters.map { $0.start / duration }.filter { $0 > 0 && $0 < 1 }
    }

    /// The text of the position and, if it is known, of the duration, such as `2:03 / 4:56`.
    var timeText: String {
        guard let duration else { return Self.clockText(position) }
        let positionText = Self.clockText(min(position, duration), alwaysShowsHours: duration >= 3600)
        return "\(positionText) / \(Self.clockText(duration))"
    }

    /// Returns a time as text, such as `2:03` or `1:02:03`. If `alwaysShowsHours` is true, the text always
    /// contains hours, such as `0:02:03`.
    static func clockText(_ seconds: Double, alwaysShowsHours: Bool = false) -> String {
        let totalSeconds = seconds.isFinite ? Int(min(max(0, seconds), 360_000_000)) : 0
        func twoDigits(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return totalSeconds >= 3600 || alwaysShowsHours
            ? "\(totalSeconds / 3600):\(twoDigits(totalSeconds / 60 % 60)):\(twoDigits(totalSeconds % 60))"
            : "\(totalSeconds / 60):\(twoDigits(totalSeconds % 60))"
    }
}
