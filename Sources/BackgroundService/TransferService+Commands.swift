import BackgroundProtocol
import Glibc
import LedgerStore
import SystemCalls
import TransferPolicy

extension TransferService {
    /// Loads the stored transfers, checks their part files, and continues the transfers.
    ///
    /// - Parameter session: Returns the session with a key.
    func load(session: (Int64) -> Session?) throws(DatabaseError) {
        let mark = try ledger.clockMark(), isSameBoot = mark?.boot == clock.boot
        try ledger.save(clock.mark, passed: mark.map { clock.passed(since: $0) } ?? 0)
        for row in try ledger.tasksWithFiles(inState: Self.deliveredState) {
            guard let session = session(row.session) else { continue }
            let transfer = Transfer(
                row: row, part: try ledger.part(of: row.id), session: session, host: "", deadline: .max)
            try loadPackage(of: transfer)
            perform(.deletePart, of: transfer)
        }
        for row in try ledger.tasks(notInState: Self.deliveredState) {
            guard let session = session(row.session) else { continue }
            let transfer = Transfer(
                row: row, part: try ledger.part(of: row.id), session: session,
                host: TransferAddress(row.request.url)?.host ?? "", deadline: deadline(after: row.schedule.timeLimit))
            transfers[row.id] = transfer
            try loadPackage(of: transfer)
            holdBack(transfer)
            try recover(transfer, isSameBoot: isSameBoot)
        }
        ledger.secrets.removeAll(except: Set(transfers.values.map(\.secretName)))
    }

    /// The name of the state of acknowledged transfers.
    static var deliveredState: String { StoredTransferState(.delivered).name }

    /// Returns the boot time at which a time limit ends, in nanoseconds.
    private func deadline(after timeLimit: Int64) -> Int64 {
        let (sum, isOverflow) = clock.now().addingReportingOverflow(timeLimit)
        return isOverflow ? .max : sum
    }

    /// Checks the part file of a loaded transfer.
    private func recover(_ transfer: Transfer, isSameBoot: Bool) throws(DatabaseError) {
        PartFiles.removeLost(of: transfer.fileRow, except: transfer.part)
        guard !transfer.machine.state.isTerminal else {
            // The service may have crashed after the program's acknowledgement was stored.
            let hasEvents = try ledger.hasEvents(ofTask: transfer.row.id)
            if !hasEvents || !transfer.deliversEvents { handle(.acknowledge, of: transfer) }
            return
        }
        try recoverPart(of: transfer)
        // The end of a delay is a time since another start of the machine, which means nothing now.
        if !isSameBoot, case .waiting(let reason) = transfer.machine.state, !reason.isCondition, reason.end != nil {
            handle(.waitEnded, of: transfer)
        }
        if case .waiting(.disk) = transfer.machine.state { scheduleDiskCheck() }
    }

    /// Checks the part file of a transfer after a start of the service, and continues the transfer. If the file cannot
    /// be checked now, the transfer stays as it is, and does not run until the next check of the disks.
    func recoverPart(of transfer: Transfer) throws(DatabaseError) {
        transfer.isUnchecked = true
        var found = TransferMachine.RecoveredPart.missing
        if let part = transfer.part {
            do throws(PartFiles.Failure) {
                let recovered = try PartFiles.recover(part, of: transfer.fileRow, boot: clock.boot)
                found = recovered.found
                if recovered.part != part { try? ledger.save(recovered.part) }
                transfer.part = recovered.part
                transfer.received = size(of: transfer) ?? recovered.part.durable.length
            } catch {
                switch error {
                case .directoryChanged:
                    transfer.isUnchecked = false
                    return handle(.fail(.directoryChanged), of: transfer)
                case .system(let error):
                    logger.warning("cannot check the part file of transfer \(transfer.row.id): \(error)")
                    transfer.fault = "waiting for the disk: \(DiskErrorText.text(error.number))"
                    return scheduleDiskCheck()
                }
            }
        }
        if found == .published, let resource = transfer.package?.resource, let part = transfer.part {
            try finish(resource, length: part.durable.length, of: transfer)
            found = .missing
        }
        transfer.isUnchecked = false
        transfer.fault = nil
        if found == .whole, !transfer.canPublish { found = .partial }
        handle(.restarted(found), of: transfer)
    }

