import CompositorProtocol
import Logging
import SharedFrames
import SystemCalls
import WireFormat

/// The service for the floating windows of all programs: their Picture-in-Picture sessions, the decision which sessions
/// may have a window, and the drawing threads.
///
/// Never waits for a display. Used by the compositor's main thread.
final class WindowService: EventSource {
    /// An effect that the window service requires on a program: a message, or the end of its connection.
    enum ProgramEffect {
        /// A message must be sent to the program.
        case send(ServerMessage, client: UInt64)
        /// The program broke the protocol and must be disconnected.
        case disconnect(client: UInt64, MalformedMessage)
        /// The program must perform an action that the user requested in the session's Picture-in-Picture window, such
        /// as pause or seek.
        case action(SessionKey, ServerMessage.Action)
    }

    /// One open session, which the event loop polls for new frames.
    final class Session: EventSource {
        /// The identity of the Picture-in-Picture session.
        let handle: SessionHandle
        /// The thread that draws the session.
        let thread: SurfaceThread
        /// Reads how many frames the program has written to the session's frame ring.
        let frameRingWatcher: FrameRingWatcher
        /// The service to which the session belongs.
        private unowned let service: WindowService
        /// Whether the program was notified that the session is open.
        var isOpen = false
        /// The number of the program's `stop` and `stopAnimated` messages that are not answered yet.
        var unansweredStopCount = 0

        /// Creates the state of a session whose surface is not open yet.
        init(
            _ handle: SessionHandle, _ thread: SurfaceThread, _ frameRingWatcher: FrameRingWatcher,
            _ service: WindowService
        ) {
            (self.handle, self.thread, self.service) = (handle, thread, service)
            self.frameRingWatcher = frameRingWatcher
        }

        /// The descriptor of the event that the program signals after it adds frames.
        var entries: [Poll.Entry] { [Poll.Entry(frameRingWatcher.descriptor(now: MonotonicTime.now))] }

        /// 0 if the frame ring must be checked now; otherwise the host time at which polling of the ring's event
        /// continues after a pause. `nil` if no such time is set, or while reading the program's messages is paused.
        var deadline: Int64? {
            guard frameRingWatcher.isCheckNeeded else { return frameRingWatcher.pausedUntil }
            return service.isReadingPaused(handle.key.client) ? nil : 0
        }

        /// Lets the drawing thread read new frames. Postpones this to a later iteration of the event loop while unread
        /// messages may still announce the frame memory (slots) to which the frames refer.
        func process(_ ready: ArraySlice<Poll.Entry>, now: Int64) {
            if ready.contains(where: { $0.isReady }) { frameRingWatcher.isCheckNeeded = true }
            guard frameRingWatcher.isCheckNeeded else { return }
            let ringLength = frameRingWatcher.readRingLength(now: now)
            // Read the program's messages before the new frames: a frame may name a slot whose announcement arrived
            // after the socket was last read.
            guard service.readProgramMessages(handle.key.client), service.sessions[handle.key] === self else { return }
            frameRingWatcher.isCheckNeeded = false
            thread.mailbox.post(.readFrames(handle, upTo: ringLength))
        }
    }

    /// The largest number of sessions of all programs. Each session uses about twenty descriptors.
    static let sessionLimit = 128
    /// The largest number of sessions of one program.
    static let sessionLimitOfProgram = 16
    /// The reason, for the user, why a window cannot open during a video call.
    static let videoCallReason = "floating windows are hidden during a video call"

    /// The state machine that decides which sessions may have a window.
    var arbiter = WindowArbiter() { didSet { if arbiter != oldValue { onArbiterChange() } } }
    /// The open Picture-in-Picture sessions of all programs.
    var sessions: [SessionKey: Session] = [:]
    /// The drawing threads by the location of their surfaces.
    var threads: [SurfaceLocation: SurfaceThread] = [:]
    /// The threads that were requested to end.
    var endingThreads: [SurfaceThread] = []
    /// Whether new windows are visible on all workspaces.
    var isOnAllWorkspaces = true
    /// Whether floating windows are hidden, during a video call.
    private(set) var isSuspended = false
    /// Wakes the main thread when a drawing thread has reports.
    let reportEvent: EventDescriptor
    let logger: Logger
    /// Called on the main thread to carry out an effect on a program.
    var onProgramEffect: (ProgramEffect) -> Void = { _ in }
    /// Called on the main thread after each change of ``arbiter``.
    var onArbiterChange: () -> Void = {}
    /// Handles the pending messages of a program. Returns whether all messages were handled and the program is still
    /// connected. Called on the main thread.
    var readProgramMessages: (UInt64) -> Bool = { _ in true }
    /// The event loop, which polls the sessions.
    private let loop: EventLoop
    /// The serial number of the session that was opened last.
    private var lastSerialNumber: UInt64 = 0

