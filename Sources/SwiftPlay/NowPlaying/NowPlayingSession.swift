import DesktopBus

/// What the desktop sees of a program's playing, and what its media keys do (MPNowPlayingSession with its command
/// center): on Linux by MPRIS, as `org.mpris.MediaPlayer2.swiftplay.instance` with the process's number. Any thread.
///
/// It is seen while its program is the now playing one. Without a session bus nothing is seen and all else is as ever.
/// What is asked for goes to ``onCommand`` first and then to the player. Keep it as long as the player is to be seen.
public final class NowPlayingSession: Sendable {
    /// What a user can ask for.
    public enum Command: Sendable, Equatable {
        /// Start playing.
        case play
        /// Pause.
        case pause
        /// Pause if the player plays, else start playing.
        case togglePlayPause
        /// Pause, at the beginning.
        case stop
        /// Go to the next item.
        case nextTrack
        /// Go to the previous item.
        case previousTrack
        /// Seek to a time on the item's timeline.
        case changePlaybackPosition(MediaTime)
        /// So far on, or back.
        case skip(by: MediaTime)
        /// Change the rate; 1 is normal speed.
        case changePlaybackRate(Float)
        /// Change what is repeated.
        case changeRepeatMode(RepeatType)
        /// As loud as it is felt, 1 is as recorded: the amplitude is its cube.
        case changeVolume(Double)
        /// A path, or an http or https address.
        case open(String)
        /// Quit the program.
        case quit
    }

    /// What a program repeats (MPRIS LoopStatus).
    public enum RepeatType: Int, Sendable {
        /// Nothing is repeated.
        case off = 0
        /// The current item is repeated.
        case one
        /// The whole list is repeated.
        case all
    }

    private let service: NowPlayingService

    /// Publishes a player to the desktop, on a thread of its own.
    ///
    /// - Parameters:
    ///   - player: The player that is published.
    ///   - name: The name of the program for its user; nil for the name of its executable file.
    public convenience init(player: Player, name: String? = nil) {
        self.init(player: player, name: name, busAddress: BusAddress.session)
    }

    init(player: Player, name: String?, busAddress: String?) {
        service = NowPlayingService(player: player, name: name ?? ProcessName.current, busAddress: busAddress)
    }

    deinit { service.close() }

    /// Is not seen any more, for good. Returns when its thread is gone. Idempotent.
    public func close() { service.close() }

    /// Called with each command on the main actor, in order; `true`: it is done, `false`: the player is to do what it
    /// can.
    public var onCommand: (@MainActor @Sendable (Command) -> Bool)? {
        get { service.program.onCommand }
        set { service.update { $0.onCommand = newValue } }
    }

    /// Whether there is something to go on to, or back to: for a program that answers `nextTrack` and `previousTrack`.
    /// nil: what the player itself knows, which is what comes next in a ``QueuePlayer``.
    public var canGoToNextTrack: Bool? {
        get { service.program.canGoToNextTrack }
        set { service.update { $0.canGoToNextTrack = newValue } }
    }

    /// Whether the program can go to a previous item; see ``canGoToNextTrack``.
    public var canGoToPreviousTrack: Bool? {
        get { service.program.canGoToPreviousTrack }
        set { service.update { $0.canGoToPreviousTrack = newValue } }
    }

    /// What is repeated, as the program tells it: a player by itself knows of nothing.
    public var repeatType: RepeatType {
        get { service.program.repeatType }
        set { service.update { $0.repeatType = newValue } }
    }

    /// Whether the program answers `quit`.
    public var canQuit: Bool {
        get { service.program.canQuit }
        set { service.update { $0.canQuit = newValue } }
    }

    /// Whether its program is the now playing one of all programs.
    package func setIsNowPlaying(_ isNowPlaying: Bool) { service.setIsNowPlaying(isNowPlaying) }
}
