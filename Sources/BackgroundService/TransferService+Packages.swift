import BackgroundProtocol
import Glibc
import LedgerStore
import SystemCalls
import TransferPolicy

extension TransferService {
    /// Loads the state of a package; does nothing for a file.
    func loadPackage(of transfer: Transfer) throws(DatabaseError) {
        guard let row = try ledger.package(of: transfer.row.id) else { return }
        guard let preferences = try? StreamPreferences(decoding: row.preferences) else {
            throw DatabaseError(operation: "package", code: 11, message: "the preferences of a package are damaged")
        }
        transfer.package = PackageState(row: row, preferences: preferences, sums: ResourceSums())
        try loadResource(of: transfer)
    }

    /// Loads the resource that is due, and the sums over all resources.
    private func loadResource(of transfer: Transfer) throws(DatabaseError) {
        let resource = try ledger.nextResource(of: transfer.row.id)
        transfer.package?.sums = try ledger.resourceSums(of: transfer.row.id)
        setResource(resource, of: transfer)
    }

    private func setResource(_ resource: ResourceRow?, of transfer: Transfer) {
        transfer.package?.resource = resource
        transfer.package?.host = resource.flatMap { TransferAddress($0.url)?.host }
    }

    /// Orders the engine to make the playlist of the copy from a playlist of the server.
    func startPlan(_ transfer: Transfer, _ resource: ResourceRow, machineRun: Int) throws(PartFiles.Failure) {
        guard let package = transfer.package else { return }
        do throws(DatabaseError) { try ledger.removeResources(ofPlan: resource.number, of: resource.task) } catch {
            throw .system(SystemCallError(call: "database", number: error.isDiskFull ? ENOSPC : EIO))
        }
        let open = try openPart(of: transfer)
        let original: FileDescriptor
        do throws(SystemCallError) {
            original = try open.directory.open(PackageFiles.originalName(of: resource.name), flags: O_RDONLY)
        } catch { throw error.number == ENOENT ? .directoryChanged : .system(error) }
        let stem = PackageFiles.stem(of: resource.name)
        lastRun += 1
        let order = PlanOrder(
            transfer: lastRun, address: resource.url, prefix: resource.number == 1 ? nil : stem,
            isMain: stem == "video", preferences: package.preferences)
        let run = Transfer.Run(
            number: order.transfer, machineRun: machineRun, part: open, errorPage: nil, length: 0)
        start(run, of: transfer, .plan(order), descriptors: [open.file.raw, original.raw])
        _ = consume original
    }

    /// Stores resources that a plan has found. What the engine sends is a claim, because it has read texts of a server.
    func add(_ resources: [PlannedResource], to transfer: Transfer) {
        guard let plan = transfer.package?.resource, plan.isPlan, let run = transfer.run else { return }
        do throws(DatabaseError) {
            var number = try ledger.lastResourceNumber(of: transfer.row.id) + 1
            var rows: [ResourceRow] = []
            for resource in resources {
                guard let address = TransferAddress(resource.address), isPermitted(address, transfer),
                    number < PackageFiles.resourceLimit,
                    !resource.isPlaylist || (plan.number == 1 && number < PackageFiles.playlistCountLimit * 2)
                else {
                    return refuseStream(transfer, run, "the stream refers to an address that is not permitted")
                }
                var added: [ResourceRow]
                if resource.isPlaylist {
                    number += number % 2
                    added = PackageFiles.playlist(
                        task: transfer.row.id, number: number, url: resource.address, name: resource.name)
                } else {
                    var row = ResourceRow(
                        task: transfer.row.id, number: number, kind: .media, url: resource.address, name: resource.name)
                    (row.start, row.duration) = (resource.start, resource.duration)
                    added = [row]
                }
                for index in added.indices { added[index].plan = plan.number }
                number += Int64(added.count)
                rows += added
            }
            try ledger.add(rows)
        } catch {
            guard !error.isConstraint else {
                return refuseStream(transfer, run, "the stream has two parts with one name")
            }
            stopForFullDatabase(error, transfer, run)
        }
    }

