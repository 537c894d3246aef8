import CompositorProtocol
import SharedFrames
import SystemCalls
import WireFormat

/// The handling of commands, user input and timers for the sessions of one display.
extension SurfaceWorker {
    /// Carries out a command of the main thread.
    func handle(_ command: SurfaceCommand) throws(MalformedMessage) {
        switch command {
        case .open(let handle, let surface, let descriptors, let version):
            try open(handle, surface, descriptors, version)
        case .message(let handle, let message, let descriptors): try receive(message, descriptors, handle)
        case .readFrames(let handle, let ringLength):
            guard let session = sessions[handle] else { return }
            send(try session.readFrames(upTo: ringLength), of: handle)
            if session.opening.isPending { try showFirstFrame(handle, session) }
        case .start(let handle, let startRect, let isOnAllWorkspaces):
            guard let session = sessions[handle] else { return refuseStart(handle) }
            let otherWindows = sessions.compactMap { $0.value === session ? nil : $0.value.surface.frame }
            session.start(
                SurfaceOpenRequest(
                    startRect: startRect, isOnAllWorkspaces: isOnAllWorkspaces, otherWindows: otherWindows))
            // The frame ring may hold newer frames than the frame that waits for the window.
            report(.needsFrames(handle))
        case .cancelStart(let handle): sessions[handle]?.stop()
        case .setSuspended(let handle, let isSuspended, let reason):
            guard let session = sessions[handle] else { return }
            guard isSuspended, session.opening.awaitsFirstFrame else { return session.setSuspended(isSuspended) }
            session.stop()
            refuseStart(handle, reason)
            report(.windowClosed(handle))
        case .removeWindow(let handle): if let session = sessions[handle] { removeWindow(handle, session) }
        case .close(let handle): remove(handle)
        }
    }

    /// Opens a window with the newest frame that has arrived.
    private func showFirstFrame(_ handle: SessionHandle, _ session: PiPSession) throws(MalformedMessage) {
        session.opening.attemptCount += 1
        let acceptsOutdatedFrame = session.opening.attemptCount >= Self.openingAttemptLimit || isBudgetUsedUp(handle)
        let (messages, isDone) = try session.openWithNextFrame(acceptsOutdatedFrame: acceptsOutdatedFrame)
        send(messages, of: handle)
        if !isDone { report(.needsFrames(handle)) }
    }

    /// The number of attempts to open a window with the newest frame. The last attempt shows the frame that it has
    /// read, even if a newer frame has arrived, because a program may send frames faster than they are drawn.
    private static let openingAttemptLimit = 4

    /// Creates a session and its surface.
    private func open(
        _ handle: SessionHandle, _ surface: ClientMessage.Surface, _ descriptors: [SharedDescriptor], _ version: UInt16
    ) throws(MalformedMessage) {
        let createdSurface: any FloatingSurface
        do throws(SurfaceFailure) {
            createdSurface = try makeSurface(surface, descriptors)
        } catch {
            switch error {
            case .protocolViolation(let message): throw message
            case .unusable(let reason): return endSession(handle, reason)
            }
        }
        sessions[handle] = try PiPSession(number: handle.key.session, surface: createdSurface, descriptors: descriptors)
        protocolVersions[handle] = version
        report(.message(handle, .sessionOpened(session: handle.key.session)))
    }

    /// Handles a message of a session's program.
    private func receive(
        _ message: ClientMessage, _ descriptors: [SharedDescriptor], _ handle: SessionHandle
    ) throws(MalformedMessage) {
        let session = sessions[handle]
        switch message {
        case .addSlot(_, let slot): try session?.add(slot: slot, descriptor: descriptors[0])
        case .removeSlot(_, let slot): session?.drop(slot: slot)
        case .format(_, let number, let format): try session?.set(format: number, format)
        case .playback(_, let state): session?.set(state)
        case .audioState(_, let audio): session?.set(audio)
        case .overlay(_, let shape): session?.set(try SharedOverlay(shape, descriptor: descriptors[0]))
        case .overlayText(_, let text): session?.set(overlayText: text)
        case .clearOverlay: session?.set(nil)
        case .setRequiresLinearPlayback(_, let isRequired): session?.set(requiresLinearPlayback: isRequired)
        case .loaded(_, let position): session?.set(loadedUntil: position)
        case .buffering(_, let isBuffering): session?.set(isBuffering: isBuffering)
        case .requestStart:
            guard let session else { return refuseStart(handle) }
            // A new request ends a return animation that is still running.
            if session.surface.isReturning { stop(handle, session) }
            report(.startRequested(handle))
        case .stop: stopOnRequest(handle)
        case .stopAnimated(_, let rect):
            guard let session, let events = session.beginReturnAnimation(to: rect) else {
                return stopOnRequest(handle)
            }
            try perform(events, handle, session)
        // `terminalCellsChanged` needs no handling: terminal surfaces read which cells they may use in each iteration
        // of the thread's loop. The main thread handles the other messages.
        default: break
        }
    }

