import BackgroundProtocol
import Glibc
import LedgerStore
import SystemCalls
import TransferPolicy

extension TransferService {
    /// Performs an action of a state machine. The new state is stored already.
    func perform(_ action: TransferMachine.Action, of transfer: Transfer) {
        switch action {
        case .start(let run): start(transfer, machineRun: run)
        case .stop: if let run = transfer.run { _ = engine.send(.stop(transfer: run.number), descriptors: []) }
        case .verify: verify(transfer)
        case .publish: publish(transfer)
        case .restartFromZero: forgetPart(of: transfer)
        case .deletePart: deleteFiles(of: transfer)
        case .deliverFinished, .deliverFailure, .deliverCancellation:
            // Without a program that reads events, the end of the transfer is its delivery.
            if !transfer.deliversEvents { handle(.acknowledge, of: transfer) }
        case .requestCredentials:
            guard !transfer.session.configuration.deliversEvents else { return }
            transfer.row.progress.detail = "the server requests a user name and password"
            handle(.fail(.badServerResponse), of: transfer)
        }
    }

    /// Orders the engine to run a transfer from the length of its part file.
    private func start(_ transfer: Transfer, machineRun: Int) {
        do throws(PartFiles.Failure) {
            if transfer.package != nil {
                try PackageFiles.openFolder(of: transfer, ledger)
                guard let resource = transfer.package?.resource else {
                    return handle(.engine(run: machineRun, .bodyReceived), of: transfer)
                }
                if resource.isPlan { return try startPlan(transfer, resource, machineRun: machineRun) }
            }
            let open = try openPart(of: transfer)
            guard let part = transfer.part, let order = try order(for: transfer, part: part, open: open) else { return }
            var descriptors = [open.file.raw]
            if let errorPage = order.errorPage { descriptors.append(errorPage.file.raw) }
            var upload: FileDescriptor?
            if let path = transfer.row.request.upload {
                guard let file = try openUpload(path) else { return handle(.fail(.unreadableFile), of: transfer) }
                descriptors.append(file.raw)
                upload = consume file
            }
            gate.handleStart(transfer.host, now: clock.time)
            let run = Transfer.Run(
                number: order.order.transfer, machineRun: machineRun, part: open, errorPage: order.errorPage,
                length: order.order.held.length)
            start(run, of: transfer, .start(order.order), descriptors: descriptors)
            _ = consume upload
        } catch {
            switch error {
            case .directoryChanged: handle(.fail(.directoryChanged), of: transfer)
            case .system(let error) where PartFiles.lastingErrors.contains(error.number):
                handle(.fail(.cannotWrite(errorNumber: error.number)), of: transfer)
            case .system(let error):
                handle(.engine(run: machineRun, .interrupted(.disk(errorNumber: error.number))), of: transfer)
            }
        }
    }

    /// Sends a command to the engine that begins a run.
    func start(_ run: Transfer.Run, of transfer: Transfer, _ command: EngineCommand, descriptors: [Int32]) {
        transfer.run = run
        runs[run.number] = transfer
        engine.setIsBusy(true, now: MonotonicTime.now)
        guard engine.send(command, descriptors: descriptors) else {
            endRun(of: transfer)
            return handle(.engineExited, of: transfer)
        }
        transfer.row.progress.attempts += 1
    }

    /// Opens the part file of a transfer, and creates it if it does not exist.
    func openPart(of transfer: Transfer) throws(PartFiles.Failure) -> PartFiles.OpenPart {
        if let part = transfer.part, let open = try PartFiles.open(part, of: transfer.fileRow) { return open }
        var (part, open) = try PartFiles.create(transfer.fileRow)
        part.durable.boot = clock.boot
        part.durable.digest = TailDigest.digest([])
        do throws(DatabaseError) { try ledger.save(part) } catch {
            PartFiles.remove(part.name, identity: part.identity, of: transfer.fileRow)
            throw .system(SystemCallError(call: "database", number: error.isDiskFull ? ENOSPC : EIO))
        }
        transfer.part = part
        transfer.received = 0
        return open
    }