    /// Whether a resource may be requested: over https if the address of the package is https, and without a password
    /// in the address.
    private func isPermitted(_ address: TransferAddress, _ transfer: Transfer) -> Bool {
        guard address.credentials == nil else { return false }
        if address.scheme == "https" { return true }
        return transfer.row.request.options & TransferOptions.allowsInsecureHTTP != 0
            && TransferAddress(transfer.row.request.url)?.scheme == "http"
    }

    private func refuseStream(_ transfer: Transfer, _ run: Transfer.Run, _ reason: String) {
        _ = engine.send(.stop(transfer: run.number), descriptors: [])
        endRun(of: transfer)
        transfer.row.progress.detail = reason
        handle(.engine(run: run.machineRun, .interrupted(.permanent(.unsupportedStream))), of: transfer)
    }

    /// Stores the address from which a playlist came, to which its references are relative.
    func savePlaylistAddress(_ response: EngineResponse, of transfer: Transfer) throws(DatabaseError) {
        guard let resource = transfer.package?.resource, resource.kind == .playlist, response.status < 300,
            TransferAddress(response.address)?.credentials == nil, TransferAddress(response.address) != nil
        else { return }
        try ledger.savePlanAddress(response.address, ofPlaylist: resource.number, of: resource.task)
    }

    /// Handles that the server answers with an error page instead of a resource. The request is repeated a few times,
    /// because servers that distribute a stream do not have all parts at once.
    func handleMissingResource(status: UInt16, of transfer: Transfer, run: Transfer.Run) {
        if run.usesErrorPage, let page = run.errorPage {
            PartFiles.remove(page.row.name, identity: page.row.identity, of: transfer.fileRow)
        } else if let part = transfer.part {
            PartFiles.remove(part.name, identity: part.identity, of: transfer.fileRow)
            forgetPart(of: transfer)
        }
        endRun(of: transfer)
        let name = transfer.package?.resource?.name ?? ""
        transfer.row.progress.detail = "the server answered with status \(status) for the part \(name) of the stream"
        handle(.engine(run: run.machineRun, .responded), of: transfer)
        handle(.engine(run: run.machineRun, .interrupted(retry(.garbage, transfer))), of: transfer)
    }

    /// Gives a complete resource its final name, and continues with the next resource or completes the package.
    func publishResource(of transfer: Transfer) {
        do throws(PartFiles.Failure) {
            if let resource = transfer.package?.resource {
                guard let part = transfer.part else { return handle(.fail(.directoryChanged), of: transfer) }
                if let open = try PartFiles.open(part, of: transfer.fileRow) {
                    do throws(SystemCallError) {
                        try PackageFiles.publish(open, part: part, name: resource.name)
                    } catch { throw .system(error) }
                } else if try !PartFiles.isPublished(part, of: transfer.fileRow) {
                    return handle(.fail(.directoryChanged), of: transfer)
                }
                do throws(DatabaseError) {
                    try finish(resource, length: part.total ?? part.durable.length, of: transfer)
                } catch { throw .system(SystemCallError(call: "database", number: error.isDiskFull ? ENOSPC : EIO)) }
            }
            if transfer.package?.resource != nil { return handle(.resourcePublished, of: transfer) }
            try PackageFiles.complete(transfer, ledger)
            handle(.published, of: transfer)
        } catch { handlePublicationFailure(error, of: transfer) }
    }

    /// Stores that a resource has its final name, and selects the next resource.
    func finish(_ resource: ResourceRow, length: Int64, of transfer: Transfer) throws(DatabaseError) {
        try ledger.finish(resource, length: length)
        if resource.kind == .playlist {
            try loadResource(of: transfer)
        } else {
            setResource(try ledger.nextResource(of: resource.task), of: transfer)
            transfer.package?.sums.finishedCount += 1
            transfer.package?.sums.finishedDuration += resource.duration
            transfer.package?.sums.bytes += length
        }
        // After an error, the next attempt needs the part.
        transfer.part = nil
        transfer.received = 0
        transfer.retry = RetryPolicy()
    }
}
