import SharedFrames
import SystemCalls
import VideoOutput

/// Moves of the picture to the floating window of Picture-in-Picture and back.
extension FrameRouter {
    /// Starts to send frames to the floating window, in addition to the layer, beginning with the current frame and its
    /// overlay (subtitles).
    ///
    /// - Parameters:
    ///   - frameSink: The floating window's frame sink.
    ///   - size: The size at which the picture is shown until the floating window reports its size; nil for no overlay
    ///     until then.
    /// - Returns: false if there is no current frame, or the compositor does not accept the frame.
    package func beginHandover(to frameSink: RemoteFrameSink, from size: PixelSize? = nil) -> Bool {
        let (overlays, frame) = state.withLock { ($0.overlays, $0.plan.currentFrame) }
        let destinations = FrameDestinations(
            route: PresentationPlan.Route(), frameSink: frameSink, floatingWindowSize: size,
            overlays: overlays)
        // Draw the overlay before taking the lock, because drawing takes long and the presenter needs the lock.
        let overlay = frame.flatMap { destinations.floatingWindowOverlay(over: $0) }
        // Send the messages about the frame's memory before taking the lock, for the same reason.
        if let frame { frameSink.prepare(frame) }
        let (hasBegun, replacedReturn) = changeState { state -> (Bool, PendingReturn?) in
            guard let currentFrame = state.plan.currentFrame, frameSink.push(currentFrame, due: MonotonicTime.now)
            else { return (false, nil) }
            let replacedReturn = state.takePendingReturn()
            state.floatingWindow.frameSink = frameSink
            state.floatingWindow.size = size
            state.plan.route = PresentationPlan.Route(destination: .both)
            frameSink.clearOverlay()
            frameSink.show(overlay)
            if frame !== currentFrame { state.plan.refreshOverlay() }
            return (true, replacedReturn)
        }
        replacedReturn?.completion()
        return hasBegun
    }

    /// The part of the layer's output that the picture covers; nil without a picture.
    package var pictureRectInLayer: PixelRect? {
        let (output, format) = state.withLock { ($0.layer.output, $0.plan.currentFrame?.format) }
        return format.flatMap { output?.overlayGeometry(for: $0)?.pictureRect }
    }

    /// The screen rectangle of the layer's picture; nil if it is not visible.
    package var pictureRectOnScreen: PixelRect? {
        let (output, format) = state.withLock { ($0.layer.output, $0.plan.currentFrame?.format) }
        return format.flatMap { output?.pictureRectOnScreen($0) }
    }

    /// Shows the current frame at the layer, and sends frames to both the layer and the floating window during the
    /// return animation. Returns immediately.
    ///
    /// - Parameters:
    ///   - frameSink: The floating window's frame sink.
    ///   - layerRect: The screen rectangle of the layer's picture, see ``pictureRectOnScreen``.
    ///   - completion: Called once, on any thread, when the layer's output has drawn the frame, or by
    ///     ``cancelReturn(_:)``. Not called if this method returns nil.
    /// - Returns: A number that identifies this return for ``cancelReturn(_:)``; nil, without effect, if there is no
    ///   layer output or frame, or if frames do not go to `frameSink` alone.
    package func beginReturn(
        from frameSink: RemoteFrameSink, to layerRect: PixelRect, completion: @escaping @Sendable () -> Void
    ) -> Int? {
        let (drawWaitNumber, replacedReturn) = changeState { state -> (Int?, PendingReturn?) in
            guard state.floatingWindow.frameSink === frameSink, state.plan.route.destination == .remote,
                state.layer.output != nil, state.plan.currentFrame != nil
            else { return (nil, nil) }
            let replacedReturn = state.takePendingReturn()
            state.plan.route = PresentationPlan.Route(destination: .both, isReturning: true)
            // The floating window has the size of `layerRect` at the end of the return animation.
            state.floatingWindow.size = layerRect.size
            state.plan.refreshOverlay()
            let drawWaitNumber = state.drawAtLayer()
            state.floatingWindow.pendingReturn = PendingReturn(
                drawWaitNumber: drawWaitNumber, endsHandover: false, completion: completion)
            return (drawWaitNumber, replacedReturn)
        }
        replacedReturn?.completion()
        return drawWaitNumber
    }

