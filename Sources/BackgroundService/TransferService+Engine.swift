import BackgroundProtocol
import Glibc
import LedgerStore
import SystemCalls
import TransferPolicy

extension TransferService {
    /// Handles a message of the engine.
    func handle(_ event: EngineEvent) {
        switch event {
        case .hello, .connected, .listening, .line: break
        case .response(let number, let response): withRun(number) { handle(response, of: $0, run: $1) }
        case .progress(let number, let length): withRun(number) { handleProgress(length, of: $0, run: $1) }
        case .uploadProgress(let number, let sent):
            withRun(number) { transfer, _ in
                transfer.sent = sent
                observer?.transferDidProgress(transfer)
            }
        case .checkpoint(let number, let length): withRun(number) { transfer, _ in checkpoint(length, of: transfer) }
        case .emptied(let number): withRun(number) { empty($0, run: $1) }
        case .finished(let number, let length, let status):
            withRun(number) { handleFinish(length: length, status: status, of: $0, run: $1) }
        case .failed(let number, let failure): withRun(number) { handle(failure, of: $0, run: $1) }
        case .stopped(let number, let length):
            withRun(number) { transfer, _ in
                checkpoint(length, of: transfer)
                endRun(of: transfer)
            }
        case .planned(let number, let resources): withRun(number) { transfer, _ in add(resources, to: transfer) }
        case .quirksObserved(let host, let quirks): try? ledger.saveQuirks(Int64(quirks.rawValue), of: host)
        }
    }

    /// Handles the exit of the engine: all runs have ended.
    func handleEngineExit() {
        for transfer in runs.values.sorted(by: { $0.row.id < $1.row.id }) {
            endRun(of: transfer)
            handle(.engineExited, of: transfer)
            removeFilesOfEndedTransfer(transfer)
        }
    }

    /// Calls `body` with the transfer of a run; does nothing for an unknown run. If `body` ends the run of a transfer
    /// that has ended, the files of the transfer are removed.
    private func withRun(_ number: UInt64, _ body: (Transfer, Transfer.Run) -> Void) {
        guard let transfer = runs[number], let run = transfer.run else { return }
        body(transfer, run)
        removeFilesOfEndedTransfer(transfer)
    }

    /// Stores what a response says about the content. The engine has emptied the part file before it sends a response
    /// whose body is new content, so that stored validators never belong to older bytes.
    private func handle(_ response: EngineResponse, of transfer: Transfer, run: Transfer.Run) {
        guard var part = transfer.part else { return }
        save(status: response.status, of: transfer)
        transfer.row.progress.detail = ""
        gate.open(transfer.host)
        if response.use == .errorPage {
            transfer.run?.usesErrorPage = true
        } else {
            if response.use != .rest, response.use != .nothing {
                part.durable = PartRow.Durable(boot: clock.boot, digest: TailDigest.digest([]))
                transfer.received = 0
                transfer.run?.length = 0
            }
            part.total = response.total ?? (response.use == .rest || response.use == .nothing ? part.total : nil)
            part.validators = PartRow.Validators(
                entityTag: response.validators.entityTag, lastModified: response.validators.lastModified,
                date: response.validators.date, mediaType: response.mediaType)
            part.isResumable = response.isResumable
            do throws(DatabaseError) {
                let stored = part
                try ledger.transaction { () throws(DatabaseError) in
                    try ledger.save(stored)
                    // After a crash, a page about an error must not count as the content.
                    try ledger.save(transfer.row.progress, of: transfer.row.id)
                }
                try saveName(suggested: response, of: transfer)
                try savePlaylistAddress(response, of: transfer)
            } catch { return stopForFullDatabase(error, transfer, run) }
            transfer.part = part
        }
        handle(.engine(run: run.machineRun, .responded), of: transfer)
        if response.use == .rest { observer?.transferDidResume(transfer, at: response.offset) }
    }

    /// Records the status of a response. For the program, a transfer that continues with a part of the content (206)
    /// has the status of the whole, and not that of an error that an earlier attempt received.
    private func save(status: UInt16, of transfer: Transfer) {
        let oldStatus = transfer.row.progress.status ?? 200
        transfer.row.progress.status = status != 206 ? Int64(status) : oldStatus < 400 ? oldStatus : 200
    }

