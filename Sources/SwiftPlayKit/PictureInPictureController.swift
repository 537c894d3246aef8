import CompositorProtocol
import Dispatch
import Glibc
import Logging
import SwiftPlay
import SystemCalls

/// Moves a player layer's picture into a floating window of another process and back (AVPictureInPictureController). Main queue only.
///
/// The layer, its player, the clock and the sound are not touched: frames are just shown elsewhere. Releasing the controller closes its
/// window.
@MainActor
public final class PictureInPictureController {
    /// True where there is a display to open a window on. Constant for the life of the process.
    nonisolated public static func isPictureInPictureSupported() -> Bool { getenv("DISPLAY").map { $0.pointee != 0 } ?? false }

    public let playerLayer: PlayerLayer
    public weak var delegate: (any PictureInPictureControllerDelegate)?

    /// True while the window shows the picture.
    public private(set) var isPictureInPictureActive = false { didSet { if oldValue != isPictureInPictureActive { changed() } } }
    /// True when a start would not fail at once: there is a compositor, and the layer shows a picture.
    public private(set) var isPictureInPicturePossible = false { didSet { if oldValue != isPictureInPicturePossible { changed() } } }
    /// How the last Picture-in-Picture ended; nil before the first has.
    public private(set) var stopReason: PictureInPictureStopReason?
    /// Why it is not possible, in words; nil while it is.
    public private(set) var unavailableReason: String?

    /// Whether Picture-in-Picture may start by itself when a playing video goes out of sight (its window is minimised, covered by others, or
    /// left behind on another workspace), and end when it is seen again. The user can switch this off for all programs.
    public var startsAutomatically = true { didSet { automatic?.look() } }
    /// The program's word, the user's, and the layer's place: it fills its window.
    var mayStartAutomatically: Bool { startsAutomatically && isAvailable && CompositorLink.shared.startsAutomatically }

    private var automatic: AutomaticStarter?
    private var machine = PictureInPictureMachine()
    private let session: RemoteSession
    private var layerObservation: PlayerLayer.Observation?
    private var isAvailable = false
    private var requestedAt: Int64 = 0
    /// Actions that are still to be done, and whether somebody is at it.
    private var pending: [PictureInPictureMachine.Action] = []
    private var isPerforming = false
    /// Stops that the compositor has not confirmed. What it says until then is about an older start.
    private var unconfirmedStops = 0
    /// The window was told to fly back, which is a stop too.
    private var isLanding = false
    /// Counts the starts.
    private var attempt = 0
    private var startsWhenPossible = false
    private var facts: (any DispatchSourceTimer)?
    private var watchers: [UInt64: (PictureInPictureController) -> Void] = [:]
    private var nextWatcher: UInt64 = 0
    private let logger = Logger(label: "pip")

    /// How long a restore handler may take, nanoseconds.
    static let restorePatience = DispatchTimeInterval.seconds(5)

    /// nil when Picture-in-Picture is not supported.
    public convenience init?(playerLayer: PlayerLayer) {
        guard Self.isPictureInPictureSupported() else { return nil }
        let authority = getenv("XAUTHORITY").map { String(cString: $0) } ?? ""
        let display = getenv("DISPLAY").map { String(cString: $0) } ?? ""
        self.init(playerLayer: playerLayer, surface: .x11(display: display, authority: authority))
    }

    /// One whose window is nowhere: the compositor takes the frames in time and shows them to nobody (`--vo=null`).
    package static func headless(playerLayer: PlayerLayer) -> PictureInPictureController {
        PictureInPictureController(playerLayer: playerLayer, surface: .headless)
    }

    package init(playerLayer: PlayerLayer, surface: ClientMessage.Surface) {
        self.playerLayer = playerLayer
        session = RemoteSession(router: playerLayer.router)
        let relay = Relay(self)
        session.open(surface) { event in DispatchQueue.main.async { MainActor.assumeIsolated { relay.controller?.heard(event) } } }
        automatic = AutomaticStarter(self)
        layerObservation = playerLayer.observe { DispatchQueue.main.async { MainActor.assumeIsolated { relay.controller?.reconsider() } } }
    }

    deinit { session.close() }

    /// Lets closures reach the controller without keeping it.
    @MainActor private final class Relay: Sendable {
        weak var controller: PictureInPictureController?
        init(_ controller: PictureInPictureController) { self.controller = controller }
    }

    // MARK: what a program asks

    /// Opens the window. The outcome is heard by the delegate.
    public func startPictureInPicture() {
        requestedAt = MonotonicTime.now
        perform(machine.handle(.start(isPossible: isPictureInPicturePossible)))
    }

