import CompositorProtocol
import Logging
import SharedFrames
import SystemCalls
import WireFormat

/// The service for the floating windows of all programs: their sessions, the arbitration of windows, and the drawing
/// threads.
///
/// Never waits for a display. Used by the compositor's main thread.
final class WindowService: EventSource {
    /// An effect of the service on a program.
    enum Output {
        case send(ServerMessage, client: UInt64)
        /// The program broke the protocol.
        case cut(client: UInt64, MalformedMessage)
        /// The user operated a control of the program's window.
        case action(SessionKey, ServerMessage.Action)
    }

    /// One session, as the event source of its frames.
    final class Session: EventSource {
        let handle: SessionHandle
        let thread: SurfaceThread
        let feed: FrameFeed
        private unowned let service: WindowService
        /// Whether the program was notified that the session is open.
        var isOpen = false
        /// The number of `stop` and `land` messages that are not answered yet.
        var unansweredStops = 0

        init(_ handle: SessionHandle, _ thread: SurfaceThread, _ feed: FrameFeed, _ service: WindowService) {
            (self.handle, self.thread, self.feed, self.service) = (handle, thread, feed, service)
        }

        var entries: [Poll.Entry] { [Poll.Entry(feed.descriptor(now: MonotonicTime.now))] }

        var deadline: Int64? {
            guard feed.isUnread else { return feed.restsUntil }
            return service.isHeld(handle.key.client) ? nil : 0
        }

        /// Releases new frames to the drawing thread; in a later turn if messages that may announce them are unread.
        func process(_ ready: ArraySlice<Poll.Entry>, now: Int64) {
            if ready.contains(where: { $0.ready != [] }) { feed.isUnread = true }
            guard feed.isUnread else { return }
            let end = feed.look(now: now)
            // A frame may name a slot whose announcement arrived after the socket was read.
            guard service.readProgram(handle.key.client), service.sessions[handle.key] === self else { return }
            feed.isUnread = false
            thread.mailbox.post(.frames(handle, upTo: end))
        }
    }

    /// The largest number of sessions of all programs. Each session uses about twenty descriptors.
    static let sessionLimit = 128
    /// The largest number of sessions of one program.
    static let sessionLimitOfProgram = 16
    static let videoCall = "floating windows are hidden during a video call"

    var arbiter = WindowArbiter()
    var sessions: [SessionKey: Session] = [:]
    var threads: [SurfaceLocation: SurfaceThread] = [:]
    /// The threads that were requested to end.
    var endingThreads: [SurfaceThread] = []
    var isOnAllWorkspaces = true
    /// Whether floating windows are hidden, during a video call.
    private(set) var isSuspended = false
    let wake: EventDescriptor
    let logger: Logger
    var onOutput: (Output) -> Void = { _ in }
    /// Handles the pending messages of a program. Returns whether all were handled and the program is still connected.
    /// Called on the main thread.
    var readProgram: (UInt64) -> Bool = { _ in true }
    private let loop: EventLoop
    private var serial: UInt64 = 0

    init(loop: EventLoop, logger: Logger) throws(SystemCallError) {
        (self.loop, self.logger) = (loop, logger)
        wake = try EventDescriptor()
    }

    deinit {
        for thread in threads.values + endingThreads { thread.interrupt() }
    }

    // MARK: programs

    /// Handles a message about a session; ignores all others.
    ///
    /// - Throws: `MalformedMessage` if the message breaks the protocol.
    func handle(_ message: ClientMessage, _ descriptors: [SharedDescriptor], from program: ProgramRegistry.Program)
        throws(MalformedMessage)
    {
        guard let number = message.windowSession else { return }
        let key = SessionKey(client: program.id, session: number)
        switch message {
        case .openSession(_, let surface): try open(key, surface, descriptors, program)
        case .start: start(key, from: nil)
        case .startFrom(_, let origin): start(key, from: origin)
        case .closeSession: close(key)
        case .requestStart:
            guard let session = sessions[key] else { return refuseStart(key, "the session is not open") }
            session.thread.mailbox.post(.message(session.handle, message, descriptors: []))
        case .stop, .land:
            guard let session = sessions[key] else {
                send(.stopped(session: number), to: key)
                return perform(arbiter.ended(key))
            }
            session.unansweredStops += 1
            session.thread.mailbox.post(.message(session.handle, message, descriptors: []))
        default:
            // Messages for a session that failed, or was lost with its display, may still be on their way.
            guard let session = sessions[key] else { return }
            session.thread.mailbox.post(.message(session.handle, message, descriptors: descriptors))
        }
    }

    /// Returns whether a program has so many unfinished commands at drawing threads that its messages are not read.
    func isHeld(_ client: UInt64) -> Bool {
        threads.values.contains { $0.mailbox.isHeld(client) }
    }