    /// Takes the name that the server suggests, unless the program has chosen one.
    private func saveName(suggested response: EngineResponse, of transfer: Transfer) throws(DatabaseError) {
        guard let suggestion = response.suggestedName, response.status < 300,
            transfer.row.request.options & TransferOptions.hasFixedName == 0
        else { return }
        let name = FileNamePolicy.name(suggestion: suggestion)
        guard name != FileNamePolicy.fallbackName, name != transfer.row.destination.name else { return }
        try ledger.saveName(name, of: transfer.row.id)
        transfer.row.destination.name = name
    }

    /// Records the length of a part file.
    private func handleProgress(_ length: Int64, of transfer: Transfer, run: Transfer.Run) {
        transfer.retry.handleProgress(from: run.length, to: length)
        transfer.run?.length = length
        transfer.received = length
        observer?.transferDidProgress(transfer)
    }

    /// Stores the number of bytes that are on the disk, with the digest of their end.
    private func checkpoint(_ length: Int64, of transfer: Transfer) {
        guard var part = transfer.part, let run = transfer.run, !run.usesErrorPage,
            let file = try? FileDescriptor(duplicating: run.part.file.raw),
            let digest = TailDigest.value(of: file, length: length)
        else { return }
        part.durable = PartRow.Durable(length: length, boot: clock.boot, digest: digest)
        guard part != transfer.part else { return }
        // A checkpoint that cannot be stored costs bytes after a loss of power, and no more.
        guard (try? ledger.save(part)) != nil else { return }
        transfer.part = part
    }

    /// Records that the part file was emptied. If that cannot be stored, the run ends: new bytes must not be kept
    /// beside the validators of the old ones.
    private func empty(_ transfer: Transfer, run: Transfer.Run) {
        guard var part = transfer.part else { return }
        part.durable = PartRow.Durable(boot: clock.boot, digest: TailDigest.digest([]))
        part.validators = PartRow.Validators()
        part.total = nil
        transfer.received = 0
        transfer.run?.length = 0
        transfer.part = part
        do throws(DatabaseError) { try ledger.save(part) } catch { stopForFullDatabase(error, transfer, run) }
    }

    /// Handles the end of a body, which is on the disk.
    private func handleFinish(length: Int64, status: UInt16, of transfer: Transfer, run: Transfer.Run) {
        save(status: status, of: transfer)
        if status >= 400, transfer.package != nil {
            return handleMissingResource(status: status, of: transfer, run: run)
        }
        if status >= 400, transfer.row.destination.isKept {
            endRun(of: transfer)
            transfer.row.progress.detail = "the server answered with status \(status)"
            return handle(.fail(.badServerResponse), of: transfer)
        }
        // The transfer was stopped meanwhile, and continues with its bytes: the page must not replace them.
        if run.usesErrorPage, !transfer.machine.state.isRunning { return endRun(of: transfer) }
        let file = run.usesErrorPage ? run.errorPage?.file : run.part.file
        guard let file, var part = run.usesErrorPage ? run.errorPage?.row : transfer.part,
            let copy = try? FileDescriptor(duplicating: file.raw),
            let digest = TailDigest.value(of: copy, length: length)
        else {
            endRun(of: transfer)
            return handle(
                .engine(run: run.machineRun, .interrupted(.disk(errorNumber: EIO))), of: transfer)
        }
        part.total = length
        part.durable = PartRow.Durable(length: length, boot: clock.boot, digest: digest)
        do throws(DatabaseError) {
            try ledger.save(part)
        } catch {
            // The engine has ended the run and does not report a stop.
            endRun(of: transfer)
            return waitForDatabase(error, transfer, run)
        }
        if run.usesErrorPage, let old = transfer.part {
            PartFiles.remove(old.name, identity: old.identity, of: transfer.fileRow)
        }
        transfer.part = part
        transfer.received = length
        endRun(of: transfer)
        handle(.engine(run: run.machineRun, .responded), of: transfer)
        handle(.engine(run: run.machineRun, .bodyReceived), of: transfer)
    }

    /// Stops a run whose progress cannot be stored.
    func stopForFullDatabase(_ error: DatabaseError, _ transfer: Transfer, _ run: Transfer.Run) {
        _ = engine.send(.stop(transfer: run.number), descriptors: [])
        waitForDatabase(error, transfer, run)
    }

