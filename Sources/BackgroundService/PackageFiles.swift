import BackgroundProtocol
import Glibc
import LedgerStore
import SystemCalls
import TransferPolicy

/// The folder of a package on the disk.
///
/// The folder gets its final name at once, and each file in it when it is complete. The multivariant playlist gets the
/// name ``master`` last: a folder with this name is complete.
enum PackageFiles {
    /// The name of the playlist with which a player opens a complete package.
    static let master = "master.m3u8"
    /// The name of the same playlist while the package is not complete.
    static let unfinishedMaster = "incomplete.m3u8"
    /// The suffix of the names of playlists as the server sent them. They are removed at the end.
    private static let originalSuffix = ".source"
    /// The maximum size of a playlist, in bytes.
    static let playlistLimit: Int64 = 8 << 20
    /// The most resources of a package, and the most of them that are playlists.
    static let resourceLimit: Int64 = 60_000, playlistCountLimit = 40
    /// The most names that are tried for one folder.
    private static let nameLimit = 1000

    /// Stores a new package: the first playlist and its plan.
    static func create(_ task: TaskRow, _ stream: StreamPreferences, _ ledger: Ledger) throws(DatabaseError) {
        try ledger.create(
            PackageRow(task: task.id, preferences: stream.encoded),
            first: playlist(task: task.id, number: 0, url: task.request.url, name: unfinishedMaster))
    }

    /// Returns the rows of a playlist of the server and of the playlist of the copy.
    static func playlist(task: Int64, number: Int64, url: String, name: String) -> [ResourceRow] {
        [
            ResourceRow(task: task, number: number, kind: .playlist, url: url, name: originalName(of: name)),
            ResourceRow(task: task, number: number + 1, kind: .playlist, url: url, name: name),
        ]
    }

    /// Returns a name without its suffix.
    static func stem(of name: String) -> String { String(name.prefix { $0 != "." }) }

    /// Returns the name of the playlist of the server from which a playlist of the copy is made.
    static func originalName(of name: String) -> String { stem(of: name) + originalSuffix }

    /// Creates the folder of a package, unless it exists. A folder is never replaced: a name in use gets a number.
    static func openFolder(of transfer: Transfer, _ ledger: Ledger) throws(PartFiles.Failure) {
        guard let package = transfer.package, package.row.folder == nil else { return }
        let parent = try PartFiles.directory(of: transfer.row.destination)
        let name = transfer.row.destination.name
        do throws(SystemCallError) {
            for number in 1...nameLimit {
                let candidate = number == 1 ? name : FileNamePolicy.numbered(name, number)
                // A crash after the creation of the folder has left it empty; it is used then.
                if parent.contains(candidate) {
                    guard number == 1, transfer.row.progress.attempts > 0, isEmpty(candidate, in: parent) else {
                        continue
                    }
                } else {
                    try save(candidate, of: transfer, ledger)
                    try parent.createDirectory(candidate)
                    try parent.synchronize()
                }
                let identity = try parent.openDirectory(candidate).identity()
                do throws(DatabaseError) { try ledger.saveFolder(identity, of: transfer.row.id) } catch {
                    throw SystemCallError(call: "database", number: error.isDiskFull ? ENOSPC : EIO)
                }
                transfer.package?.row.folder = identity
                return
            }
            throw SystemCallError(call: "mkdirat", number: EEXIST)
        } catch { throw .system(error) }
    }

    /// Stores the name of a folder before the folder gets this name. The stored number of attempts shows a start after
    /// a crash that the folder may exist.
    private static func save(_ name: String, of transfer: Transfer, _ ledger: Ledger) throws(SystemCallError) {
        do throws(DatabaseError) {
            try ledger.transaction { () throws(DatabaseError) in
                try ledger.saveName(name, of: transfer.row.id)
                var progress = transfer.row.progress
                progress.attempts += 1
                try ledger.save(progress, of: transfer.row.id)
            }
            transfer.row.destination.name = name
        } catch { throw SystemCallError(call: "database", number: error.isDiskFull ? ENOSPC : EIO) }
    }

    /// Returns whether a name refers to an empty folder.
    private static func isEmpty(_ name: String, in parent: DirectoryDescriptor) -> Bool {
        (try? parent.openDirectory(name).entryNames(limit: 1))?.isEmpty ?? false
    }

    /// Gives a resource its final name, durably. The folder belongs to the package, so that a file with this name is
    /// one of an earlier attempt.
    static func publish(_ open: PartFiles.OpenPart, part: PartRow, name: String) throws(SystemCallError) {
        try systemCall("fdatasync") { fdatasync(open.file.raw) }
        try open.directory.remove(name)
        try open.directory.rename(part.name, to: name)
        try open.directory.synchronize()
    }

    /// Completes a package whose resources have all arrived.
    static func complete(_ transfer: Transfer, _ ledger: Ledger) throws(PartFiles.Failure) {
        let folder = try PartFiles.directory(of: transfer.fileRow.destination)
        let playlistNames: [String]
        // The addresses in the playlists of the server may contain secrets, so no playlist may be left.
        do throws(DatabaseError) { playlistNames = try ledger.playlistNames(of: transfer.row.id) } catch {
            throw .system(SystemCallError(call: "database", number: error.isDiskFull ? ENOSPC : EIO))
        }
        do throws(SystemCallError) {
            for name in playlistNames { try folder.remove(name) }
            if !folder.contains(master) { try folder.rename(unfinishedMaster, to: master) }
            try folder.synchronize()
        } catch { throw .system(error) }
    }

    /// Removes the folder of a package that was cancelled or has failed. Files of the user in the folder stay, and with
    /// them the folder.
    static func removeUnfinished(_ transfer: Transfer, _ ledger: Ledger) {
        guard transfer.package?.row.folder != nil,
            let folder = try? PartFiles.directory(of: transfer.fileRow.destination), !folder.contains(master)
        else { return }
        for name in (try? ledger.resourceNames(of: transfer.row.id)) ?? [] { try? folder.remove(name) }
        try? PartFiles.directory(of: transfer.row.destination).removeDirectory(transfer.row.destination.name)
    }

    /// Returns the header fields for the current resource. Secrets are sent only to the origin of the package's
    /// address.
    static func fields(_ fields: [HeaderField], of transfer: Transfer) -> [HeaderField] {
        guard transfer.package != nil else { return fields }
        let origin = TransferAddress(transfer.row.request.url), target = TransferAddress(transfer.address)
        if origin?.host == target?.host, origin?.scheme == target?.scheme { return fields }
        return fields.filter { !$0.isSecret && !RedirectPolicy.isAlwaysSecret($0.name) }
    }
}
