import CompositorProtocol
import Dispatch
import SharedFrames
import SwiftPlay
import SystemCalls
import VideoOutput

/// A controller's session with the compositor. Any thread; what must not wait for the main queue (the compositor's
/// death, the controller's end) is done here.
final class RemoteSession: Sendable {
    private struct State {
        var number: UInt32?
        var picture: RemotePicture?
        /// Whose frames go to the window when it opens.
        var router: FrameRouter?
        /// Whose frames go there now.
        var fed: FrameRouter?
        var isClosed = false
        /// Its picture is in a corner of a terminal: of this one, while it is there.
        var isInTerminal = false
        var terminal: (any CornerOutput)?
        /// The size that the corner was made for.
        var cornerPicture: PixelSize?
        /// The last return of the picture to its layer.
        var lastReturn: PictureReturn?
    }

    private let state = Monitor(State())

    func open(
        _ surface: ClientMessage.Surface, descriptors: [SharedDescriptor] = [],
        handler: @escaping @Sendable (CompositorLink.Event) -> Void
    ) {
        if case .terminal = surface { state.withLock { $0.isInTerminal = true } }
        let number = CompositorLink.shared.openSession(surface: surface, descriptors: descriptors) {
            [weak self] event in
            guard let self, self.take(event) else { return }
            handler(event)
        }
        state.withLock { $0.number = number }
    }

    /// On the connection's thread.
    private func take(_ event: CompositorLink.Event) -> Bool {
        switch event {
        case .opened(let picture): state.withLock { $0.picture = picture }
        case .lost, .unavailable:
            // The frames come back at once, whatever the main queue is doing.
            let (picture, router) = state.withLock { ($0.picture.take(), $0.fed.take()) }
            if let picture { returnToLayer(router, from: picture, feedsBoth: false) }
        // It has flown back, or is gone.
        case .stopped, .removed: returnToLayer(feedsBoth: false)
        case .renderSize(let width, let height):
            state.withLock { $0.fed }?.setRemoteSize(PixelSize(width: width, height: height))
        default: break
        }
        return !state.withLock { $0.isClosed }
    }

    /// False when the compositor is not there.
    @discardableResult
    func send(_ message: (UInt32) -> ClientMessage) -> Bool {
        guard let number = state.withLock({ $0.number }) else { return false }
        return CompositorLink.shared.send(message(number))
    }

    /// What the volume control shows; a compositor without one is not told.
    func tell(_ sound: SoundFacts) {
        guard let picture = state.withLock({ $0.picture }), picture.knowsSound else { return }
        send { .sound(session: $0, sound) }
    }

    /// Whether the player waits for media; an older compositor is not told.
    func tell(isBuffering: Bool) {
        guard let picture = state.withLock({ $0.picture }), picture.knowsBuffering else { return }
        send { .buffering(session: $0, isBuffering) }
    }

    /// Frames come from another router from now on.
    ///
    /// - Parameter goesOn: the window that is open shows them too; else it is about to close, and what feeds it now
    ///   still has it.
    /// - Returns: false when the new router has nothing to go on with.
    func setRouter(_ new: FrameRouter?, goesOn: Bool) -> Bool {
        let change: (picture: RemotePicture, old: FrameRouter)? = state.withLock { state in
            state.router = new
            guard goesOn, let picture = state.picture, let old = state.fed, old !== new else { return nil }
            state.fed = new
            return (picture, old)
        }
        guard let change else { return true }
        return new?.takeOver(change.picture, from: change.old) ?? false
    }

    /// Feeds the window, with the frame on screen first.
    ///
    /// - Returns: why it cannot, in words; nil when it does.
    func openWindow() -> String? {
        let refused = "there is no frame to show, or the compositor does not take it"
        let (picture, number, router) = state.withLock { ($0.picture, $0.number, $0.router) }
        guard let picture, let number, let router else { return refused }
        let origin = picture.knowsFlights ? router.pictureOnScreen : nil
        if let reason = openCorner(of: router) { return reason }
        state.withLock { $0.fed = router }
        // Over a picture in a terminal lies nothing.
        let size = state.withLock({ $0.isInTerminal }) ? nil : router.pictureInLayer?.size
        guard router.beginHandover(to: picture, from: size) else {
            state.withLock { $0.fed = nil }
            closeCorner()?.settle()
            return refused
        }
        return CompositorLink.shared.send(
            origin.map { .startFrom(session: number, origin: $0) } ?? .start(session: number)) ? nil : refused
    }

    /// The window shows what it is fed: the layer need not.
    func leaveLayer() {
        guard let router = state.withLock({ $0.fed }) else { return }
        router.completeHandover()
        DispatchQueue.global(qos: .utility).asyncAfter(deadline: .now() + Self.flightTime) { [weak router] in
            router?.settlePlaceholder()
        }
    }

    /// A picture that flies away is gone from over the layer by then, if it takes its time.
    private static let flightTime = DispatchTimeInterval.milliseconds(1500)

