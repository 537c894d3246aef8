import Dispatch
import Foundation
import Glibc
import SystemCalls
import TestSupport
import Testing

@testable import SwiftPlayBackground

@Suite struct RemoteNotificationKeysTests {
    private let scratch: TemporaryDirectory
    private let file: URL

    init() throws {
        scratch = try TemporaryDirectory()
        file = URL(filePath: scratch.file("program/keys/push"))
    }

    /// The permission bits of a file in the scratch directory.
    private func permissions(_ name: String) -> UInt32? {
        var status = stat()
        return lstat(scratch.file(name), &status) == 0 ? status.st_mode & 0o777 : nil
    }

    private var names: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: scratch.file("program/keys")) }
    }

    @Test func newKeysBelongToTheUserAloneAndRemainTheSame() throws {
        let keys = try RemoteNotificationKeys(storedAt: file)
        #expect(keys.publicKey.count == 65 && keys.publicKey.first == 4 && keys.authenticationSecret.count == 16)
        #expect(permissions("program/keys/push") == 0o600)
        #expect(["program", "program/keys"].map(permissions) == [0o700, 0o700])
        #expect(try names == ["push"])
        #expect(try RemoteNotificationKeys(storedAt: file).keys == keys.keys)
        #expect(!"\(keys)".contains { $0.isNumber })
        let other = try RemoteNotificationKeys(storedAt: URL(filePath: scratch.file("other")))
        #expect(other.publicKey != keys.publicKey && other.authenticationSecret != keys.authenticationSecret)
    }

    @Test("a damaged file is named with an instruction, and is not replaced", arguments: [0, 1, 60])
    func aDamagedFileIsNotReplaced(byteCount: Int) throws {
        _ = try RemoteNotificationKeys(storedAt: file)
        var content = try Data(contentsOf: file)
        if byteCount == 60 { content[byteCount] ^= 1 } else { content = content.prefix(byteCount) }
        try content.write(to: file)
        let error = #expect(throws: RemoteNotificationError.self) { try RemoteNotificationKeys(storedAt: file) }
        #expect(error?.code == .unusableKeys)
        #expect(error?.description.contains(file.path) == true && error?.description.contains("remove") == true)
        #expect(try Data(contentsOf: file) == content && names == ["push"])
    }

    @Test("a process that was killed while it created the file has left no keys, or whole ones")
    func unfinishedFilesAreRemoved() throws {
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        for name in [".push.new-1", ".other.new-1"] {
            try Data([1]).write(to: file.deletingLastPathComponent().appending(path: name))
        }
        let keys = try RemoteNotificationKeys(storedAt: file)
        #expect(try names.sorted() == [".other.new-1", "push"])
        #expect(try RemoteNotificationKeys(storedAt: file).keys == keys.keys)
    }

    @Test func processesThatStartAtTheSameTimeShareTheirKeys() throws {
        for round in 0..<20 {
            let file = URL(filePath: scratch.file("\(round)/push"))
            let results = Monitor<[Data]>([])
            DispatchQueue.concurrentPerform(iterations: 8) { _ in
                if let keys = try? RemoteNotificationKeys(storedAt: file) {
                    results.withLock { $0.append(keys.publicKey) }
                }
            }
            let keys = results.withLock { $0 }
            #expect(keys.count == 8 && Set(keys).count == 1)
            #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.file("\(round)")) == ["push"])
        }
    }

    @Test func pathsThatCannotBeUsedAreNamed() throws {
        try FileManager.default.createDirectory(atPath: scratch.file("folder"), withIntermediateDirectories: true)
        #expect(symlink("/dev/null", scratch.file("link")) == 0)
        let paths = ["/proc/none/push", scratch.file("folder"), scratch.file("link")]
        for url in paths.map({ URL(filePath: $0) }) + [URL(string: "https://example.org/push")].compactMap({ $0 }) {
            let error = #expect(throws: RemoteNotificationError.self) { try RemoteNotificationKeys(storedAt: url) }
            #expect(error?.code == .unusableKeys && error?.description.contains(url.path) == true)
        }
    }

    @Test func theFolderMayBeALink() throws {
        let keys = try RemoteNotificationKeys(storedAt: file)
        #expect(symlink(file.deletingLastPathComponent().path, scratch.file("link")) == 0)
        #expect(try RemoteNotificationKeys(storedAt: URL(filePath: scratch.file("link/push"))).keys == keys.keys)
    }
}
