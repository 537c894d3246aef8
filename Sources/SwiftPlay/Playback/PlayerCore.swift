import AudioOutput
import MediaPipeline
import SharedFrames
import SystemCalls
import VideoOutput

/// The engine of a player: opens items, keeps the clock and shows frames on time, on its own thread "player".
///
/// Other threads post commands and read a snapshot. Only ``close()`` waits for the thread "player".
package final class PlayerCore: Sendable {
    enum Command: Sendable {
        case setItem(PlayerItem?)
        /// The program passed an item that belongs to another player.
        case reject(PlayerItem)
        case setRate(Float)
        case seek(SeekCommand)
        case step(Int)
        case preroll(PrerollCommand)
        /// The queue continues with this item.
        case goOn(to: PlayerItem?)
        case actionChanged
        /// State that the loop polls by itself has changed.
        case look
        /// A setting that observers may watch has changed.
        case settingChanged
        case sound(SoundPath.Report)
        case outputChanged
        case tracksChanged
        case soundChanged
        /// The program has chosen another ALSA device.
        case device(String)
        /// The time-stretch algorithm of the current item has changed.
        case pitchChanged
        case deinterlacingChanged
        /// The player's claim to the audio session has changed.
        case session(PlayerClaim.Event)
        /// The program releases the audio session for now.
        case giveBackSound
        /// The user is about to request playback.
        case gesture
        case close
    }

    /// An event for observers; observers are called on the core's thread.
    package enum Event: Sendable {
        case itemReady(PlayerItem)
        case itemFailed(PlayerItem, PlaybackError)
        case itemRejected(PlayerItem, PlaybackError)
        case itemChanged(PlayerItem?)
        case statusChanged
        case rateChanged(Float)
        case settingChanged
        case timeJumped
        case seekCompleted
        case firstFrame(PlayerItem)
        case playedToEnd(PlayerItem)
        case failedToPlayToEnd(PlayerItem, PlaybackError)
        case stalled(PlayerItem)
        case accessLogged(PlayerItem)
        case errorLogged(PlayerItem)
        case framePresented(VideoFrame)
        case mediaSelectionChanged(PlayerItem)
        case presentationSizeChanged(PlayerItem)
        case warning(String)
        /// The player is closed, and no event follows. Called on the thread that closed the player.
        case closed
    }

    let configuration: PlayerConfiguration
    let snapshot = Monitor(PlayerSnapshot())
    let pool: FramePool
    let wake: EventDescriptor
    private let commands = Monitor(Commands())
    private let observers = Monitor(Observers())
    private let layer = Monitor<Weak?>(nil)
    let thread = Monitor<NamedThread?>(nil)
    private let nextObserver = Monitor<UInt64>(0)
    let timeObservers = Monitor<[UInt64: TimeObserver]>([:])
    /// The completion of the newest seek, until it is called.
    let pendingSeek = Monitor<SeekAnswer?>(nil)
    let pendingPreroll = Monitor<SeekAnswer?>(nil)

    private struct Commands {
        var list: [Command] = []
        var isClosed = false
    }

    private struct Observers {
        var all: [UInt64: @Sendable (Event) -> Void] = [:]
        var isClosed = false
    }

    private struct Weak: Sendable { weak var layer: (any PlayerPictureTarget)? }

    init(configuration: PlayerConfiguration) throws(SystemCallError) {
        self.configuration = configuration
        pool = FramePool()
        if case .alsa(let device) = configuration.audioOutput { snapshot.withLock { $0.published.device = device } }
        wake = try EventDescriptor()
    }

    func post(_ command: Command) {
        let isTaken = commands.withLock { commands in
            if !commands.isClosed { commands.list.append(command) }
            return !commands.isClosed
        }
        if isTaken { return wake.signal() }
        // The thread has ended, but each completion handler must be called.
        if case .seek(let seek) = command { seek.completion(false) }
        if case .preroll(let wanted) = command { wanted.answer.give(false) }
    }

    func takeCommands() -> [Command] {
        commands.withLock { commands in
            defer { commands.list = [] }
            return commands.list
        }
    }

    func close() {
        snapshot.withLock { $0.isClosed = true }
        // Append `close` and refuse later commands in one step: a command after `close` would never be completed.
        commands.withLock { commands in
            if !commands.isClosed { commands.list.append(.close) }
            commands.isClosed = true
        }
        wake.signal()
        thread.withLock { $0.take() }?.join()
        timeObservers.withLock { $0 = [:] }
        let last = observers.withLock { observers in
            defer { observers = Observers(isClosed: true) }
            return observers.all.values
        }
        for observer in last { observer(.closed) }
        currentLayer?.lostPicture()
        ProgramPresence.shared.setPauses(self, nil)
    }

    /// Whether ``close()`` has been called.
    package var isClosed: Bool { commands.withLock { $0.isClosed } }

    // MARK: Layer

    func attach(_ new: any PlayerPictureTarget) {
        layer.withLock { $0 = Weak(layer: new) }
        new.router.setListener { [wake] in wake.signal() }
        post(.outputChanged)
    }

    func detach(_ old: any PlayerPictureTarget) {
        layer.withLock { if $0?.layer === old { $0 = nil } }
        old.router.setListener(nil)
        post(.outputChanged)
    }

    /// The attached layer; nil without a layer.
    package var currentLayer: (any PlayerPictureTarget)? { layer.withLock { $0?.layer } }

    // MARK: Observers

    /// Calls `observer` on the core's thread until ``removeObserver(_:)``. If the player is closed, calls it once with
    /// ``Event/closed`` before returning.
    ///
    /// - Returns: The observer's number.
    package func addObserver(_ observer: @escaping @Sendable (Event) -> Void) -> UInt64 {
        let number = nextObserverNumber()
        let isClosed = observers.withLock { observers in
            if !observers.isClosed { observers.all[number] = observer }
            return observers.isClosed
        }
        if isClosed { observer(.closed) }
        return number
    }

    func nextObserverNumber() -> UInt64 {
        nextObserver.withLock { next in
            defer { next += 1 }
            return next
        }
    }

    /// Removes the observer with this number. A notification in progress may still call it once.
    package func removeObserver(_ number: UInt64) { observers.withLock { $0.all[number] = nil } }

    func tell(_ event: Event) {
        for observer in observers.withLock({ Array($0.all.values) }) { observer(event) }
    }
}