    /// Creates the service without windows.
    init(loop: EventLoop, logger: Logger) throws(SystemCallError) {
        (self.loop, self.logger) = (loop, logger)
        reportEvent = try EventDescriptor()
    }

    /// Ends all drawing threads.
    deinit {
        for thread in threads.values + endingThreads { thread.interrupt() }
    }

    // MARK: Programs

    /// Handles a message about a Picture-in-Picture session; ignores all other messages.
    ///
    /// - Throws: `MalformedMessage` if the message breaks the protocol.
    func handle(_ message: ClientMessage, _ descriptors: [SharedDescriptor], from program: ProgramRegistry.Program)
        throws(MalformedMessage)
    {
        guard let sessionNumber = message.windowSessionNumber else { return }
        let key = SessionKey(client: program.id, session: sessionNumber)
        switch message {
        case .openSession(_, let surface): try open(key, surface, descriptors, program)
        case .start: start(key, from: nil)
        case .startAnimated(_, let startRect): start(key, from: startRect)
        case .closeSession: close(key)
        case .requestStart:
            guard let session = sessions[key] else { return refuseStart(key, "the session is not open") }
            session.thread.mailbox.post(.message(session.handle, message, descriptors: []))
        case .stop, .stopAnimated:
            guard let session = sessions[key] else {
                send(.stopped(session: sessionNumber), to: key)
                return perform(arbiter.releaseWindow(of: key))
            }
            session.unansweredStopCount += 1
            session.thread.mailbox.post(.message(session.handle, message, descriptors: []))
        default:
            // The session of a message may have failed, or may have been lost with its display, before the message
            // arrived: ignore such messages.
            guard let session = sessions[key] else { return }
            session.thread.mailbox.post(.message(session.handle, message, descriptors: descriptors))
        }
    }

    /// Returns whether a program has so many unfinished commands at drawing threads that the main thread must not read
    /// more of its messages.
    func isReadingPaused(_ client: UInt64) -> Bool {
        threads.values.contains { $0.mailbox.isReadingPaused(client) }
    }

    /// Closes all sessions of a disconnected program.
    func handleDisconnection(of client: UInt64) {
        for key in sessions.keys where key.client == client { close(key) }
    }

    /// Opens a session on the drawing thread of its X display, or on the thread of all other surfaces.
    private func open(
        _ key: SessionKey, _ surface: ClientMessage.Surface, _ descriptors: [SharedDescriptor],
        _ program: ProgramRegistry.Program
    ) throws(MalformedMessage) {
        guard sessions[key] == nil else { throw MalformedMessage("a session was opened twice") }
        guard sessions.keys.count(where: { $0.client == key.client }) < Self.sessionLimitOfProgram else {
            throw MalformedMessage("too many sessions")
        }
        guard sessions.count < Self.sessionLimit else {
            let reason = "too many Picture-in-Picture sessions are open"
            return send(.sessionFailed(session: key.session, reason: reason), to: key)
        }
        let frameRingWatcher = try FrameRingWatcher(descriptors), thread: SurfaceThread
        switch findThread(SurfaceLocation(surface), for: program) {
        case .found(let foundThread): thread = foundThread
        case .refused(let reason): return send(.sessionFailed(session: key.session, reason: reason), to: key)
        }
        lastSerialNumber += 1
        let handle = SessionHandle(key: key, serialNumber: lastSerialNumber)
        let session = Session(handle, thread, frameRingWatcher, self)
        sessions[key] = session
        loop.add(session, to: .frames)
        thread.mailbox.post(.open(handle, surface: surface, descriptors: descriptors, version: program.version ?? 0))
    }

    /// Ends a session at its program's request, or after its program disconnected.
    private func close(_ key: SessionKey) {
        if let session = removeSession(key) {
            session.thread.mailbox.post(.close(session.handle))
            endUnusedThreads()
        }
        perform(arbiter.releaseWindow(of: key))
    }

