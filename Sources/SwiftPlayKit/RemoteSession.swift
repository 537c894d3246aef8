import CompositorProtocol
import Dispatch
import SharedFrames
import SwiftPlay
import SystemCalls
import VideoOutput

/// The connection of a Picture-in-Picture controller's floating window to the compositor process. Safe to use from any
/// thread: the loss of the compositor and the end of the controller are handled without waiting for the main queue.
final class RemoteSession: Sendable {
    /// The state of the session with the compositor.
    private struct State {
        /// The number that identifies the session in messages; nil before the session is opened and after it has ended.
        var number: UInt32?
        /// Sends frames to the compositor; nil until the compositor has opened the session.
        var sink: RemoteFrameSink?
        /// The router that will supply the frames when the floating window opens.
        var router: FrameRouter?
        /// The router whose frames are sent to the floating window; nil while the window is closed.
        var sendingRouter: FrameRouter?
        /// Whether the controller has ended the session.
        var isClosed = false
        /// Whether the floating picture is shown in a corner of the terminal instead of a window.
        var isInTerminal = false
        /// The terminal in whose corner the compositor draws the floating picture; nil while no corner is reserved.
        var terminal: (any CornerOutput)?
        /// The size of the picture, in pixels, for which the corner of the terminal was reserved.
        var cornerPictureSize: PixelSize?
        /// The most recent return of the picture from the floating window to its layer, in progress or finished; nil
        /// before the first.
        var lastReturn: ReturnToLayer?
    }

    private let state = Monitor(State())

    /// Opens the session with the compositor. `handler` receives the events of the session, on the connection's thread
    /// or the caller's.
    func open(
        _ surface: ClientMessage.Surface, descriptors: [SharedDescriptor] = [],
        handler: @escaping @Sendable (CompositorLink.Event) -> Void
    ) {
        if case .terminal = surface { state.withLock { $0.isInTerminal = true } }
        let number = CompositorLink.shared.openSession(surface: surface, descriptors: descriptors) {
            [weak self] event in
            guard let self, self.handle(event) else { return }
            handler(event)
        }
        state.withLock { $0.number = number }
    }

    /// Handles an event of the compositor, on the connection's thread.
    ///
    /// - Returns: Whether to pass the event to the controller; false after ``close()``.
    private func handle(_ event: CompositorLink.Event) -> Bool {
        switch event {
        case .opened(let sink): state.withLock { $0.sink = sink }
        case .lost, .unavailable:
            // Send frames to the layer from this thread, because the main queue may be busy.
            let (sink, router) = state.withLock { ($0.sink.take(), $0.sendingRouter.take()) }
            if let sink { returnToLayer(router, from: sink, sendsToBoth: false) }
        // The floating window has returned to the layer or is closed.
        case .stopped, .removed: returnToLayer(sendsToBoth: false)
        case .renderSize(let width, let height):
            state.withLock { $0.sendingRouter }?.setRemoteSize(PixelSize(width: width, height: height))
        default: break
        }
        return !state.withLock { $0.isClosed }
    }

    /// Sends a message about this session to the compositor.
    ///
    /// - Parameter message: Creates the message from the number of the session.
    /// - Returns: False if there is no session or no connection to the compositor.
    @discardableResult
    func send(_ message: (UInt32) -> ClientMessage) -> Bool {
        guard let number = state.withLock({ $0.number }) else { return false }
        return CompositorLink.shared.send(message(number))
    }

    /// Sends the volume and whether the audio is muted to the compositor, if the compositor's version supports it.
    func send(_ audio: AudioState) {
        guard let sink = state.withLock({ $0.sink }), sink.supportsAudioState else { return }
        send { .audioState(session: $0, audio) }
    }

    /// Sends to the compositor whether the player is buffering, if the compositor's version supports that.
    func send(isBuffering: Bool) {
        guard let sink = state.withLock({ $0.sink }), sink.supportsBuffering else { return }
        send { .buffering(session: $0, isBuffering) }
    }

