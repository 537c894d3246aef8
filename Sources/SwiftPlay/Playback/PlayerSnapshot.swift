/// State that a player's callers share with its thread, under one lock.
struct PlayerSnapshot: Sendable {
    /// Written only by the player's callers.
    var settings = PlayerSettings()
    /// Written by the player's thread. A new current item starts with a new clock.
    var published = PublishedState()
    var item: PlayerItem?
    /// The items that follow the current one, in order.
    var queue: [PlayerItem] = []
    /// The requested rate.
    var rate: Float = 0
    /// Whether playback starts with the data at hand instead of waiting for more.
    var startsImmediately = false
    /// The time reported as current during a seek, media nanoseconds.
    var seekTarget: Int64?
    /// The number of requested seeks that the player's thread has not started.
    var seeksAhead = 0
    /// The handoffs of the picture between layer and Picture-in-Picture, in order.
    var handoffs: [PlaybackStatistics.Handoff] = []
    /// The player is closed.
    var isClosed = false
    /// Whether the player had an item at any time.
    var hasHadItem = false

    /// Makes an item the current one, at its start.
    mutating func begin(_ item: PlayerItem?) {
        self.item = item
        if item != nil { hasHadItem = true }
        published.clock = PlaybackClock()
        published.isAtEnd = false
    }
}

/// The settings of a player.
struct PlayerSettings: Sendable {
    /// The section that is repeated, media nanoseconds.
    var loop: (start: Int64, end: Int64)?
    var waitsToMinimizeStalling = true
    var defaultRate: Float = 1
    var volume: Float = 1
    var isMuted = false
    var deinterlacing = PlayerDeinterlacing.automatic
    var actionAtItemEnd = PlayerActionAtItemEnd.pause
    var selection = SelectionSettings()
    var preventsDisplaySleep = true
    var backgroundPolicy = PlayerBackgroundPolicy.automatic
}

/// The program's track preferences for all items.
struct SelectionSettings: Sendable {
    var criteria: [MediaCharacteristic: PlayerMediaSelectionCriteria] = [:]
    var appliesCriteria = true
    var subtitleStyle = SubtitlePresenter.Style()
}

/// State that a player's thread has published.
struct PublishedState: Sendable {
    var status = PlayerTimeControlStatus.paused
    var waitingReason: PlayerWaitingReason?
    var clock = PlaybackClock()
    var isAtEnd = false
    /// The statistics without the handoffs, which are recorded elsewhere.
    var statistics = PlaybackStatistics()
    /// The ALSA name of the current or requested device.
    var device = "default"
}
