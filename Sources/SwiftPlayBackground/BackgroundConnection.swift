import BackgroundProtocol
import Glibc
import SystemCalls

/// The connection of this process to the service, which all sessions share.
final class BackgroundConnection: Sendable {
    /// The connection. It is created with the first session.
    static let shared = BackgroundConnection()

    /// The sessions of the process.
    private struct State {
        /// The sessions that were not invalidated.
        var sessions: [BackgroundURLSession] = []
        /// The sessions by the keys of the service.
        var attached: [Int64: BackgroundURLSession] = [:]
        /// The identifiers whose events the program has handled before their session was attached.
        var handledIdentifiers: Set<String> = []
    }

    let link: BackgroundLink
    private let state: Monitor<State>

    private init() {
        let state = Monitor(State())
        self.state = state
        let program = BackgroundApplication.shared.program
        do throws(SystemCallError) {
            link = try BackgroundLink(program: program) { event, descriptors in
                Self.route(event, descriptors.first, state)
            }
        } catch {
            // The process has no descriptor left, so that it can do nothing of use.
            fatalError("cannot create a descriptor for background sessions: \(error)")
        }
        // A program that the service has started connects at once, to learn which sessions have events. Another one
        // does so if the service runs, which would start a second process otherwise.
        let isReported = program.isBackgroundStart || program.launchArguments != nil && BackgroundLauncher.isRunning
        // The command only opens the connection, also after a crash of the service: this program does not watch anyway.
        if isReported { link.perform(.watch(false), standingName: "start") }
    }

    /// Adds a session.
    func add(_ session: BackgroundURLSession) { state.withLock { $0.sessions.append(session) } }

    /// Returns the session with a key; nil if it was invalidated.
    func session(_ key: Int64) -> BackgroundURLSession? { state.withLock { $0.attached[key] } }

    /// Records the key of a session.
    func attach(_ session: BackgroundURLSession, key: Int64) {
        let isHandled = state.withLock { state in
            state.attached[key] = session
            return state.handledIdentifiers.remove(session.configuration.identifier) != nil
        }
        if isHandled { link.perform(.eventsHandled(session: key)) }
    }

    /// Forgets an invalidated session.
    func remove(_ session: BackgroundURLSession) {
        state.withLock { state in
            state.sessions.removeAll { $0 === session }
            state.attached = state.attached.filter { $0.value !== session }
        }
    }

    /// Notifies the service that the program has handled the events of a session.
    func handleEventsHandled(_ identifier: String) {
        let key = state.withLock { state in
            let key = state.attached.first { $0.value.configuration.identifier == identifier }?.key
            if key == nil { state.handledIdentifiers.insert(identifier) }
            return key
        }
        if let key { link.perform(.eventsHandled(session: key)) }
    }

    /// Passes a message of the service to its session.
    private static func route(_ event: ClientEvent, _ descriptor: SharedDescriptor?, _ state: Monitor<State>) {
        let session: (Int64) -> BackgroundURLSession? = { key in state.withLock { $0.attached[key] } }
        switch event {
        case .task(let task): session(task.session)?.handle(event, descriptor)
        case .event(let sessionEvent): session(sessionEvent.session)?.handle(event, descriptor)
        case .finishedEvents(let key): session(key)?.handle(event, descriptor)
        case .progress(let task, _, _), .resumed(let task, _, _):
            let owner = state.withLock { $0.sessions }.first { session in
                session.state.withLock { $0.tasks[task] != nil }
            }
            owner?.handle(event, descriptor)
        case .eventsWaiting(let identifier): BackgroundApplication.shared.handleEventsWaiting(identifier)
        case .fetch(let token): BackgroundApplication.shared.handleFetch(token, shared.link)
        case .notification(let id, let payload, let sender):
            BackgroundApplication.shared.handleNotification(id, payload, from: sender, shared.link)
        case .registration(let result): BackgroundApplication.shared.handleRegistration(result)
        case .wakeExpires: BackgroundApplication.shared.handleExpiration()
        case .welcome, .done, .refused, .attached, .created, .program, .received, .fetched, .pushServer:
            break
        }
    }
}
