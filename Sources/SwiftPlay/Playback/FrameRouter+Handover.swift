import SharedFrames
import SystemCalls
import VideoOutput

/// Handoffs of the picture to the floating window and back.
extension FrameRouter {
    /// Starts to send frames to `remote` too, beginning with the current frame and its overlay.
    ///
    /// - Parameters:
    ///   - remote: The floating window's frame sink.
    ///   - size: The size at which the picture is shown until the floating window reports its own; nil for no overlay
    ///     until then.
    /// - Returns: false if there is no current frame, or the compositor does not accept it.
    package func beginHandover(to remote: RemotePicture, from size: PixelSize? = nil) -> Bool {
        let (overlays, first) = state.withLock { ($0.overlays, $0.plan.current) }
        let places = Places(route: PresentationPlan.Route(), remote: remote, remoteSize: size, overlays: overlays)
        // Draw before taking the lock.
        let overlay = first.flatMap { places.remoteOverlay(over: $0) }
        let (isBegun, older) = change { state -> (Bool, PendingReturn?) in
            guard let current = state.plan.current, remote.push(current, due: MonotonicTime.now)
            else { return (false, nil) }
            let older = state.takeReturn()
            state.floating.remote = remote
            state.floating.size = size
            state.plan.route = PresentationPlan.Route(destination: .both)
            remote.forgetOverlay()
            remote.show(overlay)
            if first !== current { state.plan.refreshOverlay() }
            return (true, older)
        }
        older?.completion()
        return isBegun
    }

    /// The part of the layer's output that the picture covers; nil without a picture.
    package var pictureInLayer: PixelRect? {
        let (output, format) = state.withLock { ($0.layer.output, $0.plan.current?.format) }
        return format.flatMap { output?.overlayPlace(for: $0)?.picture }
    }

    /// The screen rectangle of the layer's picture; nil if it is not visible.
    package var pictureOnScreen: PixelRect? {
        let (output, format) = state.withLock { ($0.layer.output, $0.plan.current?.format) }
        return format.flatMap { output?.pictureOnScreen($0) }
    }

    /// Shows the current frame at the layer and sends frames to both places during the return animation. Returns
    /// immediately.
    ///
    /// - Parameters:
    ///   - remote: The floating window's frame sink.
    ///   - place: The screen rectangle of the layer's picture, see ``pictureOnScreen``.
    ///   - completion: Called once, on any thread, when the layer's display has drawn the frame, or by
    ///     ``cancelReturn(_:)``. Not called if this method returns nil.
    /// - Returns: The number of the return; nil without effect if there is no layer or frame, or frames do not go to
    ///   `remote` alone.
    package func beginReturn(
        from remote: RemotePicture, to place: PixelRect, completion: @escaping @Sendable () -> Void
    ) -> Int? {
        let (ticket, older) = change { state -> (Int?, PendingReturn?) in
            guard state.floating.remote === remote, state.plan.route.destination == .remote,
                state.layer.output != nil, state.plan.current != nil
            else { return (nil, nil) }
            let older = state.takeReturn()
            state.plan.route = PresentationPlan.Route(destination: .both, isReturning: true)
            // The floating window has this size at the end of the return animation.
            state.floating.size = place.size
            state.plan.refreshOverlay()
            let ticket = state.drawAtLayer()
            state.floating.pendingReturn = PendingReturn(ticket: ticket, endsHandover: false, completion: completion)
            return (ticket, older)
        }
        older?.completion()
        return ticket
    }

    /// Sets the size of the floating window in pixels.
    package func setRemoteSize(_ size: PixelSize) {
        change { state in
            state.floating.size = size
            state.plan.refreshOverlay()
        }
    }

    /// Stops sending frames to the layer once the new place has shown a frame.
    package func completeHandover() {
        change { state in
            guard state.plan.route.destination == .both, !state.plan.route.isReturning else { return }
            state.plan.route = PresentationPlan.Route(destination: .remote)
            state.plan.showPlaceholder(state.layer.placeholder)
        }
    }

    /// Sends this router's frames to `remote` instead of another router's, which shows its frame at its own layer
    /// again.
    ///
    /// - Parameters:
    ///   - remote: The floating window's frame sink.
    ///   - old: The router that has sent frames to `remote`.
    /// - Returns: false if there is no current frame, or the compositor does not accept it.
    package func takeOver(_ remote: RemotePicture, from old: FrameRouter) -> Bool {
        let (wasComplete, size) = old.state.withLock { ($0.plan.route.destination == .remote, $0.floating.size) }
        // Detach the old router first: its frames would appear between the new ones.
        old.returnToLayer(from: remote, feedsBoth: false) {}
        // Remove the old frames' overlay.
        remote.show(nil)
        guard beginHandover(to: remote) else { return false }
        if let size { setRemoteSize(size) }
        if wasComplete { completeHandover() }
        return true
    }

    /// Shows the current frame at the layer and sends frames there again. Returns immediately.
    ///
    /// - Parameters:
    ///   - remote: The floating window's frame sink. If frames go elsewhere, the route does not change.
    ///   - feedsBoth: Whether `remote` also receives frames until the layer's display has drawn one.
    ///   - completion: Called once, on any thread, when the layer's display has drawn the frame, or by
    ///     ``cancelReturn(_:)``. If the layer need not draw, called before this method returns.
    /// - Returns: The number of the return; nil if the layer need not draw.
    @discardableResult
    package func returnToLayer(
        from remote: RemotePicture, feedsBoth: Bool = true, completion: @escaping @Sendable () -> Void
    ) -> Int? {
        let (ticket, older) = change { state -> (Int?, PendingReturn?) in
            guard state.floating.remote === remote else { return (nil, nil) }
            let older = state.takeReturn()
            let needsFrame = state.layer.output != nil && state.plan.route.destination == .remote
            guard needsFrame else {
                state.endHandover()
                return (nil, older)
            }
            if feedsBoth, state.plan.current != nil {
                state.plan.route = PresentationPlan.Route(destination: .both, isReturning: true)
            } else {
                state.endHandover()
            }
            let ticket = state.drawAtLayer()
            state.floating.pendingReturn = PendingReturn(ticket: ticket, endsHandover: true, completion: completion)
            return (ticket, older)
        }
        older?.completion()
        if ticket == nil { completion() }
        return ticket
    }

    /// Ends a return whose frame the layer's display does not draw in time. Frames go to the layer alone, unless the
    /// return animation still runs. Calls the return's completion if it is pending.
    ///
    /// - Parameter number: The result of ``beginReturn(from:to:completion:)`` or
    ///   ``returnToLayer(from:feedsBoth:completion:)``.
    package func cancelReturn(_ number: Int) {
        let pending = change { $0.floating.pendingReturn?.ticket == number ? $0.takeReturn() : nil }
        pending?.completion()
    }

    /// Completes the layer's placeholder after the picture has moved to the floating window.
    package func settlePlaceholder() {
        let output = state.withLock { $0.plan.route.destination == .remote ? $0.layer.output : nil }
        output?.settlePlaceholder()
    }
}
