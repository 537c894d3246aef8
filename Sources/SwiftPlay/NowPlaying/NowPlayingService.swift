import Dispatch
import Glibc
import Logging
import SystemCalls

/// The implementation of a ``NowPlayingSession``. Only its thread "now playing" uses the D-Bus connection.
final class NowPlayingService: Sendable {
    /// The settings that the program has made on its ``NowPlayingSession``.
    struct ProgramSettings: Sendable {
        /// See ``NowPlayingSession/onCommand``.
        var onCommand: (@MainActor @Sendable (NowPlayingSession.Command) -> Bool)?
        /// See ``NowPlayingSession/canGoToNextTrack``.
        var canGoToNextTrack: Bool?
        /// See ``NowPlayingSession/canGoToPreviousTrack``.
        var canGoToPreviousTrack: Bool?
        /// The repeat mode of the program: off, one item or all items.
        var repeatType = NowPlayingSession.RepeatType.off
        /// Whether the program handles a request to quit.
        var canQuit = false
        /// See ``NowPlayingSession/canRaise``.
        var canRaise = false
        /// See ``NowPlayingSession/isShuffled``.
        var isShuffled: Bool?
        /// See ``NowPlayingSession/desktopEntry``.
        var desktopEntry: String?
        /// See ``NowPlayingSession/queue``.
        var queue: [String]?
        /// See ``NowPlayingSession/queueIndex``.
        var queueIndex = 0
    }

    /// The changes that the thread "now playing" has not handled yet.
    struct PendingChanges: Sendable {
        /// Whether this is the now playing program, whose player the desktop shows.
        var isNowPlaying = false
        /// Whether the program has closed its ``NowPlayingSession``.
        var isClosed = false
        /// Whether the published state of the player may have changed.
        var hasChanges = false
        /// Whether the player's time jumped, by a seek for example.
        var hasTimeJumped = false
    }

    /// The state that the program's threads share with the thread "now playing".
    private struct State {
        /// The settings that the program has made on its session.
        var programSettings = ProgramSettings()
        /// The changes that the thread "now playing" has not handled yet.
        var pendingChanges = PendingChanges()
        /// The thread "now playing"; nil until the player is published for the first time.
        var thread: NamedThread?
        /// The registration number of the service's observer in the player.
        var observerNumber: UInt64?
        /// Wakes the thread "now playing" after a change.
        var wakeEvent: EventDescriptor?
        /// Whether the player was stopped and has not played since.
        var isStopped = false
        /// The number of commands that were sent to the main actor and have not run yet.
        var pendingCommandCount = 0
    }

    /// The maximum of ``State/pendingCommandCount``. If the program's main actor does not run, further commands are
    /// dropped.
    private static let commandLimit = 64

    /// The player that is published.
    let player: Player
    /// The name of the program that is shown to the user.
    let name: String
    /// The address of the D-Bus session bus; nil if there is none.
    let busAddress: String?
    private let state = Monitor(State())
    private let logger = Logger(label: "mpris")

    init(player: Player, name: String, busAddress: String?) {
        (self.player, self.name, self.busAddress) = (player, name, busAddress)
    }

    /// The settings that the program has made on its session.
    var programSettings: ProgramSettings { state.withLock { $0.programSettings } }

    /// Whether the player was stopped and has not played since.
    var isStopped: Bool { state.withLock { $0.isStopped } }

    /// Changes the program's settings and publishes them on the session bus.
    func updateProgramSettings(_ change: (inout ProgramSettings) -> Void) {
        state.withLock { change(&$0.programSettings) }
        recordChange { $0.hasChanges = true }
    }

    /// Publishes the player on the session bus, or withdraws it.
    func setIsNowPlaying(_ isNowPlaying: Bool) {
        if isNowPlaying { startThread() }
        recordChange { $0.isNowPlaying = isNowPlaying }
    }

    /// Records a change and wakes the thread "now playing".
    private func recordChange(_ change: (inout PendingChanges) -> Void) {
        state.withLock { state in
            change(&state.pendingChanges)
            return state.wakeEvent
        }?.signal()
    }

    /// Starts the thread "now playing" on the first call.
    private func startThread() {
        let isThreadStarted = state.withLock { state in
            guard state.thread == nil, !state.pendingChanges.isClosed else { return false }
            do throws(SystemCallError) {
                let wakeEvent = try EventDescriptor()
                state.wakeEvent = wakeEvent
                state.thread = try NamedThread("now playing") { [self] in run(wakeEvent) }
                return true
            } catch {
                logger.debug("cannot publish the player on the session bus: \(error)")
                return false
            }
        }
        guard isThreadStarted else { return }
        // A closed player calls the observer before `addObserver` returns. If another thread has closed the session
        // meanwhile, remove the observer again.
        let observerNumber = player.core.addObserver { [weak self] event in self?.handle(event) }
        let isClosed = state.withLock { state in
            if !state.pendingChanges.isClosed { state.observerNumber = observerNumber }
            return state.pendingChanges.isClosed
        }
        if isClosed { player.core.removeObserver(observerNumber) }
    }

