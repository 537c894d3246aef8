import CompositorProtocol
import SharedFrames
import SwiftPlay
import SystemCalls

/// A controller's session with the compositor. Any thread; what must not wait for the main queue (the compositor's death, the
/// controller's end) is done here.
final class RemoteSession: Sendable {
    private struct State {
        var number: UInt32?
        var picture: RemotePicture?
        var isClosed = false
    }

    private let router: FrameRouter
    private let state = Monitor(State())

    init(router: FrameRouter) { self.router = router }

    func open(_ surface: ClientMessage.Surface, handler: @escaping @Sendable (CompositorLink.Event) -> Void) {
        let number = CompositorLink.shared.openSession(surface: surface) { [weak self] event in
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
            if let picture = state.withLock({ $0.picture.take() }) { router.returnToLayer(from: picture) }
        case .stopped: returnToLayer()
        case .renderSize(let width, let height): router.setRemoteSize(PixelSize(width: width, height: height))
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

    /// Feeds the window, with the frame on screen first.
    func openWindow() -> Bool {
        let (picture, number) = state.withLock { ($0.picture, $0.number) }
        guard let picture, let number else { return false }
        let origin = picture.knowsFlights ? router.pictureOnScreen : nil
        guard router.beginHandover(to: picture) else { return false }
        return CompositorLink.shared.send(origin.map { .startFrom(session: number, origin: $0) } ?? .start(session: number))
    }

    /// Shows the picture at the layer again and lets the window fly there; frames go to both until it has `stopped`.
    ///
    /// - Returns: false when there is nothing to fly to: nothing was done then.
    func land() -> Bool {
        let (picture, number) = state.withLock { ($0.picture, $0.number) }
        guard let picture, let number, picture.knowsFlights, let place = router.beginReturn(from: picture) else { return false }
        guard CompositorLink.shared.send(.land(session: number, place: place)) else {
            router.returnToLayer(from: picture)
            return false
        }
        return true
    }

    func returnToLayer() {
        if let picture = state.withLock({ $0.picture }) { router.returnToLayer(from: picture) }
    }

    /// For good: the window goes, the layer is fed, nothing is told any more.
    func close() {
        let number = state.withLock { state in
            state.isClosed = true
            return state.number.take()
        }
        returnToLayer()
        if let number { CompositorLink.shared.closeSession(number) }
    }
}