    /// Returns the size of the part file of a transfer.
    private func size(of transfer: Transfer) -> Int64? {
        guard let part = transfer.part, let open = try? PartFiles.open(part, of: transfer.fileRow) else { return nil }
        var status = stat()
        return fstat(open.file.raw, &status) == 0 ? Int64(status.st_size) : nil
    }

    /// Returns the transfer that an earlier command with a UUID has created in a session; nil if there is none.
    func transfer(withUUID uuid: [UInt8], in session: Session) -> Transfer? {
        transfers.values.first { $0.row.uuid == uuid && $0.session === session }
    }

    /// Creates a transfer, or returns the transfer that an earlier command with the same UUID has created.
    ///
    /// - Parameter directory: The directory of the finished file; nil for a file that is removed after the program has
    ///   acknowledged it.
    func create(
        _ request: TaskRequest, in session: Session, directory: DirectoryDescriptor?, isInBackground: Bool = false
    ) throws(ClientEvent.Refusal) -> Transfer {
        if let existing = transfer(withUUID: request.uuid, in: session) { return existing }
        guard let address = TransferAddress(request.request.address) else {
            throw ClientEvent.Refusal(.invalid, "the address is not a valid http or https address")
        }
        guard address.scheme == "https" || session.configuration.allowsInsecureHTTP else {
            throw ClientEvent.Refusal(.invalid, "the address is not https; allow http in the session to use it")
        }
        var row = try makeRow(request, address, session: session, directory: directory)
        var fields = request.request.fields
        if let credentials = address.credentials, !fields.contains(where: { $0.name.lowercased() == "authorization" }) {
            fields.append(
                HeaderField("Authorization", BasicCredentials.fieldValue(credentials), isSecret: true))
        }
        row.request.hasSecret = !fields.isEmpty
        if isInBackground { row.request.options |= TransferOptions.createdInBackground }
        do {
            let name = Transfer(row: row, part: nil, session: session, host: "", deadline: 0).secretName
            if !fields.isEmpty { try ledger.secrets.save(fields.encoded, name: name) }
            let stored = try ledger.transaction { () throws(DatabaseError) in
                let (stored, isNew) = try ledger.create(row)
                if isNew, let stream = request.stream { try PackageFiles.create(stored, stream, ledger) }
                return stored
            }
            let transfer = Transfer(
                row: stored, part: try ledger.part(of: stored.id), session: session, host: address.host,
                deadline: deadline(after: session.configuration.resourceTimeout * MonotonicTime.nanosecondsPerSecond))
            try loadPackage(of: transfer)
            transfers[stored.id] = transfer
            holdBack(transfer)
            observer?.transferDidChange(transfer)
            return transfer
        } catch { throw ClientEvent.Refusal(.storage, "the transfer cannot be stored: \(error)") }
    }