    /// Removes a session without notifying its drawing thread. Returns the session; `nil` if it is unknown.
    @discardableResult
    func removeSession(_ key: SessionKey) -> Session? {
        guard let session = sessions.removeValue(forKey: key) else { return nil }
        loop.remove(session)
        return session
    }

    /// Opens a session's window; `startRect` is the rectangle from which the window animates, `nil` for no animation.
    private func start(_ key: SessionKey, from startRect: PixelRect?) {
        guard let session = sessions[key], session.isOpen else { return refuseStart(key, "the session is not open") }
        guard arbiter.mayHaveWindow(key) else { return refuseStart(key, "the window was not granted") }
        guard !isSuspended else {
            session.thread.mailbox.post(.cancelStart(session.handle))
            refuseStart(key, Self.videoCallReason)
            return perform(arbiter.releaseWindow(of: key))
        }
        session.thread.mailbox.post(.start(session.handle, startRect: startRect, isOnAllWorkspaces: isOnAllWorkspaces))
    }

    /// Notifies a program that its window cannot open.
    func refuseStart(_ key: SessionKey, _ reason: String) {
        send(.startFailed(session: key.session, reason: reason), to: key)
    }

    /// Sends a message to a session's program.
    func send(_ message: ServerMessage, to key: SessionKey) { onProgramEffect(.send(message, client: key.client)) }

    // MARK: Settings and video calls

    /// Sets the largest number of floating windows at a time.
    func setWindowLimit(_ limit: Int) { arbiter.limit = limit }

    /// Hides all windows during a video call, or shows them again.
    func setSuspended(_ isSuspended: Bool) {
        self.isSuspended = isSuspended
        for session in sessions.values where session.isOpen {
            notifySuspended(session)
            session.thread.mailbox.post(.setSuspended(session.handle, isSuspended, reason: Self.videoCallReason))
        }
    }

    /// Notifies a session's program whether a video call hides floating windows.
    func notifySuspended(_ session: Session) {
        send(.suspended(session: session.handle.key.session, isSuspended), to: session.handle.key)
    }

    /// Carries out the decisions of the window arbiter.
    func perform(_ actions: [WindowArbiter.Action]) {
        for action in actions {
            switch action {
            case .grant(let key): send(.granted(session: key.session), to: key)
            case .replace(let key): send(.replaced(session: key.session), to: key)
            case .refuse(let key, let reason): refuseStart(key, reason)
            case .remove(let key):
                if let session = sessions[key] { session.thread.mailbox.post(.removeWindow(session.handle)) }
            }
        }
    }

    // MARK: Threads and time

    /// The event descriptor that drawing threads signal when they have reports.
    var entries: [Poll.Entry] { [Poll.Entry(reportEvent.raw)] }

    /// The host time of the next timeout of the window arbiter or of a drawing thread; `nil` for none.
    var deadline: Int64? {
        ([arbiter.deadline] + (threads.values + endingThreads).map(\.deadline)).compactMap { $0 }.min()
    }

    /// Handles the reports of the drawing threads, and timers that are due by `now`.
    func process(_ ready: ArraySlice<Poll.Entry>, now: Int64) {
        reportEvent.drain()
        takeReports(now: now)
        perform(arbiter.tick(now: now))
        endingThreads.removeAll { $0.hasEnded(now: now) }
    }
}

extension ClientMessage {
    /// The number of the Picture-in-Picture session that the message concerns; `nil` if it concerns none.
    var windowSessionNumber: UInt32? {
        switch self {
        case .hello, .audio, .system, .interfaces, .presence, .report, .snapshot: nil
        case .openSession(let number, _), .addSlot(let number, _), .removeSlot(let number, _),
            .format(let number, _, _), .requestStart(let number), .start(let number), .startAnimated(let number, _),
            .stop(let number), .stopAnimated(let number, _), .playback(let number, _), .closeSession(let number),
            .overlay(let number, _), .clearOverlay(let number), .audioState(let number, _),
            .setRequiresLinearPlayback(let number, _), .terminalCellsChanged(let number),
            .buffering(let number, _), .loaded(let number, _), .overlayText(let number, _):
            number
        }
    }
}
