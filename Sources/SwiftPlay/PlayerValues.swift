import MediaPipeline

// Values of the public API that the player core also uses. They are not nested in `Player`, because the core must not
// depend on `Player`, which has typealiases for them.

/// Whether a player can play items (AVPlayer.Status).
public enum PlayerStatus: Int, Sendable {
    /// The player has had no item yet.
    case unknown
    /// The player can play items. An item that cannot be played does not change this: see ``PlayerItem/status``.
    case readyToPlay
    /// The player is closed and cannot be used again.
    case failed
}

/// Whether a player plays (AVPlayer.TimeControlStatus).
public enum PlayerTimeControlStatus: Int, Sendable {
    /// The player is paused: ``Player/rate`` is 0.
    case paused = 0
    /// The player waits: see ``Player/reasonForWaitingToPlay``.
    case waitingToPlayAtSpecifiedRate
    /// The player plays.
    case playing
}

/// The reason why a player waits although playback was requested (AVPlayer.WaitingReason).
public enum PlayerWaitingReason: Sendable {
    /// Too little media is loaded: playback would soon stall again.
    case toMinimizeStalls
    /// The player is about to start and has not decided yet whether it must wait. Do not show this to the user.
    case evaluatingBufferingRate
    /// The player has no item.
    case noItemToPlay
}

/// The action of a player at an item's end (AVPlayer.ActionAtItemEnd).
public enum PlayerActionAtItemEnd: Sendable {
    /// Start the next item; for a ``QueuePlayer`` only.
    case advance
    /// Pause at the end.
    case pause
    /// The item and the rate stay; the program decides what follows.
    case none
}

/// The rule that selects the pictures to deinterlace. Each field becomes a picture, so the frame rate doubles.
public enum PlayerDeinterlacing: Sendable, CaseIterable {
    /// Deinterlaces the pictures that the stream marks as interlaced.
    case automatic
    /// Deinterlaces every picture.
    case always
    /// Deinterlaces no picture.
    case never

    /// The value of the rule in the configuration of the media pipeline.
    var decoderSetting: Deinterlacing {
        switch self {
        case .automatic: .automatic
        case .always: .always
        case .never: .never
        }
    }
}

/// The treatment of video in the background (AVPlayerAudiovisualBackgroundPlaybackPolicy, with the same raw values). A
/// program is in the background while all its windows are minimized or on other workspaces and it has no
/// Picture-in-Picture.
public enum PlayerBackgroundPolicy: Int, Sendable, CaseIterable {
    /// The policy of the system: on a desktop, video continues.
    case automatic = 1
    /// Video in a layer pauses, unless Picture-in-Picture starts within half a second.
    case pauses = 2
    /// Video continues.
    case continuesIfPossible = 3
}