    /// Starts now, or as soon as it is possible: for a program that begins in Picture-in-Picture.
    public func startPictureInPictureWhenPossible() {
        if isPictureInPicturePossible { startPictureInPicture() } else { startsWhenPossible = true }
    }

    /// Asks the program to bring its interface back and then closes the window, as the restore button does.
    public func stopPictureInPicture() {
        startsWhenPossible = false
        requestedAt = MonotonicTime.now
        perform(machine.handle(.stop))
    }

    /// Closes the window without asking and pauses, as the close button does.
    public func closePictureInPicture() {
        requestedAt = MonotonicTime.now
        perform(machine.handle(.close))
    }

    /// Calls `watcher` after every change of ``isPictureInPictureActive`` and ``isPictureInPicturePossible``.
    @discardableResult
    public func watch(_ watcher: @escaping (PictureInPictureController) -> Void) -> UInt64 {
        defer { nextWatcher += 1 }
        watchers[nextWatcher] = watcher
        return nextWatcher
    }

    public func removeWatcher(_ number: UInt64) { watchers[number] = nil }

    private func changed() {
        automatic?.look()
        for watcher in watchers.values { watcher(self) }
    }

    // MARK: what the compositor says

    private func heard(_ event: CompositorLink.Event) {
        if unconfirmedStops > 0 {
            switch event {
            case .stopped:
                unconfirmedStops -= 1
                return
            case .granted, .shown, .startFailed, .replaced, .action: return
            case .opened, .unavailable, .lost: unconfirmedStops = 0
            case .renderSize, .settings: break
            }
        }
        switch event {
        case .opened:
            isAvailable = true
            unavailableReason = nil
            reconsider()
        case .unavailable(let reason):
            isAvailable = false
            unavailableReason = reason
            reconsider()
            perform(machine.handle(.failed(reason)))
        case .granted: perform(machine.handle(.granted))
        case .shown(let frame):
            let isStart = if case .starting = machine.state { true } else { false }
            perform(machine.handle(.shown))
            if isStart { record(.toPictureInPicture, frame) }
        case .startFailed(let reason): perform(machine.handle(.failed(reason)))
        case .stopped: if machine.state != .idle { perform(machine.handle(.windowGone)) }
        case .replaced: perform(machine.handle(.replaced))
        case .action(let action): act(action)
        case .settings: automatic?.look()
        case .renderSize: break
        case .lost:
            isAvailable = false
            unavailableReason = "the compositor was lost"
            reconsider()
            if machine.state != .idle { record(.lost, playerLayer.router.current?.id ?? 0) }
            perform(machine.handle(.lost))
            // One that dies again and again is given a rest, not up.
            let rest: DispatchTimeInterval = CompositorLink.shared.isHopeless ? .seconds(10) : .seconds(0)
            DispatchQueue.main.asyncAfter(deadline: .now() + rest) { CompositorLink.shared.reconnect() }
        }
    }

    private func act(_ action: ServerMessage.Action) {
        guard let player = playerLayer.player else { return }
        switch action {
        case .restore: stopPictureInPicture()
        case .close: closePictureInPicture()
        case .playPause: player.rate == 0 ? player.play() : player.pause()
        case .skip(let time):
            let target = (player.currentTime().nanoseconds ?? 0) + time
            player.seek(to: MediaTime(nanoseconds: max(0, target)))
        case .volume(let thousandths):
            let felt = Float(min(thousandths, 1300)) / 1000
            (player.volume, player.isMuted) = (felt * felt * felt, false)
        case .mute: player.isMuted.toggle()
        case .seek(let target): player.seek(to: MediaTime(nanoseconds: max(0, target)))
        }
        tellFacts()
    }

    /// Looks again at whether a start is possible.
    private func reconsider() {
        let hasPicture = playerLayer.isReadyForDisplay && playerLayer.player?.currentItem?.hasVideo == true
        isPictureInPicturePossible = isAvailable && hasPicture
        if isPictureInPicturePossible, startsWhenPossible {
            startsWhenPossible = false
            startPictureInPicture()
        }
        automatic?.look()
        if machine.state != .idle, !mayShowPicture { perform(machine.handle(.sourceGone)) }
    }

    /// False where it is certain that there is no picture (any more). An item that is still being opened may have one.
    private var mayShowPicture: Bool {
        guard let item = playerLayer.player?.currentItem else { return false }
        return item.status == .unknown || (item.status == .readyToPlay && item.hasVideo)
    }

    // MARK: what is done

    /// Performs actions in order. A delegate that asks for something in the middle of it is served when the rest is done.
    private func perform(_ actions: [PictureInPictureMachine.Action]) {
        pending += actions
        guard !isPerforming else { return }
        isPerforming = true
        defer { isPerforming = false }
        while !pending.isEmpty { perform(pending.removeFirst()) }
    }