    /// Lets a transfer wait until its progress can be stored.
    private func waitForDatabase(_ error: DatabaseError, _ transfer: Transfer, _ run: Transfer.Run) {
        logger.error("cannot store the progress of transfer \(transfer.row.id): \(error)")
        let number = error.isDiskFull ? ENOSPC : EIO
        handle(.engine(run: run.machineRun, .interrupted(.disk(errorNumber: number))), of: transfer)
    }

    /// Removes the files of a transfer that has ended while the engine still used them.
    private func removeFilesOfEndedTransfer(_ transfer: Transfer) {
        guard transfer.machine.state == .delivered, transfers[transfer.row.id] != nil else { return }
        perform(.deletePart, of: transfer)
    }

    /// Handles a failed run.
    private func handle(_ failure: EngineFailure, of transfer: Transfer, run: Transfer.Run) {
        if failure.kind != .disk { checkpoint(failure.durableLength, of: transfer) }
        let isFull = failure.code == ENOSPC || failure.code == EDQUOT
        if failure.mayHaveLostBytes || (failure.kind == .disk && !isFull) {
            discardUncertainBytes(transfer, run)
        }
        endRun(of: transfer)
        transfer.row.progress.detail = failure.message
        if failure.kind == .credentials { transfer.row.progress.status = Int64(failure.code) }
        if failure.closesHost {
            _ = gate.close(
                transfer.host, retryAfter: failure.retryAfter.map { .seconds(Int64($0)) }, now: clock.time)
        } else {
            gate.handleFailure(transfer.host)
        }
        handle(.engine(run: run.machineRun, .interrupted(interruption(for: failure, of: transfer))), of: transfer)
    }

    /// Truncates a part file to its last checkpoint after an error of the disk: the kernel may have dropped the bytes
    /// after it, also because the disk is full, and a second `fdatasync` would not report that.
    private func discardUncertainBytes(_ transfer: Transfer, _ run: Transfer.Run) {
        guard let part = transfer.part else { return }
        var status = stat()
        guard fstat(run.part.file.raw, &status) == 0 else { return }
        let length = min(part.durable.length, Int64(status.st_size))
        _ = ftruncate(run.part.file.raw, off_t(length))
        transfer.received = length
    }

    /// Returns the meaning of a failure for the state machine.
    private func interruption(
        for failure: EngineFailure, of transfer: Transfer
    ) -> TransferMachine.Interruption {
        switch failure.kind {
        case .network, .timeout, .engine: retry(.network, transfer)
        case .busy: retry(.unavailable(retryAfter: failure.retryAfter.map { .seconds(Int64($0)) }), transfer)
        case .badResponse: retry(.garbage, transfer)
        case .portal: signInPage(transfer)
        case .disk: .disk(errorNumber: failure.code)
        case .credentials: .credentials
        case .certificate: .permanent(.certificate)
        case .tooManyRedirects: .permanent(.tooManyRedirects)
        case .refusedRedirect: .permanent(.redirectRefused)
        case .invalidAddress: .permanent(.unsupportedURL)
        case .tooLarge: .permanent(.tooLarge)
        case .unreadableUpload: .permanent(.unreadableFile)
        case .unsupportedStream: .permanent(.unsupportedStream)
        case .wrongDigest: .permanent(.digestMismatch)
        }
    }

    /// Returns the time at which a transfer looks again whether the user has passed a sign-in page.
    private func signInPage(_ transfer: Transfer) -> TransferMachine.Interruption {
        switch retry(.network, transfer) {
        case .temporary(let time): .portal(retryAt: time)
        case let other: other
        }
    }

    /// Returns the time of the next attempt, or the end of the transfer.
    func retry(_ fault: RetryPolicy.Fault, _ transfer: Transfer) -> TransferMachine.Interruption {
        let decision = transfer.retry.handle(
            fault, isDiscretionary: transfer.isDiscretionary, random: .random(in: 0..<1), now: clock.time)
        return switch decision {
        case .retry(let time): .temporary(retryAt: time)
        case .fail: .permanent(.badServerResponse)
        }
    }
}
