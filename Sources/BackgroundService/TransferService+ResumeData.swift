import BackgroundProtocol
import LedgerStore
import TransferPolicy

/// Downloads that their program has cancelled with resume data: they are suspended, and the program does not see them.
extension TransferService {
    /// Cancels a download for its program, and keeps the received bytes until its time limit ends. A repeated call has
    /// no effect.
    ///
    /// - Throws: `ClientEvent.Refusal` if the download cannot continue, for example because no byte has arrived.
    func setAside(_ transfer: Transfer) throws(ClientEvent.Refusal) {
        if transfer.isSetAside { return }
        guard transfer.canContinue else {
            throw ClientEvent.Refusal(.invalid, "the transfer has no bytes with which it could continue")
        }
        // A crash between the two steps leaves a suspended transfer that the program finds again.
        handle(.suspend, of: transfer)
        guard transfer.machine.state == .paused else {
            throw ClientEvent.Refusal(.storage, "the transfer cannot be stored: \(transfer.fault ?? "unknown reason")")
        }
        try save(transfer.row.request.options | TransferOptions.isSetAside, of: transfer)
    }

    /// Gives a download back to its program. A repeated call has no effect.
    ///
    /// - Throws: `ClientEvent.Refusal` if the session has no such download.
    func takeBack(
        _ token: ResumeToken, in session: Session, isInBackground: Bool
    ) throws(ClientEvent.Refusal) -> Transfer {
        guard let transfer = transfers[token.task], transfer.session === session,
            token == ResumeToken(task: token.task, address: transfer.row.request.url),
            transfer.machine.state == .paused
        else {
            throw ClientEvent.Refusal(
                .unknown, "the received bytes do not exist any more; download the file from its start")
        }
        var options = transfer.row.request.options & ~TransferOptions.isSetAside
        if isInBackground { options |= TransferOptions.createdInBackground }
        try save(options, of: transfer)
        holdBack(transfer)
        return transfer
    }

    private func save(_ options: Int64, of transfer: Transfer) throws(ClientEvent.Refusal) {
        do throws(DatabaseError) { try ledger.saveOptions(options, of: transfer.row.id) } catch {
            throw ClientEvent.Refusal(.storage, "the transfer cannot be stored: \(error.message)")
        }
        transfer.row.request.options = options
    }
}

extension Transfer {
    /// Whether bytes have arrived with which the server can continue.
    fileprivate var canContinue: Bool {
        guard !isUpload, package == nil, row.request.method == "GET", received > 0, part?.isResumable == true else {
            return false
        }
        return switch machine.state {
        // The program may be asked for a password already.
        case .waiting(.credentials): false
        // All bytes have arrived.
        case .waiting(.publication): false
        case .queued, .waiting, .connecting, .receiving, .paused: session.configuration.deliversEvents
        case .created, .verifying, .finishing, .finished, .delivered, .failed, .cancelled: false
        }
    }
}
