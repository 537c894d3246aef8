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

    @Test(arguments: [0, 108, 4096]) func emptyOrOverlongSocketPathThrows(_ length: Int) {
        let path = String(repeating: "x", count: length)
        #expect(throws: SystemCallError(call: "connect", number: ENAMETOOLONG)) {
            _ = try LocalSocket.connect(path: path)
        }
    }
}