    /// Replaces the frame router, which supplies the frames that the floating window shows.
    ///
    /// - Parameters:
    ///   - newRouter: The new router; nil for none.
    ///   - windowContinues: Whether an open window continues with the frames of the new router. If false, the window is
    ///     about to close and shows the frames of the old router until then.
    /// - Returns: False if the open window cannot continue because the new router has no frame; otherwise true.
    func replaceFrameRouter(with newRouter: FrameRouter?, windowContinues: Bool) -> Bool {
        let change: (sink: RemoteFrameSink, oldRouter: FrameRouter)? = state.withLock { state in
            state.router = newRouter
            guard windowContinues, let sink = state.sink, let oldRouter = state.sendingRouter, oldRouter !== newRouter
            else { return nil }
            state.sendingRouter = newRouter
            return (sink, oldRouter)
        }
        guard let change else { return true }
        return newRouter?.takeOver(change.sink, from: change.oldRouter) ?? false
    }

    /// Requests the floating window from the compositor and sends frames to it, beginning with the frame on screen.
    ///
    /// - Returns: The reason for a failure; nil on success.
    func openWindow() -> String? {
        let refusalReason = "there is no frame to show, or the compositor rejected it"
        let (sink, number, router) = state.withLock { ($0.sink, $0.number, $0.router) }
        guard let sink, let number, let router else { return refusalReason }
        let origin = sink.supportsAnimations ? router.pictureRectOnScreen : nil
        if let reason = openTerminalCorner(of: router) { return reason }
        state.withLock { $0.sendingRouter = router }
        // In a terminal, the compositor reports the size for the overlay, such as subtitles, when the corner is open.
        let size = state.withLock({ $0.isInTerminal }) ? nil : router.pictureRectInLayer?.size
        guard router.beginHandover(to: sink, from: size) else {
            state.withLock { $0.sendingRouter = nil }
            closeTerminalCorner()?.redrawCorner()
            return refusalReason
        }
        return CompositorLink.shared.send(
            origin.map { .startAnimated(session: number, origin: $0) } ?? .start(session: number)) ? nil : refusalReason
    }

    /// Stops sending frames to the layer, because the floating window shows them.
    func stopSendingFramesToLayer() {
        guard let router = state.withLock({ $0.sendingRouter }) else { return }
        router.completeHandover()
        DispatchQueue.global(qos: .utility).asyncAfter(deadline: .now() + Self.placeholderLifetime) { [weak router] in
            router?.releasePlaceholder()
        }
    }

    /// The time for which the layer keeps the memory of its placeholder picture after the video has moved to the
    /// floating window. The animation of the floating window uncovers the placeholder and takes less time.
    private static let placeholderLifetime = DispatchTimeInterval.milliseconds(1500)

    /// Whether frames are sent to the floating window. This is also true during the animation back to the layer.
    var isSendingFramesToWindow: Bool { state.withLock { $0.sendingRouter } != nil }

    /// Whether frames are sent to the floating window only, and not to the layer.
    var sendsFramesOnlyToWindow: Bool { state.withLock { $0.sendingRouter }?.destination == .remote }

    /// Shows the picture at the layer, then lets the floating window move to the layer in an animation. The layer and
    /// the window receive frames until the compositor reports `stopped`.
    ///
    /// - Returns: The return of the picture, whose end starts the animation. If the layer is not on screen, this method
    ///   does nothing and returns nil.
    func beginReturn() -> ReturnToLayer? {
        let (sink, number, router) = state.withLock { ($0.sink, $0.number, $0.sendingRouter) }
        guard let sink, let number, let router, sink.supportsAnimations, let layerRect = router.pictureRectOnScreen
        else { return nil }
        let pictureReturn = ReturnToLayer()
        pictureReturn.notify { [weak self] in
            // If the compositor was lost in the meantime, there is no floating window to move.
            guard let self, self.state.withLock({ $0.sink === sink && $0.number == number }) else { return }
            CompositorLink.shared.send(.stopAnimated(session: number, place: layerRect))
        }
        guard let returnNumber = router.beginReturn(from: sink, to: layerRect, completion: { pictureReturn.end() })
        else { return nil }
        state.withLock { $0.lastReturn = pictureReturn }
        endAtDeadline(pictureReturn, returnNumber, of: router)
        return pictureReturn
    }

    /// Shows the picture at the layer and stops sending frames to the floating window.
    ///
    /// - Parameter sendsToBoth: Whether the floating window also receives frames until the layer's output has shown
    ///   one.
    /// - Returns: The started return of the picture. If no frames are sent to the floating window: the previous return,
    ///   or a finished return if there was none.
    @discardableResult
    func returnToLayer(sendsToBoth: Bool = true) -> ReturnToLayer {
        let (sink, router, lastReturn) = state.withLock { ($0.sink, $0.sendingRouter.take(), $0.lastReturn) }
        guard let sink, let router else {
            if sink != nil { closeTerminalCorner()?.redrawCorner() }
            return lastReturn ?? .finished
        }
        return returnToLayer(router, from: sink, sendsToBoth: sendsToBoth)
    }

