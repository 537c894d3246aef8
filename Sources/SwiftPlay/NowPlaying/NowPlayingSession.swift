import DesktopBus

/// A session that publishes a player to the desktop and receives its media keys (MPNowPlayingSession with its command
/// center). Safe to use from any thread.
///
/// The session uses MPRIS, with the bus name `org.mpris.MediaPlayer2.swiftplay.instance` and the process number. The
/// player is published while its program is the now playing program. Without a session bus the session has no effect.
/// Commands go to ``onCommand`` first and then to the player. Keep a reference to the session as long as the
/// player must be published.
public final class NowPlayingSession: Sendable {
    /// A request of the user.
    public enum Command: Sendable, Equatable {
        /// Start playing.
        case play
        /// Pause.
        case pause
        /// Pause if the player plays, else start playing.
        case togglePlayPause
        /// Stop: pause at the start of the item.
        case stop
        /// Go to the next item.
        case nextTrack
        /// Go to the previous item.
        case previousTrack
        /// Seek to a time on the item's timeline.
        case changePlaybackPosition(MediaTime)
        /// Skip forward by a duration, or backward if it is negative.
        case skip(by: MediaTime)
        /// Change the rate; 1 is normal speed.
        case changePlaybackRate(Float)
        /// Change the repeat mode: off, the file or the playlist.
        case changeRepeatMode(RepeatType)
        /// Play the list in random order, or in its own order.
        case changeShuffleMode(Bool)
        /// Go to the item at an index of ``NowPlayingSession/queue``.
        case goToQueueItem(Int)
        /// Change the volume, a cubic factor: the amplitude is its third power, and 1 is as recorded.
        case changeVolume(Double)
        /// Open a path, or an http or https address.
        case open(String)
        /// Show the program's window in front of all others.
        case raise
        /// Quit the program.
        case quit
    }

    /// The repeat mode of a program (MPRIS LoopStatus).
    public enum RepeatType: Int, Sendable {
        /// Playback stops after the last item.
        case off = 0
        /// The current item is repeated.
        case one
        /// The whole list is repeated.
        case all
    }

    /// The implementation of the session.
    private let service: NowPlayingService

    /// Publishes a player to the desktop, on a thread of its own. A program publishes one player at a time: close the
    /// earlier session first.
    ///
    /// - Parameters:
    ///   - player: The player that is published.
    ///   - name: The name of the program that is shown to the user; nil for the name of its executable file.
    public convenience init(player: Player, name: String? = nil) {
        self.init(player: player, name: name, busAddress: BusAddress.session, audioSession: .sharedInstance())
    }

    /// Publishes a player on the D-Bus bus at `busAddress` while `audioSession` is that of the now playing program, for
    /// tests. If the address is nil, the session has no effect.
    init(player: Player, name: String?, busAddress: String?, audioSession: AudioSession? = nil) {
        service = NowPlayingService(player: player, name: name ?? ProcessName.current, busAddress: busAddress)
        audioSession?.watchNowPlaying { [weak service] in service?.setIsNowPlaying($0) }
    }

    deinit { service.close() }

    /// Ends the session. Returns after its thread has ended. Idempotent.
    public func close() { service.close() }

    /// The handler that receives each command, in order, on the main actor. It returns true if the program has
    /// performed the command; otherwise the session applies the command to the player, if the player supports it.
    public var onCommand: (@MainActor @Sendable (Command) -> Bool)? {
        get { service.programSettings.onCommand }
        set { service.updateProgramSettings { $0.onCommand = newValue } }
    }

    /// Whether the program can go to a next item, for a program that handles `nextTrack`; nil, the default, if the
    /// queue of a ``QueuePlayer`` decides.
    public var canGoToNextTrack: Bool? {
        get { service.programSettings.canGoToNextTrack }
        set { service.updateProgramSettings { $0.canGoToNextTrack = newValue } }
    }

    /// Whether the program can go to a previous item; see ``canGoToNextTrack``.
    public var canGoToPreviousTrack: Bool? {
        get { service.programSettings.canGoToPreviousTrack }
        set { service.updateProgramSettings { $0.canGoToPreviousTrack = newValue } }
    }

    /// The repeat mode of the program; `.off` by default.
    public var repeatType: RepeatType {
        get { service.programSettings.repeatType }
        set { service.updateProgramSettings { $0.repeatType = newValue } }
    }

    /// Whether the program handles `quit`; false by default.
    public var canQuit: Bool {
        get { service.programSettings.canQuit }
        set { service.updateProgramSettings { $0.canQuit = newValue } }
    }

    /// Whether the program can show its window in front and handles `raise`; false by default.
    public var canRaise: Bool {
        get { service.programSettings.canRaise }
        set { service.updateProgramSettings { $0.canRaise = newValue } }
    }

    /// Whether the program plays its list in random order; nil, the default, if it does not handle `changeShuffleMode`.
    public var isShuffled: Bool? {
        get { service.programSettings.isShuffled }
        set { service.updateProgramSettings { $0.isShuffled = newValue } }
    }

    /// The name of the program's desktop file without `.desktop`, by which the desktop finds its icon; nil, the
    /// default, if there is none. Set it before the program plays.
    public var desktopEntry: String? {
        get { service.programSettings.desktopEntry }
        set { service.updateProgramSettings { $0.desktopEntry = newValue } }
    }

    /// The paths and addresses of the program's list; nil, the default, if the program does not handle
    /// `goToQueueItem`. See ``setQueue(_:index:)``.
    public var queue: [String]? { service.programSettings.queue }

    /// The index of the current item in ``queue``.
    public var queueIndex: Int { service.programSettings.queueIndex }

    /// Publishes the program's list. Call it before the program plays for the first time, and after each change.
    ///
    /// - Parameters:
    ///   - queue: The paths and addresses of the list.
    ///   - index: The index of the current item.
    public func setQueue(_ queue: [String], index: Int) {
        service.updateProgramSettings { ($0.queue, $0.queueIndex) = (queue, index) }
    }

    /// Sets whether this is the now playing program, whose player the desktop shows.
    package func setIsNowPlaying(_ isNowPlaying: Bool) { service.setIsNowPlaying(isNowPlaying) }
}
