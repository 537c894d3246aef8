import Glibc
import Testing

@testable import SwiftPlayCLI

@Suite struct IPCSocketFileTests {
    private let place = TemporarySocket()
    private let target = TestTarget()

    @Test func onlyTheOwnerMayConnect() throws {
        let server = try IPCServer(path: place.path, target: target)
        #expect(place.mode & S_IFMT == S_IFSOCK)
        #expect(place.mode & 0o7777 == 0o600)
        server.close()
        #expect(!place.exists)
    }

    @Test func staleSocketIsReplaced() throws {
        place.abandonSocket()
        #expect(place.exists)
        let server = try IPCServer(path: place.path, target: target)
        defer { server.close() }
        #expect(try IPCTestClient(place.path).ask(#"{"command":["get_version"]}"#) != nil)
    }

    @Test func liveSocketIsRefusedAndGoesOn() throws {
        let server = try IPCServer(path: place.path, target: target)
        defer { server.close() }
        #expect(throws: IPCServerError.inUse(place.path)) { try IPCServer(path: place.path, target: target) }
        #expect(try IPCTestClient(place.path).ask(#"{"command":["get_version"]}"#) != nil)
    }

    @Test func otherFilesAreLeftAlone() throws {
        let descriptor = creat(place.path, 0o644)
        #expect(descriptor >= 0)
        close(descriptor)
        #expect(throws: IPCServerError.notOurSocket(place.path)) { try IPCServer(path: place.path, target: target) }
        #expect(place.mode == S_IFREG | 0o644)
        unlink(place.path)
        symlink("nowhere", place.path)
        #expect(throws: IPCServerError.notOurSocket(place.path)) { try IPCServer(path: place.path, target: target) }
    }

    @Test func fileOfAnotherIsNotRemoved() throws {
        let server = try IPCServer(path: place.path, target: target)
        // Keeps the inode from being used again.
        rename(place.path, place.directory + "/moved")
        defer { unlink(place.directory + "/moved") }
        place.abandonSocket()
        server.close()
        #expect(place.exists)
    }

    @Test func pathsThatAreNone() {
        let long = place.directory + "/" + String(repeating: "x", count: 108)
        for path in ["", "a\0b", long] {
            #expect(throws: IPCServerError.badPath(path)) { try IPCServer(path: path, target: target) }
        }
        do throws(IPCServerError) {
            _ = try IPCServer(path: place.directory + "/missing/s", target: target)
            Issue.record("bound in a directory that is not there")
        } catch {
            guard case .system(_, let cause) = error else {
                Issue.record("\(error)")
                return
            }
            #expect(cause.number == ENOENT)
        }
    }
}
