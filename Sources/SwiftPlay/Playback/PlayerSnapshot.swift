import AudioOutput
import SharedFrames

/// State that a player's callers share with its thread, under one lock.
struct PlayerSnapshot: Sendable {
    /// The settings that the program has made. Written only by the player's callers.
    var settings = PlayerSettings()
    /// The state that the player's thread reports. A new current item starts with a new clock.
    var published = PublishedState()
    /// The current item; nil if there is none.
    var item: PlayerItem?
    /// The items that follow the current item, in order.
    var queue: [PlayerItem] = []
    /// The current item and the items that follow it.
    var items: [PlayerItem] { (item.map { [$0] } ?? []) + queue }
    /// The playback rate that the program has requested; 0 while the player is paused.
    var rate: Float = 0
    /// Whether playback starts with the data that is loaded instead of waiting for more.
    var startsImmediately = false
    /// The time reported as current during a seek, in nanoseconds of media time; nil without a seek.
    var seekTarget: Int64?
    /// The number of requested seeks that the player's thread has not started.
    var queuedSeekCount = 0
    /// The moves of the picture between layer and Picture-in-Picture, oldest first.
    var handoffs: [PlaybackStatistics.Handoff] = []
    /// Whether the player is closed.
    var isClosed = false
    /// Whether the player had an item at any time.
    var hasHadItem = false

    /// Makes an item the current item, at its start.
    mutating func setCurrentItem(_ item: PlayerItem?) {
        self.item = item
        if item != nil { hasHadItem = true }
        published.clock = PlaybackClock()
        published.isAtEnd = false
    }
}

/// The settings of a player.
struct PlayerSettings: Sendable {
    /// The section that is repeated, in nanoseconds of media time; nil for none.
    var loop: (start: Int64, end: Int64)?
    /// See ``Player/automaticallyWaitsToMinimizeStalling``.
    var waitsToMinimizeStalling = true
    var defaultRate: Float = 1
    var volume: Float = 1
    var isMuted = false
    /// The delay of audio in nanoseconds; negative if audio plays earlier.
    var audioDelay: Int64 = 0
    var deinterlacing = PlayerDeinterlacing.automatic
    /// The rotation and the aspect ratio that the user sets for all pictures.
    var pictureTransform = PictureTransform()
    var actionAtItemEnd = PlayerActionAtItemEnd.pause
    /// The program's preferences for tracks and subtitles.
    var selection = TrackPreferences()
    /// Whether the screen stays on while video plays.
    var preventsDisplaySleep = true
    /// The preference among the variants of streams; nil for the configuration's preference.
    var streamPreference: StreamPreference?
    /// The policy for playing video while the program is in the background.
    var backgroundPolicy = PlayerBackgroundPolicy.automatic
}

/// The program's track preferences for all items.
struct TrackPreferences: Sendable {
    /// The preferred languages for audio (`.audible`) and for subtitles (`.legible`).
    var criteria: [MediaCharacteristic: PlayerMediaSelectionCriteria] = [:]
    /// Whether ``criteria`` select tracks of the kinds for which the program has made no selection.
    var appliesCriteria = true
    /// The appearance and timing of subtitles.
    var subtitleStyle = SubtitlePresenter.Style()
}

/// State that a player's thread has published.
struct PublishedState: Sendable {
    var status = PlayerTimeControlStatus.paused
    var waitingReason: PlayerWaitingReason?
    /// The clock that gives the media time of the current item.
    var clock = PlaybackClock()
    /// Whether playback has reached the item's end.
    var isAtEnd = false
    /// The statistics without the moves of the picture, which ``PlayerSnapshot/handoffs`` contains.
    var statistics = PlaybackStatistics()
    /// The ALSA name of the current or requested device.
    var device = "default"
    /// The format in which the audio device was opened; nil before that.
    var deviceFormat: AudioFormat?
}
