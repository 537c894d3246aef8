import Glibc
import TestSupport
import Testing

@testable import SystemCalls

@Suite struct FilePathTests {
    @Test func aPathKeepsItsBytes() throws {
        let path = try #require(FilePath(bytes: [0x61, 0x2F, 0xE4]))
        #expect(path.text == nil && Array(path.folder) == [0x61, 0x2F] && Array(path.name) == [0xE4])
        #expect(path.withCString { FilePath(cString: $0) } == path)
        #expect(FilePath(bytes: "ä".utf8)?.text == "ä")
        let name: FilePath = "name"
        #expect(name.folder.isEmpty && Array(name.name) == Array("name".utf8))
    }

    @Test func aZeroByteIsNoPartOfAPath() {
        #expect(FilePath(bytes: [0x61, 0]) == nil && FilePath(String(["a", "\0"])) == nil)
    }

    @Test func aFileWithAnyNameIsListedAndOpened() throws {
        let folder = try TemporaryDirectory()
        let path = try #require(FilePath(bytes: Array("\(folder.path)/lat".utf8) + [0xE4]))
        do { _ = try FileDescriptor(opening: path, flags: O_RDWR | O_CREAT, mode: 0o600) }
        #expect(FilePath(folder.path)?.entryNames(limit: 10) == [Array(path.name)])
        #expect(FilePath(folder.path)?.entryNames(limit: 0) == [])
        #expect(path.resolved?.name == path.name)
        let missing = try #require(FilePath(folder.path + "/missing"))
        #expect(missing.resolved == nil && missing.entryNames(limit: 10) == nil)
    }

    @Test(arguments: ["", "/", "//", "a", "a/", "/a", "a/b", "a//b", "/a/b/"])
    func folderAndNameTogetherAreThePath(_ text: String) throws {
        let path = try #require(FilePath(text))
        #expect(Array(path.folder + path.name) == path.bytes)
        #expect(path.folder.isEmpty || path.folder.last == UInt8(ascii: "/"))
        #expect(!path.name.contains(UInt8(ascii: "/")))
    }

    @Test func aLiteralEndsAtItsFirstZeroCharacter() {
        let path: FilePath = "ab\0cd"
        #expect(path.bytes == Array("ab".utf8) && path.text == "ab")
    }

    @Test func resolvingRemovesDotsAndSymbolicLinks() throws {
        let folder = try TemporaryDirectory()
        let root = try #require(FilePath(folder.path)?.resolved?.text)
        #expect(mkdir(folder.file("films"), 0o700) == 0)
        #expect(symlink("films", folder.file("link")) == 0)
        for name in ["films/.", "link", "films/../link/", "./films/../films"] {
            #expect(FilePath(folder.file(name))?.resolved?.text == root + "/films", "\(name)")
        }
        #expect(symlink("loop", folder.file("loop")) == 0)
        #expect(FilePath(folder.file("loop"))?.resolved == nil)
    }

    @Test func theLimitOfEntryNamesDoesNotCountDots() throws {
        let folder = try TemporaryDirectory()
        for name in ["a", "b", "c"] {
            _ = try FileDescriptor(opening: folder.file(name), flags: O_CREAT | O_RDWR, mode: 0o600)
        }
        let path = try #require(FilePath(folder.path))
        for limit in 0...3 { #expect(path.entryNames(limit: limit)?.count == limit) }
        #expect(Set(try #require(path.entryNames(limit: 9))) == Set(["a", "b", "c"].map { Array($0.utf8) }))
    }

    @Test func theWorkingDirectoryIsAbsoluteAndResolved() throws {
        let directory = try #require(FilePath.workingDirectory)
        #expect(directory.bytes.first == UInt8(ascii: "/") && directory.resolved == directory)
        #expect(("." as FilePath).resolved == directory)
    }

    @Test func descriptorsOfFilePathsAreClosedOnExecAndReportErrors() throws {
        let descriptor = try FileDescriptor(opening: "/dev/null" as FilePath, flags: O_RDONLY)
        #expect(fcntl(descriptor.raw, F_GETFD) & FD_CLOEXEC != 0)
        #expect(throws: SystemCallError(call: "open", number: ENOENT)) {
            _ = try FileDescriptor(opening: "/nowhere/at/all" as FilePath, flags: O_RDONLY)
        }
    }
}
