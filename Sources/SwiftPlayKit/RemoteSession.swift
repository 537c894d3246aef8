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

    /// Feeds the window, with the frame on screen first.
    func openWindow() -> Bool {
        let (picture, number) = state.withLock { ($0.picture, $0.number) }
        guard let picture, let number, router.beginHandover(to: picture) else { return false }
        return CompositorLink.shared.send(.start(session: number))
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
