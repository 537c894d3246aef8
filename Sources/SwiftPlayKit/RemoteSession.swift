import CompositorProtocol
import Dispatch
import SharedFrames
import SwiftPlay
import SystemCalls
import VideoOutput

/// A controller's session with the compositor. Any thread. It handles what must not wait for the main queue: the loss
/// of the compositor and the end of the controller.
final class RemoteSession: Sendable {
    private struct State {
        var number: UInt32?
        var picture: RemotePicture?
        /// The router whose frames the window will show.
        var router: FrameRouter?
        /// The router whose frames the window shows.
        var fed: FrameRouter?
        var isClosed = false
        /// Whether the picture is in a corner of the terminal.
        var isInTerminal = false
        var terminal: (any CornerOutput)?
        /// The size of the picture for which the corner was created.
        var cornerPicture: PixelSize?
        /// The last return of the picture to the layer.
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

    /// Handles an event, on the connection's thread.
    private func take(_ event: CompositorLink.Event) -> Bool {
        switch event {
        case .opened(let picture): state.withLock { $0.picture = picture }
        case .lost, .unavailable:
            // The frames return at once, without waiting for the main queue.
            let (picture, router) = state.withLock { ($0.picture.take(), $0.fed.take()) }
            if let picture { returnToLayer(router, from: picture, feedsBoth: false) }
        // The window has flown back or is closed.
        case .stopped, .removed: returnToLayer(feedsBoth: false)
        case .renderSize(let width, let height):
            state.withLock { $0.fed }?.setRemoteSize(PixelSize(width: width, height: height))
        default: break
        }
        return !state.withLock { $0.isClosed }
    }

    /// Returns false if there is no connection to the compositor.
    @discardableResult
    func send(_ message: (UInt32) -> ClientMessage) -> Bool {
        guard let number = state.withLock({ $0.number }) else { return false }
        return CompositorLink.shared.send(message(number))
    }

    /// Sends the state of the volume control, if the compositor has one.
    func tell(_ sound: SoundFacts) {
        guard let picture = state.withLock({ $0.picture }), picture.knowsSound else { return }
        send { .sound(session: $0, sound) }
    }

    /// Sends whether the player is buffering, if the compositor shows that.
    func tell(isBuffering: Bool) {
        guard let picture = state.withLock({ $0.picture }), picture.knowsBuffering else { return }
        send { .buffering(session: $0, isBuffering) }
    }

    /// Sets the router whose frames are shown.
    ///
    /// - Parameter goesOn: Whether an open window shows its frames; otherwise the window is about to close and keeps
    ///   its router.
    /// - Returns: False if the new router has no frame.
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

    /// Sends frames to the window, the frame on screen first.
    ///
    /// - Returns: The reason of a failure; nil on success.
    func openWindow() -> String? {
        let refused = "there is no frame to show, or the compositor does not take it"
        let (picture, number, router) = state.withLock { ($0.picture, $0.number, $0.router) }
        guard let picture, let number, let router else { return refused }
        let origin = picture.knowsFlights ? router.pictureOnScreen : nil
        if let reason = openCorner(of: router) { return reason }
        state.withLock { $0.fed = router }
        // Pictures in a terminal have no overlay.
        let size = state.withLock({ $0.isInTerminal }) ? nil : router.pictureInLayer?.size
        guard router.beginHandover(to: picture, from: size) else {
            state.withLock { $0.fed = nil }
            closeCorner()?.settle()
            return refused
        }
        return CompositorLink.shared.send(
            origin.map { .startFrom(session: number, origin: $0) } ?? .start(session: number)) ? nil : refused
    }

    /// Stops sending frames to the layer, because the window shows them.
    func leaveLayer() {
        guard let router = state.withLock({ $0.fed }) else { return }
        router.completeHandover()
        DispatchQueue.global(qos: .utility).asyncAfter(deadline: .now() + Self.flightTime) { [weak router] in
            router?.settlePlaceholder()
        }
    }

    /// The longest time that a window flies away from the layer.
    private static let flightTime = DispatchTimeInterval.milliseconds(1500)

    /// Whether frames are sent to the window, also while it flies back.
    var isFed: Bool { state.withLock { $0.fed } != nil }

    /// Whether frames are sent to the window only.
    var hasLeftLayer: Bool { state.withLock { $0.fed }?.destination == .remote }

    /// Shows the picture at the layer, then lets the window fly there. Both receive frames until the compositor reports
    /// `stopped`.
    ///
    /// - Returns: The return after which the window flies; nil, without an effect, if there is no place to fly to.
    func land() -> PictureReturn? {
        let (picture, number, router) = state.withLock { ($0.picture, $0.number, $0.fed) }
        guard let picture, let number, let router, picture.knowsFlights, let place = router.pictureOnScreen
        else { return nil }
        let landing = PictureReturn()
        landing.notify { [weak self] in
            // If the compositor was lost, its window is gone.
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
    /// - Parameter feedsBoth: Whether the window receives frames until the layer's display has drawn one.
    /// - Returns: The return; an earlier one if it has not ended, or an ended one if there was nothing to do.
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
        // The corner is closed first, so that the picture covers the whole terminal at once.
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

    /// The time limit for the layer's display, since a stopped display server never draws the picture.
    private static let returnPatience = DispatchTimeInterval.milliseconds(250)

    /// Ends a return at the deadline if the layer's display has not drawn the picture.
    private func limit(_ pending: PictureReturn, _ ticket: Int, of router: FrameRouter) {
        DispatchQueue.global(qos: .userInitiated).asyncAfter(deadline: .now() + Self.returnPatience) { [weak router] in
            router?.cancelReturn(ticket)
            pending.end()
        }
    }

    // MARK: Corner of a terminal

    /// Whether the display, or the terminal for the corner, is open.
    var hasPlace: Bool {
        let (isInTerminal, terminal, router) = state.withLock { ($0.isInTerminal, $0.terminal, $0.router) }
        return !isInTerminal || terminal != nil || router?.output?.cornerOutput != nil
    }

    /// Reserves the corner of a terminal for the compositor.
    ///
    /// - Returns: The reason of a failure; nil on success.
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

    /// Adapts the corner to the shape of the current picture.
    func fitCorner() {
        let router: FrameRouter? = state.withLock { state in
            guard let terminal = state.terminal, let size = state.fed?.current?.format.displaySize,
                size != state.cornerPicture,
                openCorner(of: terminal, for: size)
            else { return nil }
            state.cornerPicture = size
            return state.fed
        }
        // Redraws the rest of the terminal.
        router?.redraw()
    }

    private func closeCorner() -> (any CornerOutput)? {
        let terminal = state.withLock { $0.terminal.take() }
        terminal?.closeCorner()
        return terminal
    }

    /// Ends the session: closes the window and sends frames to the layer. No handler is called any more.
    func close() {
        let number = state.withLock { state in
            state.isClosed = true
            return state.number.take()
        }
        guard let number else { return }
        returnToLayer().notify { CompositorLink.shared.closeSession(number) }
    }
}
