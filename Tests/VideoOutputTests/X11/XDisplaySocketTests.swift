import SystemCalls
import TestSupport
import Testing

import class VideoOutput.XConnection

@testable import VideoOutput

@Suite struct XDisplaySocketTests {
    @Test func invalidXDisplayNamesAreRejected() {
        for name in ["no display", ":notanumber", ":98765", "127.0.0.1:65535"] {
            #expect(throws: XError.self, "\(name)") { try XDisplaySocket(display: name, until: MonotonicTime.now) }
        }
    }

    @Test("Shutting the socket down ends a call that waits for a stopped server")
    func shuttingDownTheSocketEndsARequestToAStoppedServer() throws {
        let server = try PrivateXServer()
        let socket = try XDisplaySocket(display: server.name, until: MonotonicTime.now + 10_000_000_000)
        let connection = try XConnection(socket: socket, authority: "")
        #expect(connection.sync())
        server.suspend()
        let resumeTimer = try server.resumeAfter(.seconds(20))
        // The request runs on a thread that blocks SIGPIPE, as in the compositor: the socket may be shut down before
        // the request is sent.
        let hasReply = Monitor(true)
        let requester = try NamedThread("request") {
            let isAnswered = connection.sync()
            hasReply.update { $0 = isAnswered }
        }
        socket.shutdown()
        requester.join()
        #expect(!hasReply.withLock { $0 } && connection.isBroken && !resumeTimer.hasExpired)
        resumeTimer.end()
    }
}
