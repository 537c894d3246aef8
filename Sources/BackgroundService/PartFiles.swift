import Glibc
import LedgerStore
import SystemCalls
import TransferPolicy

/// The files of transfers on the disk: part files, and finished files under their final names.
///
/// The order of the steps guarantees that a crash or a loss of power between any two of them leaves no short file under
/// a final name and loses no more than the bytes after the last checkpoint.
enum PartFiles {
    /// A part file that is open for a run of the engine.
    struct OpenPart: Sendable {
        /// The directory that contains the file.
        let directory: DirectoryDescriptor
        /// The file, for reading and writing.
        let file: SharedDescriptor
    }

    /// The reason why a file cannot be used.
    enum Failure: Error, Equatable {
        /// The directory was replaced, moved or removed.
        case directoryChanged
        /// A system call failed.
        case system(SystemCallError)
    }

    /// The errors by which a file system states that it can never store a file. All other errors may pass.
    static let lastingErrors = [EEXIST, EINVAL, ENAMETOOLONG, ENOSYS, EOPNOTSUPP]

    /// The most names that are tried for one file.
    private static let nameLimit = 1000

    /// Opens the directory of a transfer, which must be the same directory as when the transfer was created.
    static func directory(of destination: TaskRow.Destination) throws(Failure) -> DirectoryDescriptor {
        do throws(SystemCallError) {
            let directory = try DirectoryDescriptor(opening: destination.directory)
            guard try directory.identity() == destination.identity else { throw SystemCallError(call: "", number: 0) }
            return directory
        } catch {
            switch error.number {
            case 0, ENOENT, ENOTDIR, ELOOP: throw .directoryChanged
            default: throw .system(error)
            }
        }
    }

    /// Creates the part file of a transfer. The entry of the directory is durable when this method returns; the caller
    /// then stores the row.
    static func create(_ task: TaskRow) throws(Failure) -> (part: PartRow, open: OpenPart) {
        let directory = try directory(of: task.destination)
        do throws(SystemCallError) {
            for number in 1...nameLimit {
                let base = number == 1 ? task.destination.name : FileNamePolicy.numbered(task.destination.name, number)
                let name = FileNamePolicy.partName(for: base, taskID: task.id)
                do throws(SystemCallError) {
                    let file = try directory.create(name)
                    try directory.synchronize()
                    let part = PartRow(task: task.id, name: name, identity: try file.identity())
                    return (part, OpenPart(directory: directory, file: SharedDescriptor(file)))
                } catch {
                    // Another transfer uses the name, or a crash before the row was stored has left it. In this case
                    // ``removeLost(of:except:)`` removes the file at the next start.
                    guard error.number == EEXIST else { throw error }
                }
            }
            throw SystemCallError(call: "openat", number: EEXIST)
        } catch { throw .system(error) }
    }

    /// Opens the part file of a transfer; nil if the name refers to no file or to a different one.
    static func open(_ part: PartRow, of task: TaskRow) throws(Failure) -> OpenPart? {
        let directory = try directory(of: task.destination)
        guard let file = try open(part.name, part.identity, flags: O_RDWR, in: directory) else { return nil }
        return OpenPart(directory: directory, file: file)
    }

    /// Opens the file that has the final name of a transfer, for reading; nil if the name refers to no file or to a
    /// different one.
    static func openFinished(_ part: PartRow, of task: TaskRow) throws(Failure) -> SharedDescriptor? {
        let directory = try directory(of: task.destination)
        return try open(task.destination.name, part.identity, flags: O_RDONLY, in: directory)
    }

    /// Opens a file; nil if it is proven that the name refers to no file or to a different one. All other errors may
    /// pass, such as too many open files.
    private static func open(
        _ name: String, _ identity: FileIdentity, flags: Int32, in directory: DirectoryDescriptor
    ) throws(Failure) -> SharedDescriptor? {
        do throws(SystemCallError) {
            let file = try directory.open(name, flags: flags)
            guard try file.identity() == identity else { return nil }
            return SharedDescriptor(file)
        } catch {
            guard [ENOENT, ELOOP, EINVAL, ENXIO, EISDIR].contains(error.number) else { throw .system(error) }
            return nil
        }
    }

    /// Checks a part file after a start of the service, and truncates it to the bytes that are certain.
    ///
    /// The bytes up to the last checkpoint are certain only if their digest is the stored one: the engine may have
    /// emptied the file for another content, and the service was killed before it stored that. Without a start of the
    /// machine, the page cache has survived, and the bytes after the checkpoint are right, too.
    ///
    /// - Returns: What the ledger finds, and the row with the length that is left.
    static func recover(
        _ part: PartRow, of task: TaskRow, boot: String
    ) throws(Failure) -> (found: TransferMachine.RecoveredPart, part: PartRow) {
        var part = part
        guard let open = try open(part, of: task) else {
            return (try hasFinalName(part, task) ? .published : .missing, part)
        }
        do throws(SystemCallError) {
            let file = try FileDescriptor(duplicating: open.file.raw)
            var size = Int64(try file.regularFileSize() ?? 0)
            let isCertain = try hasDurableBytes(file, size: size, part)
            if !isCertain {
                part.durable.length = 0
                (part.total, part.validators) = (nil, PartRow.Validators())
            }
            if !isCertain || part.durable.boot != boot {
                if size != part.durable.length { try file.setSize(Int(part.durable.length)) }
                size = part.durable.length
                part.durable.boot = boot
                part.durable.digest = TailDigest.value(of: file, length: part.durable.length) ?? 0
            }
            // Without a known length, the file may lack bytes that have not arrived.
            let isWhole = part.durable.length == part.total && size == part.total
            return (isWhole ? .whole : .partial, part)
        } catch { throw .system(error) }
    }