    /// Sets the size of the floating window in pixels.
    package func setRemoteSize(_ size: PixelSize) {
        changeState { state in
            state.floatingWindow.size = size
            state.plan.refreshOverlay()
        }
    }

    /// Stops sending frames to the layer. Called after the floating window has shown a frame.
    package func completeHandover() {
        changeState { state in
            guard state.plan.route.destination == .both, !state.plan.route.isReturning else { return }
            state.plan.route = PresentationPlan.Route(destination: .remote)
            state.plan.showPlaceholder(state.layer.placeholder)
        }
    }

    /// Sends this router's frames to a floating window that another router has used. That router shows its frame at its
    /// own layer again.
    ///
    /// - Parameters:
    ///   - frameSink: The floating window's frame sink.
    ///   - otherRouter: The router that has sent frames to `frameSink`.
    /// - Returns: false if there is no current frame, or the compositor does not accept the frame.
    package func takeOver(_ frameSink: RemoteFrameSink, from otherRouter: FrameRouter) -> Bool {
        let (wasHandoverComplete, size) = otherRouter.state.withLock {
            ($0.plan.route.destination == .remote, $0.floatingWindow.size)
        }
        // Detach the old router first: otherwise its frames would appear between frames of this router.
        otherRouter.returnToLayer(from: frameSink, sendsToBoth: false) {}
        // Remove the overlay (subtitles) of the old router's frames.
        frameSink.show(nil)
        guard beginHandover(to: frameSink) else { return false }
        if let size { setRemoteSize(size) }
        if wasHandoverComplete { completeHandover() }
        return true
    }

    /// Shows the current frame at the layer and sends frames there again. Returns immediately.
    ///
    /// - Parameters:
    ///   - frameSink: The floating window's frame sink. If frames go to another window, the route of frames does not
    ///     change.
    ///   - sendsToBoth: Whether `frameSink` also receives frames until the layer's output has drawn a frame.
    ///   - completion: Called once, on any thread, when the layer's output has drawn the frame, or by
    ///     ``cancelReturn(_:)``. If the layer need not draw, called before this method returns.
    /// - Returns: A number that identifies this return for ``cancelReturn(_:)``; nil if the layer need not draw.
    @discardableResult
    package func returnToLayer(
        from frameSink: RemoteFrameSink, sendsToBoth: Bool = true, completion: @escaping @Sendable () -> Void
    ) -> Int? {
        let (drawWaitNumber, replacedReturn) = changeState { state -> (Int?, PendingReturn?) in
            guard state.floatingWindow.frameSink === frameSink else { return (nil, nil) }
            let replacedReturn = state.takePendingReturn()
            let needsFrame = state.layer.output != nil && state.plan.route.destination == .remote
            guard needsFrame else {
                state.endHandover()
                return (nil, replacedReturn)
            }
            if sendsToBoth, state.plan.currentFrame != nil {
                state.plan.route = PresentationPlan.Route(destination: .both, isReturning: true)
            } else {
                state.endHandover()
            }
            let drawWaitNumber = state.drawAtLayer()
            state.floatingWindow.pendingReturn = PendingReturn(
                drawWaitNumber: drawWaitNumber, endsHandover: true, completion: completion)
            return (drawWaitNumber, replacedReturn)
        }
        replacedReturn?.completion()
        if drawWaitNumber == nil { completion() }
        return drawWaitNumber
    }

    /// Ends a return of the picture to the layer if the layer's output does not draw the frame in time. Frames go to
    /// the layer alone, unless the return animation still runs. Calls the return's completion if it is pending.
    ///
    /// - Parameter number: The result of ``beginReturn(from:to:completion:)`` or
    ///   ``returnToLayer(from:sendsToBoth:completion:)``.
    package func cancelReturn(_ number: Int) {
        let pendingReturn = changeState {
            $0.floatingWindow.pendingReturn?.drawWaitNumber == number ? $0.takePendingReturn() : nil
        }
        pendingReturn?.completion()
    }

    /// Releases the memory of the layer's placeholder after the picture has moved to the floating window.
    package func releasePlaceholder() {
        let output = state.withLock { $0.plan.route.destination == .remote ? $0.layer.output : nil }
        output?.releasePlaceholder()
    }
}
