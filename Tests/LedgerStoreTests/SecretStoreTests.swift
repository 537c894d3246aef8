import Glibc
import SystemCalls
import TestSupport
import Testing

@testable import LedgerStore

@Suite struct SecretStoreTests {
    private let directory: TemporaryDirectory
    private let store: SecretStore

    init() throws {
        directory = try TemporaryDirectory()
        store = try SecretStore(directory: directory.path + "/secrets")
    }

    @Test func aSecretRoundTrips() throws {
        try store.save([1, 2, 0, 255], name: "a")
        #expect(try store.secret(name: "a") == [1, 2, 0, 255])
    }

    @Test func aSecretIsReplaced() throws {
        try store.save([1, 2, 3], name: "a")
        try store.save([9], name: "a")
        #expect(try store.secret(name: "a") == [9])
    }

    @Test func aSecretThatCannotBeWrittenKeepsTheOldOne() throws {
        try run("mount", ["-t", "tmpfs", "-o", "size=16k", "tmpfs", directory.path + "/secrets"])
        defer { _ = try? run("umount", ["-l", directory.path + "/secrets"]) }
        let store = try SecretStore(directory: directory.path + "/secrets")
        try store.save([1, 2, 3], name: "a")
        #expect(throws: (any Error).self) { try store.save([UInt8](repeating: 9, count: 32_768), name: "a") }
        let kept = try store.secret(name: "a")?.prefix(4)
        #expect(kept == [1, 2, 3])
        // The failed attempt leaves no file that occupies the disk.
        try store.save([4], name: "b")
        #expect(try store.secret(name: "b") == [4])
    }

    @Test func aMissingSecretIsNil() throws { #expect(try store.secret(name: "a") == nil) }

    @Test func aSecretThatCannotBeOpenedIsAnError() {
        #expect(throws: SystemCallError.self) { try store.secret(name: String(repeating: "a", count: 300)) }
    }

    @Test func aSecretBelongsToTheUserAlone() throws {
        try store.save([1], name: "a")
        var status = stat()
        #expect(stat(directory.path + "/secrets/a", &status) == 0 && status.st_mode & 0o777 == 0o600)
    }

    @Test func removingASecretIsRepeatable() throws {
        try store.save([1], name: "a")
        for _ in 0..<2 { store.remove(name: "a") }
        #expect(try store.secret(name: "a") == nil)
    }

    @Test(arguments: ["", "..", "a/b"]) func namesThatLeaveTheDirectoryAreRefused(_ name: String) {
        #expect(throws: (any Error).self) { try store.save([1], name: name) }
    }

    @Test func aSymbolicLinkIsNotFollowed() throws {
        try store.save([1], name: "a")
        #expect(symlink("a", directory.path + "/secrets/link") == 0)
        #expect(try store.secret(name: "link") == nil)
    }

    @Test func anOversizedFileIsNotRead() throws {
        try store.save([UInt8](repeating: 1, count: SecretStore.sizeLimit + 1), name: "a")
        #expect(try store.secret(name: "a") == nil)
    }

    @Test func unknownSecretsAreRemoved() throws {
        for name in ["a", "b"] { try store.save([1], name: name) }
        // A crash has left this file during a call of `save`.
        let path = directory.path + "/secrets/.new-b"
        close(open(path, O_CREAT | O_WRONLY, 0o600))
        store.removeAll(except: ["b"])
        #expect(try store.secret(name: "a") == nil)
        #expect(try store.secret(name: "b") == [1] && access(path, F_OK) != 0)
    }
}