    /// Returns whether a file begins with the bytes of the last checkpoint.
    private static func hasDurableBytes(
        _ file: borrowing FileDescriptor, size: Int64, _ part: PartRow
    ) throws(SystemCallError) -> Bool {
        guard size >= part.durable.length else { return false }
        // The file is long enough, so a missing digest means that its bytes cannot be read now.
        guard let digest = TailDigest.value(of: file, length: part.durable.length) else {
            throw SystemCallError(call: "pread", number: EIO)
        }
        return digest == part.durable.digest
    }

    /// Returns whether the final name of a transfer refers to its part file: a crash came between renaming the file and
    /// storing the new state.
    private static func hasFinalName(_ part: PartRow, _ task: TaskRow) throws(Failure) -> Bool {
        guard let open = try openFinished(part, of: task) else { return false }
        do throws(SystemCallError) {
            let file = try FileDescriptor(duplicating: open.raw)
            // The file system may give the number of a removed file to another file, so the content is compared too.
            let size = Int64(try file.regularFileSize() ?? 0)
            guard size == part.durable.length else { return false }
            return try hasDurableBytes(file, size: size, part)
        } catch { throw .system(error) }
    }

    /// Returns whether an earlier attempt, which has failed after that, has given the file its final name. The name is
    /// durable when this method returns.
    static func isPublished(_ part: PartRow, of task: TaskRow) throws(Failure) -> Bool {
        guard try hasFinalName(part, task) else { return false }
        let directory = try directory(of: task.destination)
        do throws(SystemCallError) { try directory.synchronize() } catch { throw .system(error) }
        return true
    }

    /// Gives a complete part file its final name, durably. If the name is in use, a number is added.
    ///
    /// - Parameter saveName: Stores a name durably, before the file gets this name: a start after a crash looks for the
    ///   file under the stored name.
    static func publish(
        _ open: OpenPart, part: PartRow, name: String, saveName: (String) throws(DatabaseError) -> Void
    ) throws(PublishFailure) {
        do throws(SystemCallError) {
            try systemCall("fdatasync") { fdatasync(open.file.raw) }
        } catch { throw .system(error) }
        for number in 1...nameLimit {
            let candidate = number == 1 ? name : FileNamePolicy.numbered(name, number)
            // A name in use is found here in most cases, so that it is not stored in vain.
            if open.directory.contains(candidate) { continue }
            do throws(DatabaseError) { try saveName(candidate) } catch { throw .database(error) }
            do throws(SystemCallError) {
                try open.directory.rename(part.name, to: candidate)
            } catch {
                guard error.number == EEXIST else { throw .system(error) }
                continue
            }
            do throws(SystemCallError) { return try open.directory.synchronize() } catch {
                // The transfer continues with its part file, and so needs the file under the old name.
                try? open.directory.rename(candidate, to: part.name)
                throw .system(error)
            }
        }
        throw .system(SystemCallError(call: "renameat2", number: EEXIST))
    }

    /// The reason why a file did not get its final name.
    enum PublishFailure: Error {
        case system(SystemCallError)
        case database(DatabaseError)
    }

    /// The names from which the name of the file for the body of an error page is made.
    private static let errorPageNames = ["error-page", FileNamePolicy.numbered("error-page", 2)]

    /// Creates the file for the body of an error page, in the directory of the transfer; nil if it cannot be created,
    /// and the engine then discards such a body.
    ///
    /// - Parameter part: The part file of the transfer, which stays. It may have one of the names for pages: because a
    ///   page has taken the place of the part before a crash, or because the file of the program is called like that.
    static func createErrorPage(
        for task: TaskRow, besides part: PartRow, in directory: DirectoryDescriptor
    ) -> Transfer.ErrorPage? {
        let names = errorPageNames.map { FileNamePolicy.partName(for: $0, taskID: task.id) }
        guard let name = names.first(where: { $0 != part.name }) else { return nil }
        try? directory.remove(name)
        guard let file = try? directory.create(name), let identity = try? file.identity() else { return nil }
        return Transfer.ErrorPage(
            row: PartRow(task: task.id, name: name, identity: identity), file: SharedDescriptor(file))
    }

    /// Removes the files that a crash has left before their row was stored: their names contain the transfer's number.
    ///
    /// - Parameter part: The part file of the transfer, which stays.
    static func removeLost(of task: TaskRow, except part: PartRow?) {
        guard let directory = try? directory(of: task.destination) else { return }
        let numbered = (2...nameLimit).lazy.map { FileNamePolicy.numbered(task.destination.name, $0) }
        let first = (errorPageNames + [task.destination.name]).map {
            FileNamePolicy.partName(for: $0, taskID: task.id)
        }
        for name in first where name != part?.name { try? directory.remove(name) }
        // Names are tried in order, so the first one that is free was the last one.
        for name in numbered.map({ FileNamePolicy.partName(for: $0, taskID: task.id) }) {
            guard directory.contains(name) else { return }
            if name != part?.name { try? directory.remove(name) }
        }
    }

    /// Removes a file of a transfer, if its name still refers to the part file with `identity`.
    static func remove(_ name: String, identity: FileIdentity, of task: TaskRow) {
        guard let directory = try? directory(of: task.destination),
            let file = try? directory.open(name, flags: O_RDONLY), (try? file.identity()) == identity
        else { return }
        try? directory.remove(name)
    }
}
