import CXCB
import SharedFrames
import SystemCalls

/// Full screen, which a window manager carries out if one is running.
extension X11Output {
    package var isFullScreen: Bool { state.withLock { $0.fullScreen.isOn } }

    package func setFullScreenMonitor(_ monitor: FullScreenTarget) {
        state.withLock { $0.fullScreen.monitor = monitor }
    }

    /// Makes the window full screen, or restores its previous frame. Has no effect in a window of another program.
    package func setFullScreen(_ isFullScreen: Bool) {
        guard !isEmbedded else { return }
        guard state.withLock({ $0.fullScreen.request(isFullScreen, now: MonotonicTime.now) }) else { return }
        // The event thread carries out the request, because it waits for the server.
        window.wake()
        onEvent(.fullScreenChanged(isFullScreen))
    }

    /// Carries out the pending change of the full-screen state. Waits for the server; call it on the event thread.
    func carryOutFullScreenRequest() {
        let pending = state.withLock { state -> (request: Bool, monitor: FullScreenTarget)? in
            guard !state.isClosed, let request = state.fullScreen.takeRequest(now: MonotonicTime.now) else {
                return nil
            }
            return (request, state.fullScreen.monitor)
        }
        guard let (request, monitor) = pending else { return }
        if !request {
            if hasWindowManager { window.requestState(false, connection.atoms.stateFullScreen) }
            restoreFrame()
        } else if let origin = window.origin, let size = window.currentSize {
            let frame = PixelRect(x: origin.x, y: origin.y, width: size.width, height: size.height)
            state.withLock { $0.fullScreen.frameBefore = frame }
            hasWindowManager ? requestFullScreen(on: monitor, from: frame) : fill(monitor, from: frame)
        }
    }

    /// Fills a monitor without a window manager.
    private func fill(_ monitor: FullScreenTarget, from frame: PixelRect) {
        window.setFrame(monitor.area(of: frame, monitors: connection.monitors))
        window.raise()
    }

    /// Requests full screen from the window manager, after moving the window to the monitor.
    private func requestFullScreen(on monitor: FullScreenTarget, from frame: PixelRect) {
        if monitor != .current, let targetFrame = monitor.placement(of: frame, monitors: connection.monitors) {
            let decorations = window.decorations ?? WindowDecorations()
            func withDecorations(_ rect: PixelRect) -> PixelRect {
                // A managed window is positioned by the corner of its frame (ICCCM 4.1.5).
                PixelRect(
                    x: rect.x - decorations.left, y: rect.y - decorations.top, width: rect.width, height: rect.height)
            }
            state.withLock { $0.fullScreen.frameBeforeMove = withDecorations(frame) }
            window.setFrame(withDecorations(targetFrame))
        }
        window.requestState(true, connection.atoms.stateFullScreen)
        requestFullScreenMonitors(monitor)
    }

    /// Requests from the window manager that full screen covers all monitors, if that is the setting. Waits for the
    /// server.
    func requestFullScreenMonitors(_ monitor: FullScreenTarget) {
        guard monitor == .all, hasWindowManager else { return }
        let edges = FullScreenTarget.outermost(of: connection.reportedMonitors.map(\.rect)).map {
            UInt32(clamping: $0)
        }
        // The last parameter means that the request comes from a normal application.
        window.sendRootMessage(connection.atoms.fullScreenMonitors, (edges[0], edges[1], edges[2], edges[3], 1))
    }

    /// Gives the window its rectangle before full screen, unless the window manager does so.
    func restoreFrame() {
        let frame = state.withLock { state in
            let movedFrame = state.fullScreen.frameBeforeMove.take()
            return hasWindowManager ? movedFrame : state.fullScreen.frameBefore ?? state.frame
        }
        if let frame { window.setFrame(frame) }
    }
}
