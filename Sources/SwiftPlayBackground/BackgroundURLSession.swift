import BackgroundProtocol
import Dispatch
import FoundationEssentials
import SystemCalls

/// A session whose transfers go on when the program has ended, as `URLSession` with a background configuration on
/// Apple's systems.
///
/// Create one session for each identifier, with a delegate; after a start of the program, a session with the same
/// identifier receives the events that were not delivered. The session retains its delegate until it is invalidated.
public class BackgroundURLSession: @unchecked Sendable {
    // `@unchecked Sendable`: all mutable state is in a monitor; the class is not final because sessions of packages are
    // a subclass, as in Apple's API.

    /// The configuration.
    public let configuration: BackgroundURLSessionConfiguration
    /// The serial queue on which the delegate is called.
    public let delegateQueue: DispatchQueue
    /// The number of the session for the service, and its transfers.
    let state: Monitor<State>
    let link: BackgroundLink

    /// The state of a session.
    struct State {
        /// The delegate; nil from its call for the end of the session on.
        var delegate: (any BackgroundURLSessionDelegate)?
        /// The key of the session; nil until the service has answered.
        var key: Int64?
        /// The transfers that have not ended, or whose events were not acknowledged.
        var tasks = SessionTasks<BackgroundSessionTask>()
        /// The actions that wait for ``key``. They receive nil if the service refuses the session.
        var waitingActions: [@Sendable (Int64?) -> Void] = []
        /// Why the service has refused the session, which gets no key then; nil if it has not.
        var refusal: BackgroundURLError?
        /// Whether the session takes no new transfers.
        var isInvalid = false
        /// Whether ``tasks`` contains the transfers of earlier runs, so that the session can end with the last of them.
        var knowsEarlierTasks = false
        /// Whether the session was invalidated.
        var hasEnded = false
        /// The number of the last event that was passed to the delegate queue. The service repeats events after a lost
        /// connection.
        var lastSequence: Int64 = 0
    }

    /// Creates a session and attaches it to the service, which is started if necessary.
    ///
    /// - Parameters:
    ///   - configuration: The configuration with the identifier of the session.
    ///   - delegate: The delegate, which receives all events.
    ///   - delegateQueue: A serial queue for calls of the delegate; nil for a new one.
    public convenience init(
        configuration: BackgroundURLSessionConfiguration, delegate: (any BackgroundURLSessionDelegate)?,
        delegateQueue: DispatchQueue? = nil
    ) {
        self.init(
            configuration: configuration, delegate: delegate, delegateQueue: delegateQueue,
            link: BackgroundConnection.shared.link)
        start()
    }

    /// Creates a session that uses a connection, and that ``start()`` attaches to the service.
    init(
        configuration: BackgroundURLSessionConfiguration, delegate: (any BackgroundURLSessionDelegate)?,
        delegateQueue: DispatchQueue?, link: BackgroundLink
    ) {
        self.configuration = configuration
        self.delegateQueue =
            delegateQueue ?? DispatchQueue(label: "background session \(configuration.identifier)")
        state = Monitor(State(delegate: delegate))
        self.link = link
    }

    /// The delegate; nil after the session was invalidated.
    public var delegate: (any BackgroundURLSessionDelegate)? {
        state.withLock { $0.refusal == nil ? $0.delegate : nil }
    }

    // MARK: Transfers

    /// Creates a download, which is suspended.
    ///
    /// - Parameters:
    ///   - url: The address of the file.
    ///   - description: A text that survives a restart of the program, such as a key of the program's own.
    public func downloadTask(with url: URL, description: String = "") -> BackgroundDownloadTask {
        downloadTask(with: BackgroundURLRequest(url: url), description: description)
    }

    /// Creates a download, which is suspended.
    public func downloadTask(with request: BackgroundURLRequest, description: String = "") -> BackgroundDownloadTask {
        let task = BackgroundDownloadTask(
            uuid: Self.makeUUID(), request: request, snapshot: nil, description: description, link: link)
        create(task, request, upload: nil, earliestBegin: nil)
        return task
    }

    /// Creates a download that does not begin before a date, and is suspended.
    public func downloadTask(
        with request: BackgroundURLRequest, description: String = "", earliestBeginDate: Date
    ) -> BackgroundDownloadTask {
        let task = BackgroundDownloadTask(
            uuid: Self.makeUUID(), request: request, snapshot: nil, description: description, link: link)
        create(task, request, upload: nil, earliestBegin: earliestBeginDate)
        return task
    }

    /// Creates an upload of a file, which is suspended. The file must not change until the upload has ended.
    public func uploadTask(
        with request: BackgroundURLRequest, fromFile file: URL, description: String = ""
    ) -> BackgroundUploadTask {
        var request = request
        if request.httpMethod == "GET" { request.httpMethod = "PUT" }
        let task = BackgroundUploadTask(
            uuid: Self.makeUUID(), request: request, snapshot: nil, description: description, link: link)
        create(task, request, upload: file.path, earliestBegin: nil)
        return task
    }

    /// The transfers of the session whose end the delegate has not received, also those that earlier runs of the
    /// program have created. Those that have ended meanwhile are ``BackgroundSessionTask/State/completed``. Empty if
    /// the service has refused the session, for example because another process of the program uses it.
    ///
    /// If the service cannot list the transfers now, for example because the disk is full, the list is requested again
    /// every 10 s, six times at most. After that, the transfers that are known already are returned.
    public var allTasks: [BackgroundSessionTask] {
        get async {
            await withCheckedContinuation { continuation in
                withKey { [self] key in
                    guard let key else { return continuation.resume(returning: []) }
                    list(key, repetitionCount: Self.listRepetitionLimit) { [self] in
                        let tasks = state.withLock { $0.tasks.all }
                        continuation.resume(returning: tasks.filter { !$0.record.withLock { $0.isCompleted } })
                    }
                }
            }
        }
    }