    /// Ends the session, and waits until the thread "now playing" has ended.
    func close() {
        recordChange { $0.isClosed = true }
        let (thread, observerNumber) = state.withLock { state in
            defer { (state.thread, state.observerNumber) = (nil, nil) }
            return (state.thread, state.observerNumber)
        }
        if let observerNumber { player.core.removeObserver(observerNumber) }
        thread?.join()
    }

    /// Handles an event of the player, on the player's thread.
    private func handle(_ event: PlayerCore.Event) {
        switch event {
        case .framePresented: break
        case .timeJumped: recordChange { ($0.hasTimeJumped, $0.hasChanges) = (true, true) }
        case .rateChanged, .itemChanged:
            if player.rate != 0 { state.withLock { $0.isStopped = false } }
            recordChange { $0.hasChanges = true }
        default: recordChange { $0.hasChanges = true }
        }
    }

    // MARK: Commands

    /// Passes a command of the desktop to the program, or applies it to the player if the program does not handle it.
    func perform(_ command: NowPlayingSession.Command) {
        guard let onCommand = programSettings.onCommand else { return apply(command) }
        let isAccepted = state.withLock { state in
            guard state.pendingCommandCount < Self.commandLimit else { return false }
            state.pendingCommandCount += 1
            return true
        }
        guard isAccepted else { return }
        DispatchQueue.main.async { [weak self] in
            self?.state.withLock { $0.pendingCommandCount -= 1 }
            MainActor.assumeIsolated { if !onCommand(command) { self?.apply(command) } }
        }
    }

    /// Applies a command to the player.
    private func apply(_ command: NowPlayingSession.Command) {
        switch command {
        case .play: player.play()
        case .pause: player.pause()
        case .togglePlayPause: player.rate == 0 ? player.play() : player.pause()
        case .stop:
            player.pause()
            player.seek(to: .zero, toleranceBefore: .zero, toleranceAfter: .zero)
            state.withLock { $0.isStopped = true }
            recordChange { $0.hasChanges = true }
        case .nextTrack: if let queue = player as? QueuePlayer, queue.items().count > 1 { queue.advanceToNextItem() }
        case .changePlaybackPosition(let time): player.seek(to: time, toleranceBefore: .zero, toleranceAfter: .zero)
        case .skip(let interval):
            guard let distance = interval.nanoseconds, let position = player.currentTime().nanoseconds else { break }
            let (target, overflows) = position.addingReportingOverflow(distance)
            let end = player.currentItem?.duration.nanoseconds ?? .max
            player.seek(to: MediaTime(nanoseconds: min(overflows ? .max : max(0, target), end)))
        case .changePlaybackRate(let rate):
            let rate = Player.bounded(rate)
            guard rate != 0 else { return player.pause() }
            player.defaultRate = rate
            if player.rate != 0 { player.rate = rate }
        case .changeVolume(let volume):
            let volume = volume.isFinite ? min(max(volume, 0), 2) : 1
            player.volume = Float(volume * volume * volume)
        case .open(let location):
            player.replaceCurrentItem(with: PlayerItem(location: location))
            player.play()
        case .previousTrack, .changeRepeatMode, .changeShuffleMode, .goToQueueItem, .raise, .quit: break
        }
    }

    // MARK: Thread

    /// The body of the thread "now playing": publishes the player while this program is the now playing program.
    private func run(_ wakeEvent: EventDescriptor) {
        var publishedPlayer: PublishedPlayer?
        var mayConnect = true
        while true {
            wakeEvent.drain()
            let pendingChanges = state.withLock { state in
                defer { (state.pendingChanges.hasChanges, state.pendingChanges.hasTimeJumped) = (false, false) }
                return state.pendingChanges
            }
            if pendingChanges.isClosed { return }
            if !pendingChanges.isNowPlaying { (publishedPlayer, mayConnect) = (nil, true) }
            do throws(BusFailure) {
                if pendingChanges.isNowPlaying, publishedPlayer == nil, mayConnect {
                    publishedPlayer = try PublishedPlayer(self)
                } else if pendingChanges.hasChanges {
                    try publishedPlayer?.publishChanges(hasTimeJumped: pendingChanges.hasTimeJumped)
                }
                try publishedPlayer?.process()
            } catch {
                // The bus has failed: do not connect again at once, but when the program becomes the now playing
                // program again.
                (publishedPlayer, mayConnect) = (nil, false)
                logger.debug("cannot publish the player on the session bus: \(error.reason)")
            }
            var pollEntries = [
                Poll.Entry(wakeEvent.raw),
                Poll.Entry(publishedPlayer?.descriptor ?? -1, publishedPlayer?.events ?? []),
            ]
            guard (try? Poll.wait(&pollEntries, until: publishedPlayer?.deadline)) != nil else { return }
        }
    }
}
