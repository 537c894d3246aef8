import BackgroundProtocol
import FoundationEssentials
import SystemCalls

/// A transfer of a background session. All members may be used on any thread.
public class BackgroundSessionTask: @unchecked Sendable {
    // `@unchecked Sendable`: all mutable state is in monitors; the class is not final because downloads and uploads are
    // subclasses, as in Apple's API.

    /// The state of a transfer.
    public enum State: Sendable {
        /// The transfer runs or waits; ``BackgroundSessionTask/stateDescription`` states why it waits.
        case running
        /// The transfer is suspended. New transfers are suspended.
        case suspended
        /// ``BackgroundSessionTask/cancel()`` was called.
        case canceling
        /// The transfer has ended.
        case completed
    }

    /// What is known about the transfer.
    struct Record {
        /// The last report of the service; nil until the transfer was stored.
        var snapshot: TaskSnapshot?
        /// The text of a new transfer.
        var description = ""
        /// The commands that were not sent yet, for example because the transfer is not stored.
        var waitingCommands: [Command] = []
        /// Whether a thread sends the waiting commands, also those that other threads add meanwhile.
        var isSending = false
        /// Why the service does not store the transfer, so that commands have no effect; nil if it has not refused it.
        var refusal: BackgroundURLError?
        /// Whether ``BackgroundSessionTask/cancel()`` was called.
        var isCancelling = false
        /// The received or sent bytes at the last call of the delegate.
        var reportedBytes: Int64 = 0
        /// What was reported of a package.
        var reportedPackage = ReportedPackage()
        /// The async caller that waits for the end; nil if the delegate receives the events.
        var waiter: AsyncDownload?
        /// Whether the end was reported to the delegate or the async caller.
        var isCompleted = false

        /// Removes and returns the next command for the sending thread, with the key of the transfer. If there is none,
        /// or the transfer is not stored, the thread sends no more.
        mutating func takeCommand() -> (id: Int64, command: Command)? {
            guard let id = snapshot?.id, !waitingCommands.isEmpty else {
                isSending = false
                return nil
            }
            return (id, waitingCommands.removeFirst())
        }
    }

    /// A command of the program.
    enum Command: Sendable {
        case resume
        case suspend
        case cancel
        /// Cancels a download and keeps its bytes. The handler receives the resume data.
        case setAside(@Sendable (Data?) -> Void)
        case priority(Double)
    }

    /// The 16 bytes by which the service recognises a repeated creation.
    let uuid: [UInt8]
    /// The request; nil for a transfer that an earlier run of the program has created.
    public let originalRequest: BackgroundURLRequest?
    let record: Monitor<Record>
    let link: BackgroundLink

    /// Creates a transfer that is not stored yet, or one that the service has reported.
    ///
    /// - Parameter description: The text of a transfer that is not stored yet.
    init(
        uuid: [UInt8], request: BackgroundURLRequest?, snapshot: TaskSnapshot?, description: String = "",
        link: BackgroundLink
    ) {
        (self.uuid, originalRequest, self.link) = (uuid, request, link)
        record = Monitor(Record(snapshot: snapshot, description: description))
    }

    /// The number of the transfer, unique within its session; 0 until the service has stored the transfer.
    public var taskIdentifier: Int { record.withLock { Int(clamping: $0.snapshot?.number ?? 0) } }
    /// The text that the program gave the transfer when it was created. It survives a restart of the program.
    public var taskDescription: String { record.withLock { $0.snapshot?.description ?? $0.description } }
    /// The received or sent bytes.
    public var countOfBytesDone: Int64 { record.withLock { $0.snapshot?.bytes.done ?? 0 } }
    /// The length of the whole content in bytes; -1 if unknown.
    public var countOfBytesExpected: Int64 { record.withLock { $0.snapshot?.bytes.total ?? -1 } }
    /// The state as a line of text, with the reason if the transfer waits or has failed.
    public var stateDescription: String {
        record.withLock { $0.refusal?.description ?? $0.snapshot?.activity.text ?? "about to be stored" }
    }

    /// The state.
    public var state: State {
        record.withLock { record in
            if record.refusal != nil { return .completed }
            return switch record.snapshot?.activity.phase {
            case .finished, .failed, .cancelled: .completed
            case .waiting, .running: record.isCancelling ? .canceling : .running
            case .suspended, nil: record.isCancelling ? .canceling : .suspended
            }
        }
    }

