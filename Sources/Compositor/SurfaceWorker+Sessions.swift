import CompositorProtocol
import SharedFrames
import SystemCalls
import WireFormat

/// The handling of commands, user input and timers for the sessions of a location.
extension SurfaceWorker {
    func handle(_ command: SurfaceCommand) throws(MalformedMessage) {
        switch command {
        case .open(let handle, let surface, let descriptors, let version):
            try open(handle, surface, descriptors, version)
        case .message(let handle, let message, let descriptors): try receive(message, descriptors, handle)
        case .frames(let handle, let end):
            guard let session = sessions[handle] else { return }
            send(try session.takeFrames(upTo: end), of: handle)
            if session.opening.isPending { try showFirst(handle, session) }
        case .start(let handle, let origin, let isOnAllWorkspaces):
            guard let session = sessions[handle] else { return refuseStart(handle) }
            let neighbours = sessions.compactMap { $0.value === session ? nil : $0.value.surface.frame }
            session.start(FloatingOpening(origin: origin, isOnAllWorkspaces: isOnAllWorkspaces, neighbours: neighbours))
            // The ring may hold newer frames than the waiting one.
            report(.needsFrames(handle))
        case .cancelStart(let handle): sessions[handle]?.stop()
        case .setSuspended(let handle, let isSuspended, let reason):
            guard let session = sessions[handle] else { return }
            guard isSuspended, session.opening.awaitsShown else { return session.setSuspended(isSuspended) }
            session.stop()
            refuseStart(handle, reason)
            report(.windowClosed(handle))
        case .takeAway(let handle): if let session = sessions[handle] { takeAway(handle, session) }
        case .close(let handle): remove(handle)
        }
    }

    /// Opens a window with the newest frame that has arrived.
    private func showFirst(_ handle: SessionHandle, _ session: PiPSession) throws(MalformedMessage) {
        session.opening.attempts += 1
        let takesAny = session.opening.attempts >= Self.openingAttempts || isUsedUp(handle)
        let (messages, isDone) = try session.openNext(whateverCame: takesAny)
        send(messages, of: handle)
        if !isDone { report(.needsFrames(handle)) }
    }

    /// The number of attempts to open a window with the newest frame. The last attempt shows the frame at hand, because
    /// a program may send frames faster than they are drawn.
    private static let openingAttempts = 4

    private func open(
        _ handle: SessionHandle, _ surface: ClientMessage.Surface, _ descriptors: [SharedDescriptor], _ version: UInt16
    ) throws(MalformedMessage) {
        let made: any FloatingSurface
        do throws(SurfaceFailure) {
            made = try makeSurface(surface, descriptors)
        } catch {
            switch error {
            case .breach(let message): throw message
            case .unusable(let reason): return lose(handle, reason)
            }
        }
        sessions[handle] = try PiPSession(number: handle.key.session, surface: made, descriptors: descriptors)
        versions[handle] = version
        report(.message(handle, .sessionOpened(session: handle.key.session)))
    }

    private func receive(
        _ message: ClientMessage, _ descriptors: [SharedDescriptor], _ handle: SessionHandle
    ) throws(MalformedMessage) {
        let session = sessions[handle]
        switch message {
        case .slot(_, let slot): try session?.add(slot: slot, descriptor: descriptors[0])
        case .dropSlot(_, let slot): session?.drop(slot: slot)
        case .format(_, let name, let format): try session?.set(format: name, format)
        case .playback(_, let facts): session?.set(facts)
        case .sound(_, let sound): session?.set(sound)
        case .overlay(_, let shape): session?.set(try SharedOverlay(shape, descriptor: descriptors[0]))
        case .clearOverlay: session?.set(nil)
        case .setLinear(_, let isLinear): session?.set(isLinear: isLinear)
        case .buffering(_, let isBuffering): session?.set(isBuffering: isBuffering)
        case .requestStart:
            guard let session else { return refuseStart(handle) }
            // A new request ends a return animation that is still running.
            if session.surface.isLanding { stop(handle, session) }
            report(.startRequested(handle))
        case .stop: stopAsAsked(handle)
        case .land(_, let place):
            guard let session, let outcomes = session.beginReturn(to: place) else { return stopAsAsked(handle) }
            try perform(outcomes, handle, session)
        // `placeChanged` needs no handling: terminal surfaces read their cells in each turn. The main thread handles
        // the other messages.
        default: break
        }
    }