    /// Opens the file of an upload; nil if it is proven that no regular file with this path can be read.
    private func openUpload(_ path: String) throws(PartFiles.Failure) -> FileDescriptor? {
        do throws(SystemCallError) {
            let file = try FileDescriptor(opening: path, flags: O_RDONLY | O_NONBLOCK)
            guard try file.regularFileSize() != nil else { return nil }
            return file
        } catch {
            let proofs = [ENOENT, ENOTDIR, ELOOP, ENAMETOOLONG, EACCES, EPERM, ENXIO, ENODEV]
            guard proofs.contains(error.number) else { throw .system(error) }
            return nil
        }
    }

    /// Returns the order for the engine; nil if the transfer has ended because it cannot be ordered.
    private func order(
        for transfer: Transfer, part: PartRow, open: PartFiles.OpenPart
    ) throws(PartFiles.Failure) -> (order: TransferOrder, errorPage: Transfer.ErrorPage?)? {
        let row = transfer.row
        var request = TransferRequest(
            address: transfer.address, method: row.request.method,
            allowsInsecureHTTP: row.request.options & TransferOptions.allowsInsecureHTTP != 0)
        if row.request.hasSecret {
            guard let secret = try secret(of: transfer), let fields = try? [HeaderField](decoding: secret) else {
                transfer.row.progress.detail = "the header fields of the request are lost; start the transfer again"
                handle(.fail(.unsupportedURL), of: transfer)
                return nil
            }
            request.fields = PackageFiles.fields(fields, of: transfer)
        }
        var status = stat()
        let size = fstat(open.file.raw, &status) == 0 ? Int64(status.st_size) : 0
        let held = HeldContent(
            length: part.total.map { min(size, $0) } ?? size, total: part.total,
            validators: ContentValidators(
                entityTag: part.validators.entityTag, lastModified: part.validators.lastModified,
                date: part.validators.date), mediaType: part.validators.mediaType)
        lastRun += 1
        var order = TransferOrder(transfer: lastRun, request: request, held: held)
        order.limits.lowSpeedTime = UInt32(clamping: transfer.session.configuration.requestTimeout * 1000)
        order.quirks = HostQuirks(rawValue: UInt8(clamping: (try? ledger.quirks(of: transfer.hostName)) ?? 0))
            .intersection(.known)
        order.isDiscretionary = transfer.isDiscretionary
        order.digest = ContentDigest(row.request.digest)
        if transfer.package?.resource?.kind == .playlist { order.limits.contentLength = PackageFiles.playlistLimit }
        var errorPage: Transfer.ErrorPage?
        if held.length > 0, let page = PartFiles.createErrorPage(for: row, besides: part, in: open.directory) {
            errorPage = page
            order.descriptors.insert(.errorPage)
        }
        if transfer.isUpload { order.descriptors.insert(.upload) }
        guard order.fault == nil else {
            transfer.row.progress.detail = order.fault ?? ""
            handle(.fail(.unsupportedURL), of: transfer)
            return nil
        }
        return (order, errorPage)
    }

    /// Returns the stored header fields of a transfer; nil if they are lost.
    private func secret(of transfer: Transfer) throws(PartFiles.Failure) -> [UInt8]? {
        do throws(SystemCallError) { return try ledger.secrets.secret(name: transfer.secretName) } catch {
            throw .system(error)
        }
    }

    /// Forgets the run of a transfer that has ended.
    func endRun(of transfer: Transfer) {
        guard let run = transfer.run else { return }
        runs[run.number] = nil
        transfer.run = nil
        // A page that was received whole is the part file by now.
        if let page = run.errorPage?.row, page.name != transfer.part?.name { try? run.part.directory.remove(page.name) }
        engine.setIsBusy(!runs.isEmpty, now: MonotonicTime.now)
    }

