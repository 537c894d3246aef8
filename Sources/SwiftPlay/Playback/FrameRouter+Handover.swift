import SharedFrames
import SystemCalls
import VideoOutput

/// The picture's way to the floating window and back.
extension FrameRouter {
    /// How long a return waits for the layer's picture, nanoseconds: a display server that has stopped never shows it.
    static let returnPatience: Int64 = 250_000_000

    /// Begins to feed `remote` too, with the frame on screen first, and what lies over it.
    ///
    /// - Parameter size: in which the picture is seen until the floating window has said its own; nil: nothing lies
    ///   over it until then.
    /// - Returns: false when there is no frame to begin with, or the compositor does not take it.
    package func beginHandover(to remote: RemotePicture, from size: PixelSize? = nil) -> Bool {
        let (overlays, first) = state.withLock { ($0.overlays, $0.plan.current) }
        let places = Places(route: PresentationPlan.Route(), remote: remote, remoteSize: size, overlays: overlays)
        // Drawn before the lock is taken.
        let overlay = first.flatMap { places.remoteOverlay(over: $0) }
        return change { state in
            guard let current = state.plan.current, remote.push(current, due: MonotonicTime.now) else { return false }
            state.remote = remote
            state.remoteSize = size
            state.plan.route = PresentationPlan.Route(destination: .both)
            remote.forgetOverlay()
            remote.show(overlay)
            if first !== current { state.plan.refreshOverlay() }
            return true
        }
    }

    /// The part of the layer's place that its picture covers; nil while there is none.
    package var pictureInLayer: PixelRect? {
        let (output, format) = state.withLock { ($0.output, $0.plan.current?.format) }
        return format.flatMap { output?.overlayPlace(for: $0)?.picture }
    }

    /// Where on the screen the layer's picture is seen; nil where it is not.
    package var pictureOnScreen: PixelRect? {
        let (output, format) = state.withLock { ($0.output, $0.plan.current?.format) }
        return format.flatMap { output?.pictureOnScreen($0) }
    }

    /// Shows the current frame at the layer and feeds both places, while the floating window flies back. Returns when
    /// it is on screen there, or after ``returnPatience``.
    ///
    /// - Returns: where on the screen the picture is seen; nil when nothing was changed: it is not on screen, or
    ///   frames do not go to `remote`.
    package func beginReturn(from remote: RemotePicture) -> PixelRect? {
        guard let output = self.output, let place = pictureOnScreen else { return nil }
        let ticket = change { state -> Int? in
            guard state.remote === remote, state.plan.route.destination == .remote, state.output === output,
                state.plan.current != nil
            else { return nil }
            state.plan.route = PresentationPlan.Route(destination: .both, isReturning: true)
            // It lands in this size.
            state.remoteSize = place.size
            state.plan.refreshOverlay()
            state.plan.redraw(.restored, placeholder: nil)
            return state.plan.requestFinish()
        }
        guard let ticket else { return nil }
        waitUntilFinished(ticket)
        return place
    }

    private func waitUntilFinished(_ ticket: Int) {
        _ = state.wait(until: MonotonicTime.now + Self.returnPatience) { $0.plan.isFinished(ticket) ? true : nil }
    }

    /// Sets the size of the floating window.
    package func setRemoteSize(_ size: PixelSize) {
        change { state in
            state.remoteSize = size
            state.plan.refreshOverlay()
        }
    }

    /// The new place has shown a frame: the layer is not fed any longer.
    package func completeHandover() {
        change { state in
            guard state.plan.route.destination == .both else { return }
            state.plan.route = PresentationPlan.Route(destination: .remote)
            state.plan.showPlaceholder(state.placeholder)
        }
    }

    /// Feeds `remote` in another router's stead, which shows its own frame at its layer again.
    ///
    /// - Returns: false when there is no frame to go on with, or the compositor does not take it.
    package func takeOver(_ remote: RemotePicture, from old: FrameRouter) -> Bool {
        let (wasComplete, size) = old.state.withLock { ($0.plan.route.destination == .remote, $0.remoteSize) }
        old.returnToLayer(from: remote)
        // What lay over the old frames does not lie over these.
        remote.show(nil)
        guard beginHandover(to: remote) else { return false }
        if let size { setRemoteSize(size) }
        if wasComplete { completeHandover() }
        return true
    }

    /// Shows the current frame at the layer and feeds it again. Returns when it is on screen there, or after
    /// ``returnPatience``.
    ///
    /// - Parameter remote: does nothing unless frames go there now.
    package func returnToLayer(from remote: RemotePicture) {
        let ticket = change { state -> Int? in
            guard state.remote === remote else { return nil }
            let needsFrame = state.plan.route.destination == .remote
            state.plan.route = PresentationPlan.Route()
            state.remote = nil
            guard state.output != nil, needsFrame else { return nil }
            if state.plan.current != nil {
                state.plan.redraw(.restored, placeholder: nil)
            } else {
                state.plan.showPlaceholder(nil)
            }
            return state.plan.requestFinish()
        }
        if let ticket { waitUntilFinished(ticket) }
    }

    /// The picture has flown away from over the layer's placeholder.
    package func settlePlaceholder() {
        let output = state.withLock { $0.plan.route.destination == .remote ? $0.output : nil }
        output?.settlePlaceholder()
    }
}