    private func perform(_ action: PictureInPictureMachine.Action) {
        switch action {
        case .requestWindow:
            attempt += 1
            watchStart(attempt)
            session.send { .requestStart(session: $0) }
        case .callWillStart: delegate?.pictureInPictureControllerWillStartPictureInPicture(self)
        case .openWindow:
            tellFacts()
            if !session.openWindow() { perform(machine.handle(.failed("there is no frame to show, or the compositor does not take it"))) }
        case .leaveLayer: playerLayer.router.completeHandover()
        case .setActive(let active):
            isPictureInPictureActive = active
            watchFacts(active)
        case .callDidStart: delegate?.pictureInPictureControllerDidStartPictureInPicture(self)
        case .callFailed(let reason):
            delegate?.pictureInPictureController(
                self, failedToStartPictureInPictureWithError: PlaybackError(.pictureInPictureStartFailed, reason))
        case .callRestore(let question): askRestore(question)
        case .pausePlayer: playerLayer.player?.pause()
        case .callWillStop(let reason):
            stopReason = reason
            delegate?.pictureInPictureControllerWillStopPictureInPicture(self)
        case .returnToLayer:
            let wasRemote = playerLayer.router.destination == .remote
            // The user's last answer decides: a window that is closed, or gone, does not fly.
            let flies = stopReason == .restored && session.land()
            isLanding = flies
            if !flies { session.returnToLayer() }
            if wasRemote { record(.toLayer, playerLayer.router.current?.id ?? 0) }
        case .closeWindow:
            let isSent = isLanding || session.send { .stop(session: $0) }
            isLanding = false
            if isSent { unconfirmedStops += 1 }
        case .callDidStop: delegate?.pictureInPictureControllerDidStopPictureInPicture(self)
        case .note(let text): logger.notice("\(text)")
        }
    }

    /// A start that does not come to an end has failed.
    private func watchStart(_ number: Int) {
        let relay = Relay(self)
        DispatchQueue.main.asyncAfter(deadline: .now() + Self.restorePatience) {
            MainActor.assumeIsolated {
                guard let controller = relay.controller, controller.attempt == number else { return }
                switch controller.machine.state {
                case .requesting, .starting: controller.perform(controller.machine.handle(.failed("the window did not appear within 5 s")))
                case .idle, .active, .restoring: break
                }
            }
        }
    }

    private func askRestore(_ question: Int) {
        let relay = Relay(self)
        let answer: @Sendable (Bool) -> Void = { restored in
            DispatchQueue.main.async {
                MainActor.assumeIsolated {
                    guard let controller = relay.controller else { return }
                    controller.perform(controller.machine.handle(.restoreAnswered(question: question, restored)))
                }
            }
        }
        DispatchQueue.main.asyncAfter(deadline: .now() + Self.restorePatience) {
            MainActor.assumeIsolated {
                guard let controller = relay.controller, controller.machine.state == .restoring(question: question) else { return }
                controller.logger.warning("the restore handler was not called within 5 s: treated as false")
                controller.perform(controller.machine.handle(.restoreAnswered(question: question, false)))
            }
        }
        if let delegate {
            delegate.pictureInPictureController(self, restoreUserInterfaceForPictureInPictureStopWithCompletionHandler: answer)
        } else {
            answer(false)
        }
    }

    private func record(_ direction: PlaybackStatistics.Handoff.Direction, _ frame: UInt64) {
        playerLayer.player?.record(PlaybackStatistics.Handoff(
            direction: direction, requested: Double(requestedAt) / 1e9, completed: Double(MonotonicTime.now) / 1e9, frame: frame))
    }

    /// Tells the controls of the window what they show, twice a second while it is there.
    private func watchFacts(_ on: Bool) {
        facts?.cancel()
        facts = nil
        guard on else { return }
        let relay = Relay(self)
        let timer = DispatchSource.makeTimerSource(queue: .main)
        timer.schedule(deadline: .now() + .milliseconds(500), repeating: .milliseconds(500), leeway: .milliseconds(100))
        timer.setEventHandler { MainActor.assumeIsolated { relay.controller?.tellFacts() } }
        timer.resume()
        facts = timer
    }

    private func tellFacts() {
        guard let player = playerLayer.player else { return }
        let facts = PlaybackFacts(
            isPaused: player.rate == 0, position: player.currentTime().nanoseconds ?? 0,
            duration: player.currentItem?.duration.nanoseconds ?? 0)
        session.send { .playback(session: $0, facts) }
        let sound = SoundFacts(volume: UInt16(min(1300, (cbrtf(max(0, player.volume)) * 1000).rounded())), isMuted: player.isMuted)
        session.tell(sound)
    }
}
