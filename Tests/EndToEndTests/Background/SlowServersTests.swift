import BackgroundProtocol
import Glibc
import SystemCalls
import TestSupport
import Testing

/// Transfers beside others whose servers are slow, with the real processes.
@Suite struct SlowServersTests {
    private static let content = [UInt8](repeating: 7, count: 4000)
    /// Four transfers of a host run at once, and eight in all.
    private static let slowCount = 32, slowPerServer = 4

    /// Returns a server whose bodies stop after 100 bytes until it is released.
    private static func slowServer() throws -> FaultServer {
        try FaultServer { _ in
            let head = FaultServer.Step.head("HTTP/1.1 200 OK", "Content-Length: \(content.count)")
            return [
                head, .bytes(Array(content.prefix(100))), .awaitRelease, .bytes(Array(content.dropFirst(100))),
            ]
        }
    }

    @Test("older transfers from slow servers hold up a good one for one attempt at most, and are completed later")
    func slowServersDoNotHoldUpAGoodOne() throws {
        let fixture = try BackgroundFixture()
        _ = try fixture.listing()
        let slowServers = try (0..<Self.slowCount / Self.slowPerServer).map { _ in try Self.slowServer() }
        let slowRequestCount = { @Sendable in slowServers.map(\.requests.count).reduce(0, +) }
        let requestsBefore = Monitor<Int?>(nil)
        let goodServer = try FaultServer { _ in
            requestsBefore.withLock { $0 = $0 ?? slowRequestCount() }
            return [.head("HTTP/1.1 200 OK", "Content-Length: \(Self.content.count)"), .bytes(Self.content)]
        }
        let client = try ServiceClient(fixture)
        let session = try client.attach { configuration in
            (configuration.requestTimeout, configuration.deliversEvents) = (1, false)
        }
        let directory = try DirectoryDescriptor(opening: fixture.folder)
        for number in 1...Self.slowCount {
            let server = slowServers[(number - 1) / Self.slowPerServer]
            try client.download(server.address + "/slow", number: number, session: session, directory: directory.raw)
        }
        // Every slow transfer was tried, so that each of them has failed or is about to fail.
        let wereTried = Deadline.poll(for: .seconds(30)) { slowRequestCount() >= Self.slowCount ? true : nil }
        #expect(wereTried == true)
        try client.download(goodServer.address + "/good", number: 0, session: session, directory: directory.raw)
        let count = slowRequestCount()
        let isComplete = Deadline.poll(for: .seconds(30)) { fixture.content("0") == Self.content ? true : nil }
        #expect(isComplete == true)
        let laterCount = try #require(requestsBefore.withLock { $0 }) - count
        #expect(laterCount <= 16, "\(laterCount) slow requests came first; eight run at once")
        for server in slowServers { server.release() }
        let areComplete = Deadline.poll(for: .seconds(60)) {
            (1...Self.slowCount).allSatisfy { fixture.content("\($0)") == Self.content } ? true : nil
        }
        #expect(areComplete == true)
        #expect(slowRequestCount() > Self.slowCount, "they were retried")
    }
}
