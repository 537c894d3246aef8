/// The state of a transfer.
package enum TransferState: Hashable, Sendable {
    /// The transfer was created and never resumed.
    case created
    /// The transfer can run and has no slot yet.
    case queued
    /// The transfer cannot run now.
    case waiting(WaitingReason)
    /// The engine sends the request.
    case connecting
    /// Bytes arrive and are written to the part file.
    case receiving
    /// All bytes have arrived; length and digest are compared.
    case verifying
    /// The part file is synchronised and renamed.
    case finishing
    /// The file has its final name; the program has not acknowledged it.
    case finished
    /// The program has acknowledged the end of the transfer.
    case delivered
    /// The program or the user suspended the transfer.
    case paused
    /// The transfer has failed; the program has not acknowledged it.
    case failed(TransferFailure)
    /// The program or the user cancelled the transfer; the program has not acknowledged it.
    case cancelled

    /// Whether the transfer has a run of the engine.
    package var isRunning: Bool { self == .connecting || self == .receiving }

    /// Whether the transfer has ended, so that only an acknowledgement changes the state.
    package var isTerminal: Bool {
        switch self {
        case .finished, .delivered, .failed, .cancelled: true
        case .created, .queued, .waiting, .connecting, .receiving, .verifying, .finishing, .paused: false
        }
    }

    /// Returns the text of a listing, in one line.
    /// - Parameter now: the current boot time, from which the rest of a delay is computed.
    package func text(now: Duration) -> String {
        switch self {
        case .created: "not started by the program"
        case .queued: "about to start"
        case .waiting(let reason): reason.text(now: now)
        case .connecting: "connecting"
        case .receiving: "receiving"
        case .verifying: "checking the received file"
        case .finishing: "writing to the disk"
        case .finished: "finished; the program has not received it yet"
        case .delivered: "done"
        case .paused: "paused"
        case .failed(let failure): "failed: \(failure.text)"
        case .cancelled: "cancelled"
        }
    }
}
