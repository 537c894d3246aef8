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
}