    func clientGone(_ client: UInt64) {
        for key in sessions.keys where key.client == client { close(key) }
    }

    private func open(
        _ key: SessionKey, _ surface: ClientMessage.Surface, _ descriptors: [SharedDescriptor],
        _ program: ProgramRegistry.Program
    ) throws(MalformedMessage) {
        guard sessions[key] == nil else { throw MalformedMessage("a session was opened twice") }
        guard sessions.keys.count(where: { $0.client == key.client }) < Self.sessionLimitOfProgram else {
            throw MalformedMessage("too many sessions")
        }
        guard sessions.count < Self.sessionLimit else {
            return send(.sessionFailed(session: key.session, reason: "too many pictures are registered"), to: key)
        }
        let feed = try FrameFeed(descriptors), thread: SurfaceThread
        switch findThread(SurfaceLocation(surface), for: program) {
        case .found(let found): thread = found
        case .refused(let reason): return send(.sessionFailed(session: key.session, reason: reason), to: key)
        }
        serial += 1
        let handle = SessionHandle(key: key, serial: serial)
        let session = Session(handle, thread, feed, self)
        sessions[key] = session
        loop.add(session, to: .frames)
        thread.mailbox.post(.open(handle, surface: surface, descriptors: descriptors, version: program.version ?? 0))
    }

    private func close(_ key: SessionKey) {
        if let session = removeSession(key) {
            session.thread.mailbox.post(.close(session.handle))
            endUnusedThreads()
        }
        perform(arbiter.ended(key))
    }

    @discardableResult
    func removeSession(_ key: SessionKey) -> Session? {
        guard let session = sessions.removeValue(forKey: key) else { return nil }
        loop.remove(session)
        return session
    }

    private func start(_ key: SessionKey, from origin: PixelRect?) {
        guard let session = sessions[key], session.isOpen else { return refuseStart(key, "the session is not open") }
        guard arbiter.holds(key) else { return refuseStart(key, "the window was not granted") }
        guard !isSuspended else {
            session.thread.mailbox.post(.cancelStart(session.handle))
            refuseStart(key, Self.videoCall)
            return perform(arbiter.ended(key))
        }
        session.thread.mailbox.post(.start(session.handle, origin: origin, isOnAllWorkspaces: isOnAllWorkspaces))
    }

    func refuseStart(_ key: SessionKey, _ reason: String) {
        send(.startFailed(session: key.session, reason: reason), to: key)
    }

    func send(_ message: ServerMessage, to key: SessionKey) { onOutput(.send(message, client: key.client)) }

    // MARK: the user and other programs

    func setLimit(_ limit: Int) { arbiter.limit = limit }

    /// Hides all windows during a video call, or shows them again.
    func setSuspended(_ isSuspended: Bool) {
        self.isSuspended = isSuspended
        for session in sessions.values where session.isOpen {
            tellSuspended(session)
            session.thread.mailbox.post(.setSuspended(session.handle, isSuspended, reason: Self.videoCall))
        }
    }

    func tellSuspended(_ session: Session) {
        send(.suspended(session: session.handle.key.session, isSuspended), to: session.handle.key)
    }

    func perform(_ actions: [WindowArbiter.Action]) {
        for action in actions {
            switch action {
            case .grant(let key): send(.granted(session: key.session), to: key)
            case .replace(let key): send(.replaced(session: key.session), to: key)
            case .refuse(let key, let reason): refuseStart(key, reason)
            case .remove(let key):
                if let session = sessions[key] { session.thread.mailbox.post(.takeAway(session.handle)) }
            }
        }
    }

    // MARK: threads and time

    var entries: [Poll.Entry] { [Poll.Entry(wake.raw)] }

    var deadline: Int64? {
        ([arbiter.deadline] + (threads.values + endingThreads).map(\.deadline)).compactMap { $0 }.min()
    }

    /// Handles the reports of the threads, and timers that are due by `now`.
    func process(_ ready: ArraySlice<Poll.Entry>, now: Int64) {
        wake.drain()
        takeReports(now: now)
        perform(arbiter.tick(now: now))
        endingThreads.removeAll { $0.hasEnded(now: now) }
    }
}

extension ClientMessage {
    /// The Picture-in-Picture session of the message; `nil` for other messages.
    var windowSession: UInt32? {
        switch self {
        case .hello, .audio, .system, .interfaces: nil
        case .openSession(let number, _), .slot(let number, _), .dropSlot(let number, _), .format(let number, _, _),
            .requestStart(let number), .start(let number), .stop(let number), .playback(let number, _),
            .closeSession(let number),
            .overlay(let number, _), .clearOverlay(let number), .startFrom(let number, _), .land(let number, _),
            .sound(let number, _), .setLinear(let number, _), .placeChanged(let number), .buffering(let number, _):
            number
        }
    }
}
