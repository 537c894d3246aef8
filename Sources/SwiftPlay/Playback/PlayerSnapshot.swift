/// What a player's callers and its thread share, under one lock.
struct PlayerSnapshot: Sendable {
    /// Written by the player's callers only.
    var settings = PlayerSettings()
    /// Written by the player's thread; a new current item begins with a clock of its own.
    var published = PublishedState()
    var item: PlayerItem?
    /// The items that follow the current one, in order.
    var queue: [PlayerItem] = []
    /// The requested rate.
    var rate: Float = 0
    /// Whether playing begins with what is there, without waiting for more.
    var startsImmediately = false
    /// The time that is current while a seek runs, nanoseconds.
    var seekTarget: Int64?
    /// The number of seeks that were requested, and that the player's thread has not begun.
    var seeksAhead = 0
    /// The picture's moves between layer and Picture-in-Picture, in order.
    var handoffs: [PlaybackStatistics.Handoff] = []
    /// The player is closed.
    var isClosed = false
    /// Whether the player had an item at any time.
    var hasHadItem = false

    /// Puts an item in the place of the current one, at its beginning.
    mutating func begin(_ item: PlayerItem?) {
        self.item = item
        if item != nil { hasHadItem = true }
        published.clock = PlaybackClock()
        published.isAtEnd = false
    }
}

/// What a program has set of a player.
struct PlayerSettings: Sendable {
    /// Played over and over between its ends; nanoseconds.
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

/// What a program prefers in the tracks of all items.
struct SelectionSettings: Sendable {
    var criteria: [MediaCharacteristic: PlayerMediaSelectionCriteria] = [:]
    var appliesCriteria = true
    var subtitleStyle = SubtitlePresenter.Style()
}

/// What a player's thread has published.
struct PublishedState: Sendable {
    var status = PlayerTimeControlStatus.paused
    var waitingReason: PlayerWaitingReason?
    var clock = PlaybackClock()
    var isAtEnd = false
    /// Without the handoffs, which are recorded elsewhere.
    var statistics = PlaybackStatistics()
    /// ALSA's name of the device that plays, or is to play.
    var device = "default"
}