    /// The most repetitions of a list that the service cannot give.
    private static let listRepetitionLimit = 6

    /// Requests the transfers of the session, and does so again if the service cannot list them now.
    private func list(_ key: Int64, repetitionCount: Int, _ handler: @escaping @Sendable () -> Void) {
        link.perform(.list(session: key)) { [self] answer in
            guard case .failure(let refusal) = answer, refusal.code != .invalid, repetitionCount > 0,
                !state.withLock({ $0.hasEnded })
            else { return handler() }
            // Not on the delegate queue, where the caller may wait.
            DispatchQueue.global().asyncAfter(deadline: .now() + Self.repetitionInterval) { [self] in
                list(key, repetitionCount: repetitionCount - 1, handler)
            }
        }
    }

    /// Returns the random bytes that identify a new transfer.
    static func makeUUID() -> [UInt8] { (0..<16).map { _ in .random(in: 0...255) } }

    /// Stores a new transfer at the service.
    func create(
        _ task: BackgroundSessionTask, _ request: BackgroundURLRequest, upload: String?, earliestBegin: Date?,
        package: AssetDownloadConfiguration? = nil
    ) {
        var wireRequest = TaskRequest(uuid: task.uuid, request: request.wireRequest(configuration))
        wireRequest.upload = upload
        if let digest = request.expectedSHA256 {
            guard let digest = ContentDigest(Array(digest)), upload == nil, package == nil else {
                return fail(
                    task, BackgroundURLError(code: -1, "expectedSHA256 is for downloads of files, and has 32 bytes"))
            }
            wireRequest.digest = digest
        }
        wireRequest.description = task.taskDescription
        if let earliestBegin {
            let nanoseconds = earliestBegin.timeIntervalSince1970 * 1e9
            wireRequest.earliestBegin = nanoseconds > 0 ? Int64(min(nanoseconds, 9e18)) : 0
        }
        var directory: SharedDescriptor?
        if let package {
            do throws(SystemCallError) { directory = try package.directory() } catch {
                return fail(task, BackgroundURLError(code: -3000, "the folder cannot be opened: \(error.reason)"))
            }
            (wireRequest.hasDirectory, wireRequest.fileName) = (true, package.fileName)
            wireRequest.stream = package.wirePreferences
        }
        let finalRequest = wireRequest
        store(task, descriptor: directory) { key in .create(session: key, finalRequest) }
    }

    /// Adds a transfer to the session, and sends the command that makes the service store it.
    ///
    /// - Parameter command: Returns the command for the key of the session.
    func store(
        _ task: BackgroundSessionTask, descriptor: SharedDescriptor? = nil,
        _ command: @escaping @Sendable (Int64) -> ClientCommand
    ) {
        let fault = state.withLock { state -> BackgroundURLError? in
            if state.isInvalid {
                return state.refusal ?? BackgroundURLError(code: -999, "the session was invalidated")
            }
            state.tasks.add(task)
            return nil
        }
        if let fault { return fail(task, fault) }
        withKey { [self] key in
            guard let key else {
                let refusal = state.withLock { $0.refusal }
                return fail(
                    task, refusal ?? BackgroundURLError(code: -1, "the service has refused the session"))
            }
            link.perform(command(key), descriptor: descriptor) { [self] answer in
                switch answer {
                case .success(.created(_, let snapshot)):
                    state.withLock { $0.tasks.store(task, id: snapshot.id) }
                    task.handleCreation(snapshot)
                case .success: break
                case .failure(let refusal): fail(task, BackgroundURLError(refusal))
                }
            }
        }
    }

    /// Reports the end of a transfer that the service has not stored.
    func fail(_ task: BackgroundSessionTask, _ error: BackgroundURLError) {
        delegateQueue.async { [self] in
            // Without the transfer, the session could end before this call.
            state.withLock { $0.tasks.remove(task) }
            task.handleRefusal(error)
            complete(task, error)
            invalidateIfDone()
        }
    }

    // MARK: Service

    /// Adds the session to those of the process, and attaches it to the service, which is started if necessary.
    func start() {
        BackgroundConnection.shared.add(self)
        attach()
    }

    /// Attaches the session to the service.
    private func attach() {
        let command = ClientCommand.attach(
            identifier: configuration.identifier, configuration.wireConfiguration)
        link.perform(command, standingName: "attach \(configuration.identifier)") { [self] answer in
            switch answer {
            case .success(.attached(_, let key)):
                let actions = state.withLock { state in
                    state.key = key
                    defer { state.waitingActions = [] }
                    return state.waitingActions
                }
                BackgroundConnection.shared.attach(self, key: key)
                for action in actions { action(key) }
            case .success: break
            case .failure(let refusal): handleRefusal(BackgroundURLError(refusal))
            }
        }
    }

    /// Fails the transfers that wait for the service, and then invalidates the session.
    private func handleRefusal(_ error: BackgroundURLError) {
        link.removeStanding("attach \(configuration.identifier)")
        let actions = state.withLock { state in
            (state.refusal, state.isInvalid) = (error, true)
            defer { state.waitingActions = [] }
            return state.waitingActions
        }
        for action in actions { action(nil) }
        delegateQueue.async { [self] in invalidate(error) }
    }

    /// Calls an action with the key of the session once the service has answered; with nil if the service has refused
    /// the session.
    func withKey(_ action: @escaping @Sendable (Int64?) -> Void) {
        let (key, mustWait) = state.withLock { state in
            let mustWait = state.key == nil && state.refusal == nil
            if mustWait { state.waitingActions.append(action) }
            return (state.key, mustWait)
        }
        if !mustWait { action(key) }
    }
}
