import SharedFrames
import SystemCalls
import VideoOutput

/// The picture's way to the floating window and back.
extension FrameRouter {
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

    /// The part of the layer's place that its picture covers; nil while there is none.
    package var pictureInLayer: PixelRect? {
        let (output, format) = state.withLock { ($0.layer.output, $0.plan.current?.format) }
        return format.flatMap { output?.overlayPlace(for: $0)?.picture }
    }

    /// Where on the screen the layer's picture is seen; nil where it is not.
    package var pictureOnScreen: PixelRect? {
        let (output, format) = state.withLock { ($0.layer.output, $0.plan.current?.format) }
        return format.flatMap { output?.pictureOnScreen($0) }
    }

    /// Shows the current frame at the layer and feeds both places, while the floating window flies back. Returns at
    /// once.
    ///
    /// - Parameters:
    ///   - place: where on the screen the layer's picture is seen, see ``pictureOnScreen``.
    ///   - completion: called once, on any thread, when the layer's display has drawn the frame, or at
    ///     ``cancelReturn(_:)``. Never called when nothing was changed.
    /// - Returns: the number of the return; nil when nothing was changed: there is no layer or no frame, or frames do
    ///   not go to `remote` alone.
    package func beginReturn(
        from remote: RemotePicture, to place: PixelRect, completion: @escaping @Sendable () -> Void
    ) -> Int? {
        let (ticket, older) = change { state -> (Int?, PendingReturn?) in
            guard state.floating.remote === remote, state.plan.route.destination == .remote,
                state.layer.output != nil, state.plan.current != nil
            else { return (nil, nil) }
            let older = state.takeReturn()
            state.plan.route = PresentationPlan.Route(destination: .both, isReturning: true)
            // It lands in this size.
            state.floating.size = place.size
            state.plan.refreshOverlay()
            let ticket = state.drawAtLayer()
            state.floating.pendingReturn = PendingReturn(ticket: ticket, endsHandover: false, completion: completion)
            return (ticket, older)
        }
        older?.completion()
        return ticket
    }

    /// Sets the size of the floating window.
    package func setRemoteSize(_ size: PixelSize) {
        change { state in
            state.floating.size = size
            state.plan.refreshOverlay()
        }
    }

    /// The new place has shown a frame: the layer is not fed any longer.
    package func completeHandover() {
        change { state in
            guard state.plan.route.destination == .both, !state.plan.route.isReturning else { return }
            state.plan.route = PresentationPlan.Route(destination: .remote)
            state.plan.showPlaceholder(state.layer.placeholder)
        }
    }

    /// Feeds `remote` in another router's stead, which shows its own frame at its layer again.
    ///
    /// - Returns: false when there is no frame to go on with, or the compositor does not take it.
    package func takeOver(_ remote: RemotePicture, from old: FrameRouter) -> Bool {
        let (wasComplete, size) = old.state.withLock { ($0.plan.route.destination == .remote, $0.floating.size) }
        // Frames of the old router would be seen among this one's.
        old.returnToLayer(from: remote, feedsBoth: false) {}
        // What lay over the old frames does not lie over these.
        remote.show(nil)
        guard beginHandover(to: remote) else { return false }
        if let size { setRemoteSize(size) }
        if wasComplete { completeHandover() }
        return true
    }

    /// Shows the current frame at the layer and feeds it again. Returns at once.
    ///
    /// - Parameters:
    ///   - remote: nothing is changed unless frames go there now.
    ///   - feedsBoth: `remote` receives frames, too, until the layer's display has drawn one.
    ///   - completion: called once, on any thread, when the layer's display has drawn the frame, or at
    ///     ``cancelReturn(_:)``; before this method returns where the layer need not draw.
    /// - Returns: the number of the return; nil where the layer need not draw.
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

    /// Ends a return whose picture the layer's display does not draw in time: frames go to the layer alone, unless the
    /// floating window flies back. Calls the completion of the return, if it was not called before.
    ///
    /// - Parameter number: from ``beginReturn(from:to:completion:)`` or
    ///   ``returnToLayer(from:feedsBoth:completion:)``.
    package func cancelReturn(_ number: Int) {
        let pending = change { $0.floating.pendingReturn?.ticket == number ? $0.takeReturn() : nil }
        pending?.completion()
    }

    /// The picture has flown away from over the layer's placeholder.
    package func settlePlaceholder() {
        let output = state.withLock { $0.plan.route.destination == .remote ? $0.layer.output : nil }
        output?.settlePlaceholder()
    }
}
