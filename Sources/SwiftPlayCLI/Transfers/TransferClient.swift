import BackgroundProtocol
import Glibc
import SwiftPlayBackground
import SystemCalls

/// The connection of a command to the service for background transfers, and the transfers that the service reports.
final class TransferClient: Sendable {
    /// The name of this program at the service.
    private static let programName = "swiftplay"
    /// The sessions of `swiftplay download`, on every network and only on networks that are not metered. Their finished
    /// files belong to the user; no program acknowledges them.
    private static let identifier = "download", unmeteredIdentifier = "download on unmetered networks"

    /// What the service has reported.
    private struct State {
        /// The reported transfers, by their keys.
        var transfers: [Int64: TaskSnapshot] = [:]
        /// Whether transfers are reported again after each restart of the service.
        var isFollowing = false
        /// Whether ``transfers`` contains all transfers that the service knows.
        var isComplete = false
        /// Whether the answer to ``TransferClient/checkReports()`` is pending.
        var isChecking = false
        /// Why transfers cannot be listed; nil if they can.
        var failure: String?
    }

    private let state: Monitor<State>
    /// Signalled after each report.
    let changes: EventDescriptor
    private let link: BackgroundLink

    /// Creates a client that is not connected yet.
    init() throws {
        let changes = try EventDescriptor(), state = Monitor(State())
        (self.changes, self.state) = (changes, state)
        let onConnect: @Sendable () -> Void = {
            let isFollowing = state.withLock { state in
                // The service reports all transfers again; those that it does not report no longer exist.
                if state.isFollowing { (state.transfers, state.isComplete, state.failure) = ([:], false, nil) }
                return state.isFollowing
            }
            if isFollowing { changes.signal() }
        }
        let program = ProgramDescription(name: Self.programName)
        link = try BackgroundLink(program: program, onConnect: onConnect) { event, _ in
            switch event {
            case .task(let task): state.withLock { $0.transfers[task.id] = task }
            case .progress(let id, let done, let total):
                state.withLock {
                    $0.transfers[id]?.bytes.done = done
                    $0.transfers[id]?.bytes.total = total
                }
            default: return
            }
            changes.signal()
        }
    }

    /// Requests reports about all transfers, also after the service was started again. Does not wait.
    func follow() {
        state.withLock { $0.isFollowing = true }
        for (name, command) in [("list", ClientCommand.list(session: nil)), ("watch", .watch(true))] {
            link.perform(command, standingName: name) { [state, changes] answer in
                guard case .failure(let refusal) = answer else { return }
                state.withLock { $0.failure = refusal.description }
                changes.signal()
            }
        }
    }

    /// Requests an answer of the service, unless one is pending. Sets ``failure`` if the service cannot be reached, and
    /// makes ``completeList`` available again after a restart of the service. Does not wait.
    func checkReports() {
        let next = state.withLock { state -> ClientCommand? in
            guard !state.isChecking else { return nil }
            state.isChecking = true
            // The answer to the list follows the reports. Reports that are complete stay so while they are watched.
            return state.isComplete ? .watch(true) : .list(session: nil)
        }
        guard let command = next else { return }
        link.perform(command) { [state, changes] answer in
            state.withLock { state in
                state.isChecking = false
                switch answer {
                case .success: if command == .list(session: nil) { state.isComplete = true }
                case .failure(let refusal): state.failure = refusal.description
                }
            }
            changes.signal()
        }
    }

    /// Why the transfers that ``follow()`` requests cannot be listed; nil if they can.
    var failure: String? { state.withLock { $0.failure } }

    /// All transfers, the oldest first; nil while the service has not reported all of them to ``checkReports()``.
    var completeList: [TaskSnapshot]? { state.withLock { $0.isComplete ? Self.sorted($0.transfers) : nil } }

    /// Returns all transfers, the oldest first.
    func list() throws -> [TaskSnapshot] {
        _ = try link.answer(to: .list(session: nil))
        return current
    }

    /// The reported transfers, the oldest first.
    var current: [TaskSnapshot] { state.withLock { Self.sorted($0.transfers) } }

    /// Returns transfers, the oldest first.
    private static func sorted(_ transfers: [Int64: TaskSnapshot]) -> [TaskSnapshot] {
        transfers.values.sorted { $0.id < $1.id }
    }

    /// Returns the download that a repeated command continues: it has the same address and folder, and the same name if
    /// the command names one, and has not ended.
    ///
    /// - Parameter isUnmetered: Whether only downloads that wait for a network that is not metered are continued.
    static func unfinishedDownload(
        of address: String, to directory: String, named name: String?, isUnmetered: Bool, in transfers: [TaskSnapshot]
    ) -> TaskSnapshot? {
        transfers.first { transfer in
            isDownload(transfer) && (!isUnmetered || transfer.identifier == unmeteredIdentifier)
                && transfer.package == nil && !transfer.activity.phase.isTerminal && transfer.address == address
                && transfer.file.directory == directory && (name == nil || transfer.file.name == name)
        }
    }

    /// Returns whether `swiftplay download` has started a transfer.
    static func isDownload(_ transfer: TaskSnapshot) -> Bool {
        transfer.program == programName && [identifier, unmeteredIdentifier].contains(transfer.identifier)
    }

    /// Attaches to a session of downloads.
    ///
    /// - Parameter isUnmetered: Whether the downloads wait for a network that is not metered.
    /// - Returns: The key of the session.
    func attach(isUnmetered: Bool) throws -> Int64 {
        var configuration = SessionConfiguration()
        configuration.deliversEvents = false
        configuration.sendsLaunchEvents = false
        // The user has typed the address, with its scheme.
        configuration.allowsInsecureHTTP = true
        configuration.allowsExpensiveNetworkAccess = !isUnmetered
        let identifier = isUnmetered ? Self.unmeteredIdentifier : Self.identifier
        let answer = try link.answer(
            to: .attach(identifier: identifier, configuration), standingName: "attach download")
        guard case .attached(_, let session) = answer else { throw BackgroundLinkError("an unexpected answer") }
        return session
    }

    /// Creates and starts a transfer whose file is kept in `directory`.
    ///
    /// - Returns: The key of the transfer.
    func start(_ request: TaskRequest, in directory: SharedDescriptor, session: Int64) throws -> Int64 {
        let answer = try link.answer(to: .create(session: session, request), descriptor: directory)
        guard case .created(_, let task) = answer else { throw BackgroundLinkError("an unexpected answer") }
        state.withLock { state in if state.transfers[task.id] == nil { state.transfers[task.id] = task } }
        _ = try link.answer(to: .resume(task: task.id))
        return task.id
    }

    /// Carries out a command for a transfer.
    func perform(_ command: ClientCommand) throws(ClientEvent.Refusal) { _ = try link.answer(to: command) }
}