    /// Returns the row of a new transfer.
    private func makeRow(
        _ request: TaskRequest, _ address: TransferAddress, session: Session, directory: DirectoryDescriptor?
    ) throws(ClientEvent.Refusal) -> TaskRow {
        let suggestedName =
            request.fileName.isEmpty
            ? FileNamePolicy.name(urlPath: address.path) : FileNamePolicy.name(suggestion: request.fileName)
        let isNamed = request.stream == nil || !request.fileName.isEmpty
        let name = isNamed ? suggestedName : FileNamePolicy.packageName(urlPath: address.path)
        let destination: TaskRow.Destination
        do throws(SystemCallError) {
            let directory =
                if let directory { directory } else {
                    try DirectoryDescriptor.create(Self.stagingDirectory(of: session))
                }
            guard let path = directory.path else { throw SystemCallError(call: "directory", number: ENOENT) }
            destination = TaskRow.Destination(
                directory: path, identity: try directory.identity(), name: name,
                isKept: request.hasDirectory)
            guard faccessat(directory.raw, ".", W_OK | X_OK, 0) == 0 else {
                throw SystemCallError(call: path, number: errno)
            }
        } catch { throw ClientEvent.Refusal(.storage, "the directory cannot be written: \(error.reason)") }
        let mark = clock.passed(since: (try? ledger.clockMark()) ?? clock.mark)
        let timeLimit = session.configuration.resourceTimeout * MonotonicTime.nanosecondsPerSecond
        var row = TaskRow(
            session: session.row.id, uuid: request.uuid, request: TaskRow.Request(url: address.text),
            destination: destination, schedule: TaskRow.Schedule(created: clock.wall(), timeLimit: timeLimit + mark),
            state: StoredTransferState(.created).name)
        row.request.method = request.request.method
        row.request.upload = request.upload
        row.request.digest = request.digest?.bytes ?? []
        if request.isDiscretionary { row.request.options |= TransferOptions.discretionary }
        if session.configuration.allowsInsecureHTTP, request.request.allowsInsecureHTTP {
            row.request.options |= TransferOptions.allowsInsecureHTTP
        }
        if !request.fileName.isEmpty || request.stream != nil { row.request.options |= TransferOptions.hasFixedName }
        (row.description, row.priority) = (request.description, request.priority)
        row.schedule.earliest = request.earliestBegin
        return row
    }

    /// Lets a transfer that was created in the background wait for the relaunch delay of its program.
    func holdBack(_ transfer: Transfer) {
        guard transfer.row.request.options & TransferOptions.createdInBackground != 0 else { return }
        transfer.relaunchDelayEnd = transfer.session.client.relaunch.holdTransfer(now: clock.time)
    }

    /// Ends the relaunch delays of the transfers of a program, because the user has opened the program.
    func endRelaunchDelays(of client: Client) {
        for transfer in transfers.values where transfer.session.client === client { transfer.relaunchDelayEnd = nil }
    }

    /// Cancels the transfers of a program, because the user has closed the program for good. Transfers whose files
    /// belong to the user, such as those of `swiftplay download`, go on.
    func cancelAll(of client: Client) {
        for transfer in sortedTransfers
        where transfer.session.client === client && transfer.session.configuration.deliversEvents {
            handle(.cancel, of: transfer)
        }
    }

    /// The directory of the files of a session that are removed after the program has acknowledged them.
    static func stagingDirectory(of session: Session) -> String {
        "\(BackgroundAddress.stagingDirectory)/\(session.row.id)"
    }

    /// Adds the user name and password that the program has supplied to the request of a transfer.
    func authenticate(_ transfer: Transfer, user: String, password: String) throws(ClientEvent.Refusal) {
        let name = transfer.row.progress.status == 407 ? "Proxy-Authorization" : "Authorization"
        let value = BasicCredentials.fieldValue(Array("\(user):\(password)".utf8))
        do {
            var fields: [HeaderField] = []
            if transfer.row.request.hasSecret, let secret = try ledger.secrets.secret(name: transfer.secretName) {
                fields = (try? [HeaderField](decoding: secret)) ?? []
            }
            fields.removeAll { $0.name.lowercased() == name.lowercased() }
            fields.append(HeaderField(name, value, isSecret: true))
            try ledger.secrets.save(fields.encoded, name: transfer.secretName)
            if !transfer.row.request.hasSecret { try ledger.saveHasSecret(of: transfer.row.id) }
            transfer.row.request.hasSecret = true
        } catch { throw ClientEvent.Refusal(.storage, "the password cannot be stored: \(error)") }
        handle(.waitEnded, of: transfer)
    }
}
