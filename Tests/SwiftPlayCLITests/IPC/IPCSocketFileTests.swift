import Glibc
import Testing

@testable import SwiftPlayCLI

@Suite struct IPCSocketFileTests {
    /// The temporary path of the server's socket.
    private let temporarySocket = TemporarySocket()
    private let target = TestTarget()

    @Test func onlyTheOwnerMayConnect() throws {
        let server = try IPCServer(path: temporarySocket.path, target: target)
        #expect(temporarySocket.mode & S_IFMT == S_IFSOCK)
        #expect(temporarySocket.mode & 0o7777 == 0o600)
        server.close()
        #expect(!temporarySocket.exists)
    }

    @Test func aStaleSocketIsReplaced() throws {
        temporarySocket.abandonSocket()
        #expect(temporarySocket.exists)
        let server = try IPCServer(path: temporarySocket.path, target: target)
        defer { server.close() }
        #expect(try IPCTestClient(temporarySocket.path).request(#"{"command":["get_version"]}"#) != nil)
    }

    @Test func aSocketInUseIsRefusedAndKeepsWorking() throws {
        let server = try IPCServer(path: temporarySocket.path, target: target)
        defer { server.close() }
        #expect(throws: IPCServerError.inUse(temporarySocket.path)) {
            try IPCServer(path: temporarySocket.path, target: target)
        }
        #expect(try IPCTestClient(temporarySocket.path).request(#"{"command":["get_version"]}"#) != nil)
    }

    @Test func otherFilesAreNotReplaced() throws {
        let descriptor = creat(temporarySocket.path, 0o644)
        #expect(descriptor >= 0)
        close(descriptor)
        #expect(throws: IPCServerError.notOurSocket(temporarySocket.path)) {
            try IPCServer(path: temporarySocket.path, target: target)
        }
        #expect(temporarySocket.mode == S_IFREG | 0o644)
        unlink(temporarySocket.path)
        symlink("nowhere", temporarySocket.path)
        #expect(throws: IPCServerError.notOurSocket(temporarySocket.path)) {
            try IPCServer(path: temporarySocket.path, target: target)
        }
    }

    @Test func closeDoesNotRemoveTheFileOfAnotherSocket() throws {
        let server = try IPCServer(path: temporarySocket.path, target: target)
        // The open descriptor keeps the inode in use, so that the new socket file has a different inode.
        rename(temporarySocket.path, temporarySocket.directory + "/moved")
        defer { unlink(temporarySocket.directory + "/moved") }
        temporarySocket.abandonSocket()
        server.close()
        #expect(temporarySocket.exists)
    }

    @Test func invalidPathsAreRefused() {
        let overlongPath = temporarySocket.directory + "/" + String(repeating: "x", count: 108)
        for path in ["", "a\0b", overlongPath] {
            #expect(throws: IPCServerError.badPath(path)) { try IPCServer(path: path, target: target) }
        }
        do throws(IPCServerError) {
            _ = try IPCServer(path: temporarySocket.directory + "/missing/s", target: target)
            Issue.record("a socket was bound in a missing directory")
        } catch {
            guard case .system(_, let systemError) = error else {
                Issue.record("\(error)")
                return
            }
            #expect(systemError.number == ENOENT)
        }
    }
}