    /// Compares the length of the part file with the length that the server has stated.
    private func verify(_ transfer: Transfer) {
        // The check of the part file, which is still to come, continues the transfer.
        if transfer.isUnchecked { return }
        if let package = transfer.package, package.resource == nil {
            return handle(.verified(isValid: true), of: transfer)
        }
        do throws(PartFiles.Failure) {
            guard let part = transfer.part else { return handle(.fail(.directoryChanged), of: transfer) }
            guard let open = try PartFiles.open(part, of: transfer.fileRow) else {
                let isPublished = try PartFiles.isPublished(part, of: transfer.fileRow)
                return handle(isPublished ? .verified(isValid: true) : .fail(.directoryChanged), of: transfer)
            }
            var status = stat()
            guard fstat(open.file.raw, &status) == 0 else {
                throw .system(SystemCallError(call: "fstat", number: errno))
            }
            let size = Int64(status.st_size)
            handle(.verified(isValid: size == part.total ?? size), of: transfer)
        } catch { handlePublicationFailure(error, of: transfer) }
    }

    /// Gives the part file its final name.
    private func publish(_ transfer: Transfer) {
        // The body of the reply to an upload is not a file that somebody wants.
        if transfer.isUpload { return handle(.published, of: transfer) }
        if transfer.package != nil { return publishResource(of: transfer) }
        do throws(PartFiles.Failure) {
            guard let part = transfer.part else { return handle(.fail(.directoryChanged), of: transfer) }
            if let open = try PartFiles.open(part, of: transfer.row) {
                try publish(open, part, of: transfer)
            } else if try !PartFiles.isPublished(part, of: transfer.row) {
                return handle(.fail(.directoryChanged), of: transfer)
            }
            handle(.published, of: transfer)
        } catch { handlePublicationFailure(error, of: transfer) }
    }

    /// Gives an open part file its final name.
    private func publish(
        _ open: PartFiles.OpenPart, _ part: PartRow, of transfer: Transfer
    ) throws(PartFiles.Failure) {
        let row = transfer.row
        do throws(PartFiles.PublishFailure) {
            try PartFiles.publish(open, part: part, name: row.destination.name) { name throws(DatabaseError) in
                guard name != transfer.row.destination.name else { return }
                try ledger.saveName(name, of: row.id)
                transfer.row.destination.name = name
            }
        } catch {
            switch error {
            case .system(let error): throw .system(error)
            case .database(let error):
                throw .system(SystemCallError(call: "database", number: error.isDiskFull ? ENOSPC : EIO))
            }
        }
    }

    /// Handles that a complete file cannot be checked or renamed. The file is kept, unless it is proven that it is not
    /// in its directory.
    func handlePublicationFailure(_ failure: PartFiles.Failure, of transfer: Transfer) {
        switch failure {
        case .directoryChanged: handle(.fail(.directoryChanged), of: transfer)
        case .system(let error):
            logger.warning("cannot publish the file of transfer \(transfer.row.id): \(error)")
            handle(.publishFailed(errorNumber: error.number), of: transfer)
        }
    }

    /// Forgets the part file of a transfer, which does not exist any more.
    func forgetPart(of transfer: Transfer) {
        try? ledger.removePart(of: transfer.row.id)
        transfer.part = nil
        transfer.received = 0
    }

    /// Removes what the program does not need after its acknowledgement: the part file, the staged file, the secret.
    private func deleteFiles(of transfer: Transfer) {
        // While the engine has the file open, it may still create bytes; the end of its run removes the file.
        guard transfer.run == nil else { return }
        if transfer.row.request.hasSecret { ledger.secrets.remove(name: transfer.secretName) }
        if let part = transfer.part {
            PartFiles.remove(part.name, identity: part.identity, of: transfer.fileRow)
            if !transfer.row.destination.isKept {
                PartFiles.remove(transfer.row.destination.name, identity: part.identity, of: transfer.row)
            }
        }
        if transfer.package != nil { PackageFiles.removeUnfinished(transfer, ledger) }
        // The row of the part file is removed last: a start after a crash finds it and removes the files again.
        do throws(DatabaseError) { try ledger.moveToHistory(transfer.row) } catch {
            logger.error("cannot move transfer \(transfer.row.id) to the history: \(error)")
        }
        transfers[transfer.row.id] = nil
    }
}