    /// Closes the window and answers the message `stop`. Also answers an earlier message `stopAnimated`, which started
    /// a return animation that still runs.
    private func stopOnRequest(_ handle: SessionHandle) {
        if let session = sessions[handle], session.surface.isReturning { stop(handle, session) }
        sessions[handle]?.stop()
        send([.stopped(session: handle.key.session)], of: handle)
        report(.windowClosed(handle))
    }

    /// Closes the window and notifies the program and the main thread.
    private func stop(_ handle: SessionHandle, _ session: PiPSession) {
        session.stop()
        send([.stopped(session: session.number)], of: handle)
        report(.windowClosed(handle))
    }

    /// Closes a window whose program did not close it in time, and notifies the program.
    private func removeWindow(_ handle: SessionHandle, _ session: PiPSession) {
        // During the return animation the program has already sent `stopAnimated`, which `stopped` answers.
        let answersStop =
            session.surface.isReturning || protocolVersions[handle, default: 0] < ProtocolVersion.linearPlayback
        session.stop()
        send([answersStop ? .stopped(session: session.number) : .removed(session: session.number)], of: handle)
    }

    /// Ends a session whose surface cannot be used.
    private func endSession(_ handle: SessionHandle, _ reason: String) {
        remove(handle)
        send([.sessionFailed(session: handle.key.session, reason: reason)], of: handle)
        report(.sessionLost(handle))
    }

    /// Notifies the program that its window cannot open.
    private func refuseStart(_ handle: SessionHandle, _ reason: String = "the session is not open") {
        send([.startFailed(session: handle.key.session, reason: reason)], of: handle)
    }

    /// Handles the events of a session's surface.
    func perform(
        _ events: [SurfaceEvent], _ handle: SessionHandle, _ session: PiPSession
    ) throws(MalformedMessage) {
        for event in events {
            let now = MonotonicTime.now
            switch event {
            case .action(let action):
                if action == .close, session.closeDeadline == nil { session.closeDeadline = now + Self.closeTimeout }
                send([.action(session: session.number, action)], of: handle)
            case .exposed: send(session.surfaceDidBecomeVisible(), of: handle)
            case .resized(let size):
                let message = ServerMessage.renderSize(
                    session: session.number, width: UInt32(size.width), height: UInt32(size.height))
                send([message], of: handle)
            case .needsRedraw: session.redraw()
            case .returnAnimationFinished:
                session.markReturnAnimationFinished(now: now)
                if session.canClose(now: now) { stop(handle, session) }
            case .shown(let frame): send(session.didShow(frame, now: now), of: handle)
            case .lost(let reason): endSession(handle, reason)
            }
        }
    }

    /// Nanoseconds that a program has to close its window when the user has pressed the close button.
    private static let closeTimeout: Int64 = 1_000_000_000

    /// Shows late frames, advances animations, and closes windows whose programs did not close them in time.
    func advanceSessions(now: Int64) {
        for (handle, session) in sessions where session.surface.isOpen {
            attempt(for: handle) { () throws(MalformedMessage) in
                if !isBudgetUsedUp(handle) { send(try session.showNextLateFrame(now: now), of: handle) }
                if let closeDeadline = session.closeDeadline, now >= closeDeadline {
                    logger.notice("closed the window of a program that did not respond to its close button")
                    removeWindow(handle, session)
                    return report(.windowClosed(handle))
                }
                if session.isReturnAnimationFinished {
                    if session.canClose(now: now) { stop(handle, session) }
                    return
                }
                try perform(session.surface.tick(now: now), handle, session)
            }
        }
    }

    /// Redraws the windows whose controls, size or overlay changed in this iteration of the thread's loop; each window
    /// once.
    func redrawSessions(now: Int64) {
        for (handle, session) in sessions where session.needsRedraw && !isBudgetUsedUp(handle) {
            attempt(for: handle) { () throws(MalformedMessage) in
                send(try session.redrawIfNeeded(now: now), of: handle)
            }
        }
    }
}
