import BackgroundProtocol
import LedgerStore
import SystemCalls
import TransferPolicy

/// A transfer that its program has not acknowledged yet, or that has ended since the service started.
final class Transfer {
    /// The stored row.
    var row: TaskRow
    /// The stored row of the part file; nil before the first run.
    var part: PartRow?
    /// The state machine, which decides what happens.
    var machine: TransferMachine
    /// The rule for the time of the next attempt.
    var retry: RetryPolicy
    /// The session of the transfer.
    let session: Session
    /// The host and port of the address.
    var host: String { package?.host ?? fileHost }
    /// The host and port of the address of a file, or of the first playlist of a package.
    private let fileHost: String
    /// The state of a package; nil for a file.
    var package: PackageState?
    /// The boot time at which the time limit of the whole transfer ends, in nanoseconds.
    var deadline: Int64
    /// The run of the engine that has not reported its end yet. It may belong to a transfer that was stopped.
    var run: Run?
    /// The received and sent bytes.
    var received: Int64 = 0, sent: Int64 = 0
    /// The boot time until which the relaunch delay of the program holds the transfer back; nil if it does not.
    var relaunchDelayEnd: Duration?
    /// Whether the part file could not be checked since the start of the service. The transfer does not run then.
    var isUnchecked = false
    /// The text of a fault of the service, such as a full disk for the database, which the listing shows.
    var fault: String?

    /// A run of the engine.
    struct Run {
        /// The number by which the engine's messages refer to the run.
        let number: UInt64
        /// The number by which the state machine refers to the run.
        let machineRun: Int
        /// The open part file.
        let part: PartFiles.OpenPart
        /// The open file for the body of an error page, and its row; nil if the part file was empty.
        let errorPage: ErrorPage?
        /// Whether the body goes to the file for error pages.
        var usesErrorPage = false
        /// The length of the part file at the last report.
        var length: Int64
    }

    /// A file for the body of an error page, which must not destroy a part file.
    struct ErrorPage {
        let row: PartRow
        let file: SharedDescriptor
    }

    /// Creates the transfer of a stored row.
    init(row: TaskRow, part: PartRow?, session: Session, host: String, deadline: Int64) {
        (self.row, self.part, self.session, fileHost, self.deadline) = (row, part, session, host, deadline)
        let stored = StoredTransferState(name: row.progress.state, number: row.progress.stateNumber)
        machine = TransferMachine(state: stored.state ?? .failed(.badServerResponse))
        retry = RetryPolicy(
            failureCount: Int(clamping: row.progress.fruitless), garbageCount: Int(clamping: row.progress.faults))
        received = part?.durable.length ?? 0
    }

    /// Whether the service chooses good moments for the transfer.
    var isDiscretionary: Bool {
        session.configuration.isDiscretionary || row.request.options & TransferOptions.discretionary != 0
    }
    /// Whether the program has cancelled the transfer, and may take it back.
    var isSetAside: Bool { row.request.options & TransferOptions.isSetAside != 0 }
    /// Whether the program receives the events of the transfer.
    var deliversEvents: Bool { session.configuration.deliversEvents && !isSetAside }
    /// Whether a part file with all bytes can be published. The end of a run compares the digest and refuses error
    /// pages; a crash may have come before the end.
    var canPublish: Bool {
        switch machine.state {
        case .verifying, .finishing, .waiting(.publication): true
        default: part?.durable.length ?? 0 > 0 && row.request.digest.isEmpty && row.progress.status ?? 200 < 400
        }
    }
    /// The address that is requested now.
    var address: String { package?.resource?.url ?? row.request.url }
    /// The row with the directory and the final name of the file that is received now. For a package, that is one of
    /// the files in its folder.
    var fileRow: TaskRow {
        guard let package, let folder = package.row.folder else { return row }
        var fileRow = row
        fileRow.destination = TaskRow.Destination(
            directory: row.destination.directory + "/" + row.destination.name, identity: folder,
            name: package.resource?.name ?? PackageFiles.master, isKept: true)
        return fileRow
    }
    /// The host of the address without its port, under which the engine reports quirks.
    var hostName: String { host.lastIndex(of: ":").map { String(host[..<$0]) } ?? host }
    /// Whether the transfer sends a file.
    var isUpload: Bool { row.request.upload != nil }
    /// The name under which the secret header fields of the request are stored.
    var secretName: String { row.uuid.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined() }

