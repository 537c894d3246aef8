import Glibc
import TestSupport
import Testing

@testable import SystemCalls

@Suite struct DirectoryDescriptorTests {
    private let scratch: TemporaryDirectory
    private let directory: DirectoryDescriptor

    init() throws {
        scratch = try TemporaryDirectory()
        directory = try DirectoryDescriptor(opening: scratch.path)
    }

    @Test func aCreatedFileBelongsToTheUserAlone() throws {
        _ = try directory.create("a")
        var status = stat()
        #expect(stat(scratch.file("a"), &status) == 0 && status.st_mode & 0o7777 == 0o600)
    }

    @Test func theNamesOfAllEntriesAreListed() throws {
        for name in ["b", "a", ".hidden"] { _ = try directory.create(name) }
        #expect(try directory.entryNames(limit: 10).sorted() == [".hidden", "a", "b"])
        // Each call begins with the first entry.
        #expect(try directory.entryNames(limit: 10).count == 3 && directory.entryNames(limit: 2).count == 2)
    }

    @Test func aFileIsReplacedInOneStep() throws {
        try directory.create("old").setSize(1)
        try directory.create("new").setSize(2)
        try directory.replace("old", with: "new")
        #expect(try directory.entryNames(limit: 10) == ["old"])
        #expect(try directory.open("old", flags: O_RDONLY).regularFileSize() == 2)
        #expect(throws: SystemCallError.self) { try directory.replace("old", with: "../x") }
    }

    @Test func creatingANameInUseFails() throws {
        _ = try directory.create("a")
        let error = #expect(throws: SystemCallError.self) { _ = try directory.create("a") }
        #expect(error?.number == EEXIST)
    }

    @Test(arguments: ["", ".", "..", "a/b", "../a", "a\0b", String(repeating: "x", count: 256)])
    func namesThatAreNotOneComponentAreRefused(_ name: String) {
        #expect(!DirectoryDescriptor.isValidName(name))
        #expect(throws: SystemCallError.self) { _ = try directory.create(name) }
    }

    @Test func aSymbolicLinkIsNotOpened() throws {
        _ = try directory.create("a")
        #expect(symlink("a", scratch.file("link")) == 0)
        #expect(throws: SystemCallError.self) { _ = try directory.open("link", flags: O_RDONLY) }
    }

    @Test func aNamedPipeIsRefusedWithoutWaiting() {
        #expect(mkfifo(scratch.file("pipe"), 0o600) == 0)
        #expect(throws: SystemCallError.self) { _ = try directory.open("pipe", flags: O_RDONLY) }
    }

    @Test func renamingKeepsTheFile() throws {
        let identity = try directory.create("a").identity()
        try directory.rename("a", to: "b")
        #expect(try directory.open("b", flags: O_RDONLY).identity() == identity)
    }

    @Test func renamingDoesNotReplaceAFile() throws {
        for name in ["a", "b"] { _ = try directory.create(name) }
        let error = #expect(throws: SystemCallError.self) { try directory.rename("a", to: "b") }
        #expect(error?.number == EEXIST)
    }

    @Test func removingIsRepeatable() throws {
        _ = try directory.create("a")
        for _ in 0..<2 { try directory.remove("a") }
        #expect(throws: SystemCallError.self) { _ = try directory.open("a", flags: O_RDONLY) }
    }

    @Test func callsStayInTheDirectoryWhenItIsMoved() throws {
        let inner = try DirectoryDescriptor.create(scratch.file("inner"))
        #expect(rename(scratch.file("inner"), scratch.file("moved")) == 0)
        _ = try inner.create("a")
        #expect(access(scratch.file("moved/a"), F_OK) == 0)
        #expect(inner.path?.hasSuffix("/moved") == true)
    }

    @Test func aRemovedDirectoryHasNoPath() throws {
        let inner = try DirectoryDescriptor.create(scratch.file("inner"))
        #expect(rmdir(scratch.file("inner")) == 0)
        #expect(inner.path == nil)
    }

    @Test func missingDirectoriesAreCreatedForTheUserAlone() throws {
        _ = try DirectoryDescriptor.create(scratch.file("x/y/z"))
        var status = stat()
        #expect(stat(scratch.file("x/y"), &status) == 0 && status.st_mode & 0o777 == 0o700)
    }

    @Test func aLinkToADirectoryIsNotOpened() {
        #expect(symlink("/tmp", scratch.file("link")) == 0)
        #expect(throws: SystemCallError.self) { try DirectoryDescriptor(opening: scratch.file("link")) }
    }

    @Test func aReceivedFileIsNotADirectory() throws {
        let file = try directory.create("a")
        #expect(throws: SystemCallError.self) { try DirectoryDescriptor(received: file.raw) }
    }

    @Test func aReceivedDirectoryHasTheSameIdentity() throws {
        #expect(try DirectoryDescriptor(received: directory.raw).identity() == directory.identity())
    }

    @Test func theFileSystemHasSpace() throws {
        let space = try directory.space()
        #expect(space.available > 0 && space.total >= space.available)
    }

    @Test func theDirectoryCanBeSynchronised() throws { try directory.synchronize() }

    @Test func directoriesAreCreatedOpenedAndRemoved() throws {
        try directory.createDirectory("a")
        let inner = try directory.openDirectory("a")
        _ = try inner.create("file")
        #expect(throws: SystemCallError.self) { try directory.removeDirectory("a") }
        try inner.remove("file")
        try directory.removeDirectory("a")
        #expect(!directory.contains("a"))
    }

    @Test func aDirectoryDoesNotReplaceAnything() throws {
        _ = try directory.create("a")
        let error = #expect(throws: SystemCallError.self) { try directory.createDirectory("a") }
        #expect(error?.number == EEXIST)
    }

    @Test(arguments: ["", ".", "..", "a/b"]) func directoriesHaveOneComponent(_ name: String) {
        #expect(throws: SystemCallError.self) { try directory.createDirectory(name) }
        #expect(throws: SystemCallError.self) { try directory.openDirectory(name) }
        #expect(throws: SystemCallError.self) { try directory.removeDirectory(name) }
    }

    @Test func aLinkInADirectoryIsNotOpened() throws {
        #expect(symlink("/tmp", scratch.file("link")) == 0)
        #expect(throws: SystemCallError.self) { try directory.openDirectory("link") }
    }
}
