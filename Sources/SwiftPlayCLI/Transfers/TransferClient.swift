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

    /// The reported transfers, by their keys.
    private let transfers = Monitor<[Int64: TaskSnapshot]>([:])
    /// Signalled after each report.
    let changes: EventDescriptor
    /// Whether transfers are reported again after each restart of the service, and why they cannot be listed.
    private let following: Monitor<(isOn: Bool, failure: String?)>
    private let link: BackgroundLink

    /// Creates a client that is not connected yet.
    init() throws {
        let changes = try EventDescriptor()
        let transfers = transfers, following = Monitor<(isOn: Bool, failure: String?)>((false, nil))
        (self.changes, self.following) = (changes, following)
        let onConnect: @Sendable () -> Void = {
            guard following.withLock({ $0.isOn }) else { return }
            // The service reports all transfers again; those that it does not report no longer exist.
            following.withLock { $0.failure = nil }
            transfers.update { $0 = [:] }
            changes.signal()
        }
        let program = ProgramDescription(name: Self.programName)
        link = try BackgroundLink(program: program, onConnect: onConnect) { event, _ in
            switch event {
            case .task(let task): transfers.update { $0[task.id] = task }
            case .progress(let id, let done, let total):
                transfers.update {
                    $0[id]?.bytes.done = done
                    $0[id]?.bytes.total = total
                }
            default: return
            }
            changes.signal()
        }
    }

    /// Requests reports about all transfers.
    func watch() throws { _ = try link.answer(to: .watch(true), standingName: "watch") }

    /// Requests reports about all transfers, also after the service was started again. Does not wait.
    func follow() {
        following.withLock { $0.isOn = true }
        for (name, command) in [("list", ClientCommand.list(session: nil)), ("watch", .watch(true))] {
            link.perform(command, standingName: name) { [following, changes] answer in
                guard case .failure(let refusal) = answer else { return }
                following.withLock { $0.failure = refusal.description }
                changes.signal()
            }
        }
    }

    /// Why the transfers that ``follow()`` requests cannot be listed; nil if they can.
    var failure: String? { following.withLock { $0.failure } }

    /// Returns all transfers, the oldest first.
    func list() throws -> [TaskSnapshot] {
        _ = try link.answer(to: .list(session: nil))
        return current
    }

    /// The reported transfers, the oldest first.
    var current: [TaskSnapshot] { transfers.withLock { $0.values.sorted { $0.id < $1.id } } }

    /// Returns the download that a repeated command continues: it has the same address and folder, and the same name if
    /// the command names one, and has not ended.
    static func unfinishedDownload(
        of address: String, to directory: String, named name: String?, in transfers: [TaskSnapshot]
    ) -> TaskSnapshot? {
        transfers.first { transfer in
            isDownload(transfer)
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
        transfers.withLock { transfers in if transfers[task.id] == nil { transfers[task.id] = task } }
        _ = try link.answer(to: .resume(task: task.id))
        return task.id
    }

    /// Carries out a command for a transfer.
    func perform(_ command: ClientCommand) throws { _ = try link.answer(to: command) }
}