    /// The transfer for the choice of those that start.
    var candidate: AdmissionPolicy.Candidate {
        AdmissionPolicy.Candidate(
            id: row.id, program: session.client.row.id, host: host, priority: row.priority,
            isDiscretionary: isDiscretionary,
            session: AdmissionPolicy.Candidate.Session(
                id: row.session, hostLimit: Int(session.configuration.connectionsPerHost)),
            failureCount: retry.failureCount)
    }

    /// Returns the state for programs and listings.
    func snapshot(now: Duration) -> TaskSnapshot {
        var snapshot = TaskSnapshot(
            id: row.id, session: row.session, number: row.number, program: session.client.row.name,
            identifier: session.row.identifier, address: row.request.url, description: row.description,
            activity: activity(now: now),
            file: TaskSnapshot.File(
                directory: row.destination.directory, name: row.destination.name, isKept: row.destination.isKept),
            bytes: TaskSnapshot.Bytes(
                done: isUpload ? sent : received, total: part?.total, isUpload: isUpload,
                isResumable: part?.isResumable ?? true))
        snapshot.status = UInt16(clamping: row.progress.status ?? 0)
        if let package {
            snapshot.bytes = TaskSnapshot.Bytes(done: package.sums.bytes + received)
            snapshot.package = package.progress
        }
        return snapshot
    }

    /// Returns the reason of a failure. The last fault before the end of the time limit is only a part of the reason.
    func text(of failure: TransferFailure) -> String {
        let detail = row.progress.detail
        if detail.isEmpty { return failure.text }
        return failure == .resourceTimeout ? "\(failure.text) (\(detail))" : detail
    }

    /// Returns what the transfer does, with the reason if it waits or has failed.
    private func activity(now: Duration) -> TaskSnapshot.Activity {
        let state = machine.state
        if state == .delivered { return row.historyActivity }
        var text = fault ?? state.text(now: now)
        if isSetAside, state == .paused { text = "cancelled; the program keeps the received bytes" }
        if !row.progress.detail.isEmpty {
            switch state {
            case .failed(let failure): text = "failed: " + self.text(of: failure)
            case .waiting(.retry), .waiting(.credentials), .waiting(.disk): text += " (\(row.progress.detail))"
            default: break
            }
        }
        let errorCode: Int32 =
            switch state {
            case .failed(let failure): Int32(clamping: failure.urlErrorCode)
            case .cancelled: -999
            default: 0
            }
        return TaskSnapshot.Activity(state.phase, text, errorCode: errorCode)
    }
}

extension TaskRow {
    /// How a transfer in the history has ended.
    var historyActivity: TaskSnapshot.Activity {
        let outcome = progress.stateNumber.flatMap { UInt8(exactly: $0) }.flatMap { TaskSnapshot.Phase(rawValue: $0) }
        return switch outcome {
        case .failed: TaskSnapshot.Activity(.failed, "failed: " + progress.detail, errorCode: -1)
        case .cancelled: TaskSnapshot.Activity(.cancelled, "cancelled", errorCode: -999)
        default: TaskSnapshot.Activity(.finished, "done")
        }
    }
}

/// The options of a transfer, as bits of ``TaskRow/Request-swift.struct/options``.
enum TransferOptions {
    static let discretionary: Int64 = 1
    static let allowsInsecureHTTP: Int64 = 2
    /// The program has chosen the file name; a suggestion of the server is ignored.
    static let hasFixedName: Int64 = 4
    /// The program has created the transfer while it was in the background.
    static let createdInBackground: Int64 = 8
    /// The program has cancelled the transfer, and its bytes are kept.
    static let isSetAside: Int64 = 16
}

extension TransferState {
    /// The kind of the state for programs.
    var phase: TaskSnapshot.Phase {
        switch self {
        case .created, .paused: .suspended
        case .queued, .waiting: .waiting
        case .connecting, .receiving, .verifying, .finishing: .running
        case .finished, .delivered: .finished
        case .failed: .failed
        case .cancelled: .cancelled
        }
    }

    /// The state as the database stores it. States that a start of the service treats as queued are stored as queued,
    /// so that waiting for a slot and running need no write.
    var stored: StoredTransferState {
        switch self {
        case .connecting, .receiving: StoredTransferState(.queued)
        case .waiting(let reason) where reason.isCondition: StoredTransferState(.queued)
        default: StoredTransferState(self)
        }
    }
}
