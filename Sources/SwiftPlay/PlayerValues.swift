// Values that programs set and read. `Player` has names of its own for them: the player core must not need `Player`.

/// Whether a player can play items (AVPlayer.Status).
public enum PlayerStatus: Int, Sendable {
    /// The player has had no item yet.
    case unknown
    /// The player can play items. An item that cannot be played does not change this: see ``PlayerItem/status``.
    case readyToPlay
    /// The player is closed and cannot be used again.
    case failed
}

/// Whether a player plays.
public enum PlayerTimeControlStatus: Int, Sendable {
    /// The player is paused: ``Player/rate`` is 0.
    case paused = 0
    /// The player waits: see ``Player/reasonForWaitingToPlay``.
    case waitingToPlayAtSpecifiedRate
    /// The player plays.
    case playing
}

/// Why a player waits although playing was requested.
public enum PlayerWaitingReason: Sendable {
    /// There is not enough to play on without stopping again soon.
    case toMinimizeStalls
    /// It is being found out; show no sign of waiting for it.
    case evaluatingBufferingRate
    /// The player has no item.
    case noItemToPlay
}

/// What a player does at an item's end.
public enum PlayerActionAtItemEnd: Sendable {
    /// Go on to the next item. Of a `QueuePlayer` only.
    case advance
    /// Stop there, rate 0.
    case pause
    /// Change nothing: whoever watches does what is next.
    case none
}

/// Which pictures are deinterlaced: into one picture of each field, so at twice the rate.
public enum PlayerDeinterlacing: Sendable, CaseIterable {
    /// Those that the stream flags as interlaced.
    case automatic
    /// All, whatever the stream says.
    case always
    /// No picture is deinterlaced.
    case never
}

/// What a video does in the background (AVPlayerAudiovisualBackgroundPlaybackPolicy), with its numbers. A program
/// is in the background while all its windows are minimised or on other workspaces and no picture of it floats.
public enum PlayerBackgroundPolicy: Int, Sendable, CaseIterable {
    /// As the system has it: on a desktop a video plays on.
    case automatic = 1
    /// A video that a layer shows pauses, unless Picture-in-Picture begins within half a second.
    case pauses = 2
    /// The video plays on.
    case continuesIfPossible = 3
}
