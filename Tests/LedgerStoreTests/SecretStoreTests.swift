import Glibc
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
        #expect(store.secret(name: "a") == [1, 2, 0, 255])
    }

    @Test func aSecretIsReplaced() throws {
        try store.save([1, 2, 3], name: "a")
        try store.save([9], name: "a")
        #expect(store.secret(name: "a") == [9])
    }

    @Test func aMissingSecretIsNil() { #expect(store.secret(name: "a") == nil) }

    @Test func aSecretBelongsToTheUserAlone() throws {
        try store.save([1], name: "a")
        var status = stat()
        #expect(stat(directory.path + "/secrets/a", &status) == 0 && status.st_mode & 0o777 == 0o600)
    }

    @Test func removingASecretIsRepeatable() throws {
        try store.save([1], name: "a")
        for _ in 0..<2 { store.remove(name: "a") }
        #expect(store.secret(name: "a") == nil)
    }

    @Test(arguments: ["", "..", "a/b"]) func namesThatLeaveTheDirectoryAreRefused(_ name: String) {
        #expect(throws: (any Error).self) { try store.save([1], name: name) }
    }

    @Test func aSymbolicLinkIsNotFollowed() throws {
        try store.save([1], name: "a")
        #expect(symlink("a", directory.path + "/secrets/link") == 0)
        #expect(store.secret(name: "link") == nil)
    }

    @Test func anOversizedFileIsNotRead() throws {
        try store.save([UInt8](repeating: 1, count: SecretStore.sizeLimit + 1), name: "a")
        #expect(store.secret(name: "a") == nil)
    }

    @Test func unknownSecretsAreRemoved() throws {
        for name in ["a", "b"] { try store.save([1], name: name) }
        store.removeAll(except: ["b"])
        #expect(store.secret(name: "a") == nil)
        #expect(store.secret(name: "b") == [1])
    }
}