    /// Shows a frame router's picture at the layer, and ends sending its frames to the floating window.
    @discardableResult
    private func returnToLayer(
        _ router: FrameRouter?, from sink: RemoteFrameSink, sendsToBoth: Bool
    ) -> ReturnToLayer {
        // Close the corner of the terminal first, so that the picture covers the whole terminal immediately.
        let terminal = closeTerminalCorner(), pictureReturn = ReturnToLayer()
        pictureReturn.notify { terminal?.redrawCorner() }
        guard let router else {
            pictureReturn.end()
            return pictureReturn
        }
        state.withLock { $0.lastReturn = pictureReturn }
        let returnNumber = router.returnToLayer(from: sink, sendsToBoth: sendsToBoth) { pictureReturn.end() }
        if let returnNumber { endAtDeadline(pictureReturn, returnNumber, of: router) }
        return pictureReturn
    }

    /// The longest time to wait until the layer's output has shown the picture. A display server that does not respond
    /// never shows it.
    private static let returnTimeout = DispatchTimeInterval.milliseconds(250)

    /// Ends a return of the picture after ``returnTimeout`` if the layer's output has not shown the picture by then.
    /// `returnNumber` is the router's number for the return.
    private func endAtDeadline(_ pictureReturn: ReturnToLayer, _ returnNumber: Int, of router: FrameRouter) {
        DispatchQueue.global(qos: .userInitiated).asyncAfter(deadline: .now() + Self.returnTimeout) { [weak router] in
            router?.cancelReturn(returnNumber)
            pictureReturn.end()
        }
    }

    // MARK: Corner of a terminal

    /// Whether a floating window can open. A corner of a terminal requires that the layer is shown in that terminal.
    var canOpenWindow: Bool {
        let (isInTerminal, terminal, router) = state.withLock { ($0.isInTerminal, $0.terminal, $0.router) }
        return !isInTerminal || terminal != nil || router?.output?.cornerOutput != nil
    }

    /// Reserves the corner of a terminal for the compositor.
    ///
    /// - Returns: The reason of a failure; nil on success.
    private func openTerminalCorner(of router: FrameRouter) -> String? {
        guard state.withLock({ $0.isInTerminal }) else { return nil }
        guard let terminal = router.output?.cornerOutput, let format = router.currentFrame?.format else {
            return "there is no picture in the terminal"
        }
        guard openTerminalCorner(of: terminal, for: format.displaySize) else {
            return "the terminal is too small for a floating picture"
        }
        state.withLock { ($0.terminal, $0.cornerPictureSize) = (terminal, format.displaySize) }
        return nil
    }

    /// Reserves the corner of a terminal for a picture of this size, in pixels; false if the terminal is too small.
    private func openTerminalCorner(of terminal: any CornerOutput, for picture: PixelSize) -> Bool {
        terminal.openCorner(for: picture) { [weak self] in self?.send { .terminalCellsChanged(session: $0) } }
    }

    /// Adapts the reserved corner of the terminal to the aspect ratio of the current picture.
    func fitTerminalCorner() {
        let router: FrameRouter? = state.withLock { state in
            guard let terminal = state.terminal, let size = state.sendingRouter?.currentFrame?.format.displaySize,
                size != state.cornerPictureSize,
                openTerminalCorner(of: terminal, for: size)
            else { return nil }
            state.cornerPictureSize = size
            return state.sendingRouter
        }
        // Redraw the terminal outside of the new corner.
        router?.redraw()
    }

    /// Closes the corner of the terminal.
    ///
    /// - Returns: The terminal, which the caller must redraw; nil if no corner was reserved.
    private func closeTerminalCorner() -> (any CornerOutput)? {
        let terminal = state.withLock { $0.terminal.take() }
        terminal?.closeCorner()
        return terminal
    }

    /// Ends the session with the compositor: sends frames to the layer and closes the floating window. The event
    /// handler is not called any more.
    func close() {
        let number = state.withLock { state in
            state.isClosed = true
            return state.number.take()
        }
        guard let number else { return }
        returnToLayer().notify { CompositorLink.shared.closeSession(number) }
    }
}