    /// Closes the window and answers `stop`; also answers an unfinished `land`.
    private func stopAsAsked(_ handle: SessionHandle) {
        if let session = sessions[handle], session.surface.isLanding { stop(handle, session) }
        sessions[handle]?.stop()
        send([.stopped(session: handle.key.session)], of: handle)
        report(.windowClosed(handle))
    }

    private func stop(_ handle: SessionHandle, _ session: PiPSession) {
        session.stop()
        send([.stopped(session: session.number)], of: handle)
        report(.windowClosed(handle))
    }

    /// Closes a window that its program did not close in time.
    private func takeAway(_ handle: SessionHandle, _ session: PiPSession) {
        // During the return animation the program has already sent `land`, which `stopped` answers.
        let isAnswer = session.surface.isLanding || versions[handle, default: 0] < ProtocolVersion.linear
        session.stop()
        send([isAnswer ? .stopped(session: session.number) : .removed(session: session.number)], of: handle)
    }

    private func lose(_ handle: SessionHandle, _ reason: String) {
        remove(handle)
        send([.sessionFailed(session: handle.key.session, reason: reason)], of: handle)
        report(.sessionLost(handle))
    }

    private func refuseStart(_ handle: SessionHandle, _ reason: String = "the session is not open") {
        send([.startFailed(session: handle.key.session, reason: reason)], of: handle)
    }

    func perform(
        _ outcomes: [FloatingOutcome], _ handle: SessionHandle, _ session: PiPSession
    ) throws(MalformedMessage) {
        for outcome in outcomes {
            let now = MonotonicTime.now
            switch outcome {
            case .action(let action):
                if action == .close, session.closesAt == nil { session.closesAt = now + Self.closePatience }
                send([.action(session: session.number, action)], of: handle)
            case .exposed: send(session.exposed(), of: handle)
            case .resized(let size):
                let message = ServerMessage.renderSize(
                    session: session.number, width: UInt32(size.width), height: UInt32(size.height))
                send([message], of: handle)
            case .needsRedraw: session.redraw()
            case .landed:
                session.land(now: now)
                if session.isDone(now: now) { stop(handle, session) }
            case .shown(let frame): send(session.noteShown(frame, now: now), of: handle)
            case .lost(let reason): lose(handle, reason)
            }
        }
    }

    /// Nanoseconds that a program has to close its window when the user has pressed the close button.
    private static let closePatience: Int64 = 1_000_000_000

    /// Shows late frames, advances animations, and closes windows whose programs did not close them in time.
    func advance(now: Int64) {
        for (handle, session) in sessions where session.surface.isOpen {
            attempt(for: handle) { () throws(MalformedMessage) in
                if !isUsedUp(handle) { send(try session.showNext(now: now), of: handle) }
                if let closesAt = session.closesAt, now >= closesAt {
                    logger.notice("closed the window of a program that did not respond to its close button")
                    takeAway(handle, session)
                    return report(.windowClosed(handle))
                }
                if session.hasLanded {
                    if session.isDone(now: now) { stop(handle, session) }
                    return
                }
                try perform(session.surface.tick(now: now), handle, session)
            }
        }
    }

    /// Redraws the windows whose controls, size or overlay changed in this turn; each window once.
    func redraw(now: Int64) {
        for (handle, session) in sessions where session.needsRedraw && !isUsedUp(handle) {
            attempt(for: handle) { () throws(MalformedMessage) in send(try session.drawPending(now: now), of: handle) }
        }
    }
}
