import Glibc
import LedgerStore
import SystemCalls
import TestSupport
import Testing
import TransferPolicy

@testable import BackgroundService

@Suite struct PartFilesTests {
    private let scratch: TemporaryDirectory
    private let task: TaskRow

    init() throws {
        scratch = try TemporaryDirectory()
        let directory = try DirectoryDescriptor(opening: scratch.path)
        var task = TaskRow(
            session: 1, uuid: [UInt8](repeating: 1, count: 16), request: TaskRow.Request(url: "https://example.org/"),
            destination: TaskRow.Destination(
                directory: scratch.path, identity: try directory.identity(), name: "film.mkv", isKept: true),
            schedule: TaskRow.Schedule(created: 0, timeLimit: 1), state: "queued")
        task.id = 42
        self.task = task
    }

    /// Creates a part file with bytes, and its row as of the last checkpoint.
    private func part(_ bytes: [UInt8], durable: Int, boot: String = "boot") throws -> PartRow {
        var (part, open) = try PartFiles.create(task)
        _ = bytes.withUnsafeBytes { pwrite(open.file.raw, $0.baseAddress, $0.count, 0) }
        part.durable = PartRow.Durable(
            length: Int64(durable), boot: boot, digest: TailDigest.digest(Array(bytes.prefix(durable).suffix(65_536))))
        return part
    }

    /// The size of the part file.
    private func size(_ part: PartRow) -> Int? {
        var status = stat()
        return stat(scratch.file(part.name), &status) == 0 ? Int(status.st_size) : nil
    }

    @Test func thePartFileIsHiddenAndCarriesTheNumberOfTheTransfer() throws {
        #expect(try PartFiles.create(task).part.name == ".film.mkv.0000002a.part")
    }

    @Test func aNameInUseIsNotTaken() throws {
        let first = try PartFiles.create(task).part, second = try PartFiles.create(task).part
        #expect(second.name == ".film (2).mkv.0000002a.part" && first.identity != second.identity)
    }

    @Test func theSameFileIsOpened() throws {
        let part = try part([1], durable: 1)
        #expect(try PartFiles.open(part, of: task) != nil)
    }

    @Test func aReplacedFileIsNotOpened() throws {
        let part = try part([1], durable: 1)
        #expect(rename(scratch.file(part.name), scratch.file("other")) == 0)
        _ = try DirectoryDescriptor(opening: scratch.path).create(part.name)
        #expect(try PartFiles.open(part, of: task) == nil)
    }

    @Test func aLinkInPlaceOfTheFileIsNotFollowed() throws {
        let part = try part([1], durable: 1)
        #expect(rename(scratch.file(part.name), scratch.file("other")) == 0)
        #expect(symlink("other", scratch.file(part.name)) == 0)
        #expect(try PartFiles.open(part, of: task) == nil)
    }

    @Test func aFolderInPlaceOfTheFileIsNotOpened() throws {
        let part = try part([1], durable: 1)
        #expect(unlink(scratch.file(part.name)) == 0)
        try DirectoryDescriptor(opening: scratch.path).createDirectory(part.name)
        #expect(try PartFiles.open(part, of: task) == nil)
    }

    @Test("only errors that prove something about the file system are no reason to wait")
    func errorsThatMayPassAreNotLasting() {
        let passing = [EMFILE, ENFILE, ENOMEM, EIO, ESTALE, EACCES, ETIMEDOUT, ENOTCONN, ENOSPC, EDQUOT, EROFS]
        #expect(!passing.contains(where: PartFiles.lastingErrors.contains))
    }

    @Test func aReplacedDirectoryIsRefused() throws {
        var task = task
        task.destination.identity = FileIdentity(device: 1, inode: 2)
        #expect(throws: PartFiles.Failure.directoryChanged) { try PartFiles.create(task) }
    }

    @Test func aMissingDirectoryIsRefused() throws {
        var task = task
        task.destination.directory += "/missing"
        #expect(throws: PartFiles.Failure.directoryChanged) { try PartFiles.create(task) }
    }

    @Test func withinABootTheSizeOfTheFileIsTrusted() throws {
        let found = try PartFiles.recover(try part([1, 2, 3, 4], durable: 2), of: task, boot: "boot")
        #expect(found.found == .partial || found.part.durable.length == 2)
        #expect(size(found.part) == 4)
    }

    @Test func afterABootOnlyTheCheckpointIsTrusted() throws {
        let found = try PartFiles.recover(try part([1, 2, 3, 4], durable: 2), of: task, boot: "next")
        #expect(found.part.durable.length == 2 && found.part.durable.boot == "next")
        #expect(size(found.part) == 2)
    }

    @Test func afterABootAWrongDigestDiscardsAllBytes() throws {
        var part = try part([1, 2, 3, 4], durable: 2)
        part.durable.digest ^= 1
        let found = try PartFiles.recover(part, of: task, boot: "next")
        #expect(found.part.durable.length == 0)
        #expect(size(found.part) == 0)
    }

    @Test func afterABootAShortFileDiscardsAllBytes() throws {
        let part = try part([1, 2, 3, 4], durable: 4)
        #expect(truncate(scratch.file(part.name), 3) == 0)
        #expect(try PartFiles.recover(part, of: task, boot: "next").part.durable.length == 0)
    }

    @Test func aCompleteFileIsWhole() throws {
        var part = try part([1, 2, 3], durable: 3)
        part.total = 3
        #expect(try PartFiles.recover(part, of: task, boot: "boot").found == .whole)
        part.total = 4
        #expect(try PartFiles.recover(part, of: task, boot: "boot").found == .partial)
    }

