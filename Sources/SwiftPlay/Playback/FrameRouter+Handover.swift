import SharedFrames
import SystemCalls
import VideoOutput

/// Moves of the picture to the floating window of Picture-in-Picture and back.
extension FrameRouter {
    /// Starts to send frames to the floating window, in addition to the layer, beginning with the current frame and its
    /// overlay (subtitles).
    ///
    /// - Parameters:
    ///   - remote: The floating window's frame sink.
    ///   - size: The size at which the picture is shown until the floating window reports its size; nil for no overlay
    ///     until then.
    /// - Returns: false if there is no current frame, or the compositor does not accept the frame.
    package func beginHandover(to remote: RemoteFrameSink, from size: PixelSize? = nil) -> Bool {
        let (overlays, first) = state.withLock { ($0.overlays, $0.plan.current) }
        let destinations = FrameDestinations(
            route: PresentationPlan.Route(), remote: remote, remoteSize: size, overlays: overlays)
        // Draw the overlay before taking the lock, because drawing takes long and the presenter needs the lock.
        let overlay = first.flatMap { destinations.remoteOverlay(over: $0) }
        let (isBegun, older) = change { state -> (Bool, PendingReturn?) in
            guard let current = state.plan.current, remote.push(current, due: MonotonicTime.now)
            else { return (false, nil) }
            let older = state.takePendingReturn()
            state.floating.remote = remote
            state.floating.size = size
            state.plan.route = PresentationPlan.Route(destination: .both)
            remote.clearOverlay()
            remote.show(overlay)
            if first !== current { state.plan.refreshOverlay() }
            return (true, older)
        }
        older?.completion()
        return isBegun
    }

    /// The part of the layer's output that the picture covers; nil without a picture.
    package var pictureRectInLayer: PixelRect? {
        let (output, format) = state.withLock { ($0.layer.output, $0.plan.current?.format) }
        return format.flatMap { output?.overlayGeometry(for: $0)?.pictureRect }
    }

    /// The screen rectangle of the layer's picture; nil if it is not visible.
    package var pictureRectOnScreen: PixelRect? {
        let (output, format) = state.withLock { ($0.layer.output, $0.plan.current?.format) }
        return format.flatMap { output?.pictureRectOnScreen($0) }
    }

    /// Shows the current frame at the layer, and sends frames to both the layer and the floating window during the
    /// return animation. Returns immediately.
    ///
    /// - Parameters:
    ///   - remote: The floating window's frame sink.
    ///   - layerRect: The screen rectangle of the layer's picture, see ``pictureRectOnScreen``.
    ///   - completion: Called once, on any thread, when the layer's output has drawn the frame, or by
    ///     ``cancelReturn(_:)``. Not called if this method returns nil.
    /// - Returns: A number that identifies this return for ``cancelReturn(_:)``; nil, without effect, if there is no
    ///   layer output or frame, or if frames do not go to `remote` alone.
    package func beginReturn(
        from remote: RemoteFrameSink, to layerRect: PixelRect, completion: @escaping @Sendable () -> Void
    ) -> Int? {
        let (drawWait, older) = change { state -> (Int?, PendingReturn?) in
            guard state.floating.remote === remote, state.plan.route.destination == .remote,
                state.layer.output != nil, state.plan.current != nil
            else { return (nil, nil) }
            let older = state.takePendingReturn()
            state.plan.route = PresentationPlan.Route(destination: .both, isReturning: true)
            // The floating window has the size of `layerRect` at the end of the return animation.
            state.floating.size = layerRect.size
            state.plan.refreshOverlay()
            let drawWait = state.drawAtLayer()
            state.floating.pendingReturn = PendingReturn(
                drawWaitNumber: drawWait, endsHandover: false, completion: completion)
            return (drawWait, older)
        }
        older?.completion()
        return drawWait
    }

    /// Sets the size of the floating window in pixels.
    package func setRemoteSize(_ size: PixelSize) {
        change { state in
            state.floating.size = size
            state.plan.refreshOverlay()
        }
    }

    /// Stops sending frames to the layer. Called after the floating window has shown a frame.
    package func completeHandover() {
        change { state in
            guard state.plan.route.destination == .both, !state.plan.route.isReturning else { return }
            state.plan.route = PresentationPlan.Route(destination: .remote)
            state.plan.showPlaceholder(state.layer.placeholder)
        }
    }

    /// Sends this router's frames to a floating window that another router has used. That router shows its frame at its
    /// own layer again.
    ///
    /// - Parameters:
    ///   - remote: The floating window's frame sink.
    ///   - old: The router that has sent frames to `remote`.
    /// - Returns: false if there is no current frame, or the compositor does not accept the frame.
    package func takeOver(_ remote: RemoteFrameSink, from old: FrameRouter) -> Bool {
        let (wasComplete, size) = old.state.withLock { ($0.plan.route.destination == .remote, $0.floating.size) }
        // Detach the old router first: otherwise its frames would appear between frames of this router.
        old.returnToLayer(from: remote, sendsToBoth: false) {}
        // Remove the overlay (subtitles) of the old router's frames.
        remote.show(nil)
        guard beginHandover(to: remote) else { return false }
        if let size { setRemoteSize(size) }
        if wasComplete { completeHandover() }
        return true
    }

    /// Shows the current frame at the layer and sends frames there again. Returns immediately.
    ///
    /// - Parameters:
    ///   - remote: The floating window's frame sink. If frames go to another window, the route of frames does not
    ///     change.
    ///   - sendsToBoth: Whether `remote` also receives frames until the layer's output has drawn a frame.
    ///   - completion: Called once, on any thread, when the layer's output has drawn the frame, or by
    ///     ``cancelReturn(_:)``. If the layer need not draw, called before this method returns.
    /// - Returns: A number that identifies this return for ``cancelReturn(_:)``; nil if the layer need not draw.
    @discardableResult
    package func returnToLayer(
        from remote: RemoteFrameSink, sendsToBoth: Bool = true, completion: @escaping @Sendable () -> Void
    ) -> Int? {
        let (drawWait, older) = change { state -> (Int?, PendingReturn?) in
            guard state.floating.remote === remote else { return (nil, nil) }
            let older = state.takePendingReturn()
            let needsFrame = state.layer.output != nil && state.plan.route.destination == .remote
            guard needsFrame else {
                state.endHandover()
                return (nil, older)
            }
            if sendsToBoth, state.plan.current != nil {
                state.plan.route = PresentationPlan.Route(destination: .both, isReturning: true)
            } else {
                state.endHandover()
            }
            let drawWait = state.drawAtLayer()
            state.floating.pendingReturn = PendingReturn(
                drawWaitNumber: drawWait, endsHandover: true, completion: completion)
            return (drawWait, older)
        }
        older?.completion()
        if drawWait == nil { completion() }
        return drawWait
    }

    /// Ends a return of the picture to the layer if the layer's output does not draw the frame in time. Frames go to
    /// the layer alone, unless the return animation still runs. Calls the return's completion if it is pending.
    ///
    /// - Parameter number: The result of ``beginReturn(from:to:completion:)`` or
    ///   ``returnToLayer(from:sendsToBoth:completion:)``.
    package func cancelReturn(_ number: Int) {
        let pending = change { $0.floating.pendingReturn?.drawWaitNumber == number ? $0.takePendingReturn() : nil }
        pending?.completion()
    }

    /// Releases the memory of the layer's placeholder after the picture has moved to the floating window.
    package func releasePlaceholder() {
        let output = state.withLock { $0.plan.route.destination == .remote ? $0.layer.output : nil }
        output?.releasePlaceholder()
    }
}
