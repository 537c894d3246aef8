import Dispatch
import Glibc
import Logging
import SystemCalls

/// The service of a ``NowPlayingSession``, with the thread "now playing", which uses the bus.
final class NowPlayingService: Sendable {
    /// The state that the program sets.
    struct Program: Sendable {
        var onCommand: (@MainActor @Sendable (NowPlayingSession.Command) -> Bool)?
        var canGoToNextTrack: Bool?
        var canGoToPreviousTrack: Bool?
        var repeatType = NowPlayingSession.RepeatType.off
        var canQuit = false
    }

    /// The work of the thread.
    struct News: Sendable {
        var isNowPlaying = false
        var isClosed = false
        /// Whether the state may have changed.
        var hasChanges = false
        /// Whether the time jumped.
        var hasJumped = false
    }

    private struct State {
        var program = Program()
        var news = News()
        var thread: NamedThread?
        var observer: UInt64?
        var wake: EventDescriptor?
        /// Whether the player was stopped and has not played since.
        var isStopped = false
        /// The number of commands on their way to the main actor.
        var commands = 0
    }

    /// The maximum number of commands for a program that does not answer.
    private static let commandLimit = 64

    let player: Player
    let name: String
    /// The address of the bus; nil if there is no session.
    let busAddress: String?
    private let state = Monitor(State())
    private let logger = Logger(label: "mpris")

    init(player: Player, name: String, busAddress: String?) {
        (self.player, self.name, self.busAddress) = (player, name, busAddress)
    }

    var program: Program { state.withLock { $0.program } }

    var isStopped: Bool { state.withLock { $0.isStopped } }

    func update(_ change: (inout Program) -> Void) {
        state.withLock { change(&$0.program) }
        tell { $0.hasChanges = true }
    }

    func setIsNowPlaying(_ isNowPlaying: Bool) {
        if isNowPlaying { start() }
        tell { $0.isNowPlaying = isNowPlaying }
    }

    private func tell(_ change: (inout News) -> Void) {
        state.withLock { state in
            change(&state.news)
            return state.wake
        }?.signal()
    }

    /// The thread starts when it is first needed.
    private func start() {
        let isNew = state.withLock { state in
            guard state.thread == nil, !state.news.isClosed else { return false }
            do throws(SystemCallError) {
                let wake = try EventDescriptor()
                state.wake = wake
                state.thread = try NamedThread("now playing") { [self] in run(wake) }
                return true
            } catch {
                logger.debug("not seen by the desktop: \(error)")
                return false
            }
        }
        guard isNew else { return }
        // A closed player reports its end at once.
        let observer = player.core.addObserver { [weak self] event in self?.heard(event) }
        let isClosed = state.withLock { state in
            if !state.news.isClosed { state.observer = observer }
            return state.news.isClosed
        }
        if isClosed { player.core.removeObserver(observer) }
    }

    func close() {
        tell { $0.isClosed = true }
        let (thread, observer) = state.withLock { state in
            defer { (state.thread, state.observer) = (nil, nil) }
            return (state.thread, state.observer)
        }
        if let observer { player.core.removeObserver(observer) }
        thread?.join()
    }

    /// Handles an event, on the player's thread.
    private func heard(_ event: PlayerCore.Event) {
        switch event {
        case .framePresented: break
        case .timeJumped: tell { ($0.hasJumped, $0.hasChanges) = (true, true) }
        case .rateChanged, .itemChanged:
            if player.rate != 0 { state.withLock { $0.isStopped = false } }
            tell { $0.hasChanges = true }
        default: tell { $0.hasChanges = true }
        }
    }

    // MARK: Commands

    /// Performs a command, unless the program handles it.
    func ask(_ command: NowPlayingSession.Command) {
        guard let onCommand = program.onCommand else { return perform(command) }
        let isTaken = state.withLock { state in
            guard state.commands < Self.commandLimit else { return false }
            state.commands += 1
            return true
        }
        guard isTaken else { return }
        DispatchQueue.main.async { [weak self] in
            self?.state.withLock { $0.commands -= 1 }
            MainActor.assumeIsolated { if !onCommand(command) { self?.perform(command) } }
        }
    }

    private func perform(_ command: NowPlayingSession.Command) {
        switch command {
        case .play: player.play()
        case .pause: player.pause()
        case .togglePlayPause: player.rate == 0 ? player.play() : player.pause()
        case .stop:
            player.pause()
            player.seek(to: .zero, toleranceBefore: .zero, toleranceAfter: .zero)
            state.withLock { $0.isStopped = true }
            tell { $0.hasChanges = true }
        case .nextTrack: if let queue = player as? QueuePlayer, queue.items().count > 1 { queue.advanceToNextItem() }
        case .changePlaybackPosition(let time): player.seek(to: time, toleranceBefore: .zero, toleranceAfter: .zero)
        case .skip(let by):
            guard let distance = by.nanoseconds, let now = player.currentTime().nanoseconds else { break }
            let (sum, overflows) = now.addingReportingOverflow(distance)
            player.seek(
                to: MediaTime(
                    nanoseconds: min(overflows ? .max : max(0, sum), player.currentItem?.duration.nanoseconds ?? .max)))
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
        case .previousTrack, .changeRepeatMode, .quit: break
        }
    }

    // MARK: The thread "now playing"

    private func run(_ wake: EventDescriptor) {
        var published: PublishedPlayer?
        var mayTry = true
        while true {
            wake.drain()
            let news = state.withLock { state in
                defer { (state.news.hasChanges, state.news.hasJumped) = (false, false) }
                return state.news
            }
            if news.isClosed { return }
            if !news.isNowPlaying { (published, mayTry) = (nil, true) }
            do throws(BusFailure) {
                if news.isNowPlaying, published == nil, mayTry {
                    published = try PublishedPlayer(self)
                } else if news.hasChanges {
                    try published?.tell(hasJumped: news.hasJumped)
                }
                try published?.process()
            } catch {
                // The connection is tried again when the program is the now playing one again.
                (published, mayTry) = (nil, false)
                logger.debug("not seen by the desktop: \(error.reason)")
            }
            var entries = [Poll.Entry(wake.raw), Poll.Entry(published?.descriptor ?? -1, published?.events ?? [])]
            guard (try? Poll.wait(&entries, until: published?.deadline)) != nil else { return }
        }
    }
}