    /// The response of the server; nil before it has arrived.
    public var response: BackgroundURLResponse? {
        guard let snapshot = record.withLock({ $0.snapshot }), snapshot.status > 0 else { return nil }
        return BackgroundURLResponse(
            url: URL(string: snapshot.address), statusCode: Int(snapshot.status),
            suggestedFilename: snapshot.file.name, expectedContentLength: snapshot.bytes.total ?? -1)
    }

    /// The reason why the transfer has failed; nil if it has not failed.
    public var error: BackgroundURLError? {
        let (refusal, activity) = record.withLock { ($0.refusal, $0.snapshot?.activity) }
        guard refusal == nil, let activity else { return refusal }
        return switch activity.phase {
        case .failed, .cancelled: BackgroundURLError(code: Int(activity.errorCode), activity.text)
        case .suspended, .waiting, .running, .finished: nil
        }
    }

    /// Starts or continues the transfer.
    public func resume() { perform(.resume) }

    /// Suspends the transfer. The received bytes are kept.
    public func suspend() { perform(.suspend) }

    /// Cancels the transfer. The delegate receives the error -999.
    public func cancel() {
        record.withLock { $0.isCancelling = true }
        perform(.cancel)
    }

    /// Sets the priority among the transfers of the program, 0 to 1; the default is 0.5.
    public func setPriority(_ priority: Double) { perform(.priority(min(max(priority.isNaN ? 0.5 : priority, 0), 1))) }

    /// Sends a command, or keeps it until the transfer was stored.
    func perform(_ command: Command) {
        let isRefused = record.withLock { record in
            if record.refusal == nil { record.waitingCommands.append(command) }
            return record.refusal != nil
        }
        if isRefused { drop([command]) } else { sendCommands() }
    }

    /// Sends the waiting commands, if the transfer is stored. One thread at a time does so, so that no command
    /// overtakes an earlier one.
    private func sendCommands() {
        let isSending = record.withLock { record in
            defer { record.isSending = true }
            return record.isSending
        }
        if isSending { return }
        while let next = record.withLock({ $0.takeCommand() }) { send(next.command, next.id) }
    }

    /// Sends a command for the stored transfer `id`.
    private func send(_ command: Command, _ id: Int64) {
        switch command {
        case .resume: link.performUntilFinished(.resume(task: id), name: "resume or suspend \(id)")
        case .suspend: link.performUntilFinished(.suspend(task: id), name: "resume or suspend \(id)")
        case .cancel: link.performUntilFinished(.cancel(task: id), name: "cancel \(id)")
        case .setAside(let handler): setAside(id, handler)
        case .priority(let priority):
            link.performUntilFinished(.setPriority(task: id, priority), name: "priority \(id)")
        }
    }

    /// Records that the service has stored the transfer, and sends the commands that have waited for it.
    func handleCreation(_ snapshot: TaskSnapshot) {
        record.withLock { record in
            record.snapshot = snapshot
            // The bytes of a continued download were reported by an earlier task.
            record.reportedBytes = snapshot.bytes.done
        }
        sendCommands()
    }

    /// Ends the transfer, which the service does not store, and drops the commands that have waited.
    func handleRefusal(_ error: BackgroundURLError) {
        let commands = record.withLock { record in
            record.refusal = error
            defer { record.waitingCommands = [] }
            return record.waitingCommands
        }
        drop(commands)
    }

    /// Answers the commands of a transfer that does not exist.
    private func drop(_ commands: [Command]) { for case .setAside(let handler) in commands { handler(nil) } }

    /// Records a report of the service.
    func update(_ snapshot: TaskSnapshot) { record.withLock { $0.snapshot = snapshot } }
}

/// What the delegate knows about a package.
struct ReportedPackage {
    /// The duration of the segments that have arrived, in nanoseconds.
    var loaded: Int64 = 0
    /// Whether the delegate knows the location.
    var hasLocation = false
}

// `@unchecked Sendable` repeats what the superclass states: the subclasses add no state.

/// A download of a background session.
public final class BackgroundDownloadTask: BackgroundSessionTask, @unchecked Sendable {}

/// An upload of a background session, whose body is a file.
public final class BackgroundUploadTask: BackgroundSessionTask, @unchecked Sendable {}
