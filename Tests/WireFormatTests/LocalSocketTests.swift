import Glibc
import SystemCalls
import Testing

@testable import WireFormat

@Suite final class LocalSocketTests {
    private let directory: String
    private var path: String { directory + "/socket" }

    init() throws {
        var template = Array("/tmp/local-socket-XXXXXX".utf8CString)
        directory = try template.withUnsafeMutableBufferPointer {
            String(cString: try #require($0.baseAddress.flatMap { mkdtemp($0) }))
        }
    }

    deinit {
        unlink(path)
        rmdir(directory)
    }

    @Test func connectedClientIsAcceptedAndItsMessageIsReceived() throws {
        let listener = try LocalSocket.listen(path: path)
        #expect(try LocalSocket.accept(listener) == nil)
        let client = try LocalSocket.connect(path: path)
        let server = try #require(try LocalSocket.accept(listener))
        try client.send([1, 2])
        guard case .message(let received) = server.receive() else {
            Issue.record("no message arrived")
            return
        }
        #expect(received.bytes == [1, 2])
        #expect(fcntl(server.raw, F_GETFD) & FD_CLOEXEC != 0)
    }

    @Test func onlyThisUserMayAccessTheSocketFile() throws {
        _ = try LocalSocket.listen(path: path)
        var status = stat()
        #expect(lstat(path, &status) == 0)
        #expect(status.st_mode & 0o777 == 0o600)
    }

    @Test func connectingWithoutAListenerAndListeningTwiceFail() throws {
        #expect(throws: SystemCallError.self) { _ = try LocalSocket.connect(path: path) }
        let listener = try LocalSocket.listen(path: path)
        #expect(throws: SystemCallError.self) { _ = try LocalSocket.listen(path: path) }
        #expect(listener.raw >= 0)
    }

    @Test("a listener that accepts nothing stops no client")
    func connectingToAFullListenerFailsAtTheDeadline() throws {
        let listener = try LocalSocket.listen(path: path)
        var clients: [MessageSocket] = []
        // The kernel keeps one connection more than the backlog.
        for _ in 0..<17 { clients.append(try LocalSocket.connect(path: path)) }
        let start = MonotonicTime.now
        for deadline in [nil, start + 20_000_000] {
            #expect(throws: SystemCallError(call: "connect", number: EAGAIN)) {
                _ = try LocalSocket.connect(path: path, until: deadline)
            }
        }
        #expect(MonotonicTime.now >= start + 20_000_000)
        let server = try LocalSocket.accept(listener)
        clients.append(try LocalSocket.connect(path: path, until: start))
        withExtendedLifetime(server) {}
    }

    @Test(arguments: [0, 108, 4096]) func emptyOrOverlongSocketPathThrows(_ length: Int) {
        let path = String(repeating: "x", count: length)
        #expect(throws: SystemCallError(call: "connect", number: ENAMETOOLONG)) {
            _ = try LocalSocket.connect(path: path)
        }
    }

    @Test func theLongestSocketPathIsAccepted() {
        // The kernel stores 107 bytes and a terminating zero: a path of this length reaches the file system.
        let path = "/tmp/" + String(repeating: "x", count: 102)
        #expect(throws: SystemCallError(call: "connect", number: ENOENT)) { _ = try LocalSocket.connect(path: path) }
    }

    @Test func aStreamConnectionDoesNotBlockAndIsClosedOnExec() throws {
        let listener = FileDescriptor(
            owning: try systemCall("socket") { socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0) })
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let listenerNumber = listener.raw
        try systemCall("bind") {
            withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(listenerNumber, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
                }
            }
        }
        try systemCall("listen") { listen(listenerNumber, 1) }
        let client = try LocalSocket.connectStream(path: path)
        #expect(fcntl(client.raw, F_GETFL) & O_NONBLOCK != 0 && fcntl(client.raw, F_GETFD) & FD_CLOEXEC != 0)
        let server = FileDescriptor(owning: try systemCall("accept") { accept(listenerNumber, nil, nil) })
        #expect(write(client.raw, "abc", 3) == 3)
        var bytes = [UInt8](repeating: 0, count: 8)
        #expect(read(server.raw, &bytes, 8) == 3 && bytes.prefix(3) == Array("abc".utf8)[...])
    }

    @Test func aStreamConnectionWithoutAListenerFails() {
        #expect(throws: SystemCallError(call: "connect", number: ENOENT)) {
            _ = try LocalSocket.connectStream(path: path)
        }
        #expect(throws: SystemCallError(call: "connect", number: ENAMETOOLONG)) {
            _ = try LocalSocket.connectStream(path: "")
        }
    }
}