    /// Frames go to the window, be it on its way back.
    var isFed: Bool { state.withLock { $0.fed } != nil }

    /// Frames go to the window alone.
    var hasLeftLayer: Bool { state.withLock { $0.fed }?.destination == .remote }

    /// Shows the picture at the layer and then lets the window fly there; frames go to both until the compositor says
    /// `stopped`.
    ///
    /// - Returns: the return after which the window flies; nil when there is no place to fly to: nothing was done then.
    func land() -> PictureReturn? {
        let (picture, number, router) = state.withLock { ($0.picture, $0.number, $0.fed) }
        guard let picture, let number, let router, picture.knowsFlights, let place = router.pictureOnScreen
        else { return nil }
        let landing = PictureReturn()
        landing.notify { [weak self] in
            // A compositor that was lost took its window along.
            guard let self, self.state.withLock({ $0.picture === picture && $0.number == number }) else { return }
            CompositorLink.shared.send(.land(session: number, place: place))
        }
        guard let ticket = router.beginReturn(from: picture, to: place, completion: { landing.end() })
        else { return nil }
        state.withLock { $0.lastReturn = landing }
        limit(landing, ticket, of: router)
        return landing
    }

    /// Shows the picture at the layer.
    ///
    /// - Parameter feedsBoth: the window receives frames, too, until the layer's display has drawn one.
    /// - Returns: the return, which is over where nothing had to be done; an earlier one that is not over, otherwise.
    @discardableResult
    func returnToLayer(feedsBoth: Bool = true) -> PictureReturn {
        let (picture, router, last) = state.withLock { ($0.picture, $0.fed.take(), $0.lastReturn) }
        guard let picture, let router else {
            if picture != nil { closeCorner()?.settle() }
            return last ?? .over
        }
        return returnToLayer(router, from: picture, feedsBoth: feedsBoth)
    }

    @discardableResult
    private func returnToLayer(
        _ router: FrameRouter?, from picture: RemotePicture, feedsBoth: Bool
    ) -> PictureReturn {
        // The picture and the corner come back in one stroke: it goes over the whole of the terminal.
        let terminal = closeCorner(), new = PictureReturn()
        new.notify { terminal?.settle() }
        guard let router else {
            new.end()
            return new
        }
        state.withLock { $0.lastReturn = new }
        let ticket = router.returnToLayer(from: picture, feedsBoth: feedsBoth) { new.end() }
        if let ticket { limit(new, ticket, of: router) }
        return new
    }

    /// How long the layer's display may take for the picture: a display server that has stopped never draws it.
    private static let returnPatience = DispatchTimeInterval.milliseconds(250)

    /// Ends a return at the deadline, if the layer's display has not drawn the picture by then.
    private func limit(_ pending: PictureReturn, _ ticket: Int, of router: FrameRouter) {
        DispatchQueue.global(qos: .userInitiated).asyncAfter(deadline: .now() + Self.returnPatience) { [weak router] in
            router?.cancelReturn(ticket)
            pending.end()
        }
    }

    // MARK: the corner of a terminal

    /// False while the terminal that is to have the corner is not open yet.
    var hasPlace: Bool {
        let (isInTerminal, terminal, router) = state.withLock { ($0.isInTerminal, $0.terminal, $0.router) }
        return !isInTerminal || terminal != nil || router?.output?.cornerOutput != nil
    }

    /// Leaves a corner to the compositor where the picture is to be in one.
    ///
    /// - Returns: why there is none, in words.
    private func openCorner(of router: FrameRouter) -> String? {
        guard state.withLock({ $0.isInTerminal }) else { return nil }
        guard let terminal = router.output?.cornerOutput, let format = router.current?.format else {
            return "there is no picture in the terminal"
        }
        guard openCorner(of: terminal, for: format.displaySize) else {
            return "the terminal is too small for a picture in a corner of it"
        }
        state.withLock { ($0.terminal, $0.cornerPicture) = (terminal, format.displaySize) }
        return nil
    }

    private func openCorner(of terminal: any CornerOutput, for picture: PixelSize) -> Bool {
        terminal.openCorner(for: picture) { [weak self] in self?.send { .placeChanged(session: $0) } }
    }

    /// Gives the corner the shape of the picture that is in it now: another item may have another.
    func fitCorner() {
        let router: FrameRouter? = state.withLock { state in
            guard let terminal = state.terminal, let size = state.fed?.current?.format.displaySize,
                size != state.cornerPicture,
                openCorner(of: terminal, for: size)
            else { return nil }
            state.cornerPicture = size
            return state.fed
        }
        // What is written beside it.
        router?.redraw()
    }

    private func closeCorner() -> (any CornerOutput)? {
        let terminal = state.withLock { $0.terminal.take() }
        terminal?.closeCorner()
        return terminal
    }

    /// For good: the window goes, the layer is fed, nothing is told any more.
    func close() {
        let number = state.withLock { state in
            state.isClosed = true
            return state.number.take()
        }
        guard let number else { return }
        returnToLayer().notify { CompositorLink.shared.closeSession(number) }
    }
}