    @Test func aFileOfUnknownLengthIsNotWhole() throws {
        #expect(try PartFiles.recover(try part([1, 2, 3], durable: 3), of: task, boot: "boot").found == .partial)
    }

    @Test func aFileThatLacksItsBytesIsNotWhole() throws {
        var part = try part([1, 2, 3], durable: 3)
        part.total = 3
        #expect(truncate(scratch.file(part.name), 0) == 0)
        #expect(try PartFiles.recover(part, of: task, boot: "boot").found == .partial)
    }

    @Test("a file with further bytes is whole only after a start of the machine, which discards them")
    func furtherBytesAreNotPartOfAWholeFile() throws {
        var part = try part([1, 2, 3, 4], durable: 3)
        part.total = 3
        #expect(try PartFiles.recover(part, of: task, boot: "boot").found == .partial)
        #expect(try PartFiles.recover(part, of: task, boot: "next").found == .whole)
    }

    @Test("an error while the file with the final name is opened is no proof that there is none")
    func aFinalNameThatCannotBeOpenedIsNotMissing() throws {
        // No process may read this file of the kernel.
        var task = task
        let identity = try DirectoryDescriptor(opening: "/proc/sys/vm").identity()
        task.destination = TaskRow.Destination(
            directory: "/proc/sys/vm", identity: identity, name: "drop_caches", isKept: true)
        let part = PartRow(task: 42, name: "missing", identity: identity)
        let error = PartFiles.Failure.system(SystemCallError(call: "openat", number: EACCES))
        #expect(throws: error) { try PartFiles.recover(part, of: task, boot: "boot") }
    }

    @Test("bytes that cannot be read are no proof that they are wrong")
    func unreadableBytesAreNotWrong() throws {
        // A file of the kernel that states more bytes than can be read.
        var task = task
        let directory = try DirectoryDescriptor(opening: "/sys/kernel")
        task.destination = TaskRow.Destination(
            directory: "/sys/kernel", identity: try directory.identity(), name: "uevent_seqnum", isKept: true)
        let file = try directory.open("uevent_seqnum", flags: O_RDONLY)
        var part = PartRow(task: 42, name: "missing", identity: try file.identity())
        part.durable = PartRow.Durable(length: Int64(try file.regularFileSize() ?? 0), boot: "boot", digest: 1)
        let error = PartFiles.Failure.system(SystemCallError(call: "pread", number: EIO))
        #expect(throws: error) { try PartFiles.recover(part, of: task, boot: "boot") }
    }

    @Test func aMissingFileIsMissing() throws {
        let part = try part([1], durable: 1)
        #expect(unlink(scratch.file(part.name)) == 0)
        #expect(try PartFiles.recover(part, of: task, boot: "boot").found == .missing)
    }

    @Test func aFileUnderItsFinalNameIsPublished() throws {
        let part = try part([1], durable: 1)
        #expect(rename(scratch.file(part.name), scratch.file("film.mkv")) == 0)
        #expect(try PartFiles.recover(part, of: task, boot: "boot").found == .published)
    }

    @Test func anotherFileUnderTheFinalNameIsNotPublished() throws {
        let part = try part([1], durable: 1)
        #expect(unlink(scratch.file(part.name)) == 0)
        _ = try DirectoryDescriptor(opening: scratch.path).create("film.mkv")
        #expect(try PartFiles.recover(part, of: task, boot: "boot").found == .missing)
    }

    /// Publishes a part file, and returns the names that were stored.
    private func publish(_ part: PartRow) throws -> [String] {
        var names: [String] = []
        let open = try #require(try PartFiles.open(part, of: task))
        try PartFiles.publish(open, part: part, name: "film.mkv") { name throws(DatabaseError) in names.append(name) }
        return names
    }

    @Test func aPublishedFileHasItsFinalName() throws {
        let part = try part([1, 2], durable: 2)
        #expect(try publish(part) == ["film.mkv"])
        #expect(try scratch.text("film.mkv") == "\u{1}\u{2}")
        #expect(size(part) == nil)
    }

    @Test func aFileOfTheUserIsNotReplaced() throws {
        _ = try DirectoryDescriptor(opening: scratch.path).create("film.mkv")
        #expect(try publish(try part([1], durable: 1)) == ["film (2).mkv"])
        #expect(try scratch.text("film.mkv") == "")
    }

    @Test func aDanglingLinkOfTheUserIsNotReplaced() throws {
        #expect(symlink("/missing", scratch.file("film.mkv")) == 0)
        #expect(try publish(try part([1], durable: 1)) == ["film (2).mkv"])
    }

    @Test func withoutAStoredNameTheFileKeepsItsName() throws {
        let part = try part([1], durable: 1)
        let open = try #require(try PartFiles.open(part, of: task))
        #expect(throws: PartFiles.PublishFailure.self) {
            try PartFiles.publish(open, part: part, name: "film.mkv") { _ throws(DatabaseError) in
                throw DatabaseError(operation: "test", code: 13, message: "full")
            }
        }
        #expect(size(part) == 1)
    }

    @Test func onlyTheSameFileIsRemoved() throws {
        let part = try part([1], durable: 1)
        PartFiles.remove(part.name, identity: FileIdentity(device: 1, inode: 2), of: task)
        #expect(size(part) == 1)
        PartFiles.remove(part.name, identity: part.identity, of: task)
        #expect(size(part) == nil)
    }
}
