import BackgroundProtocol
import TestSupport
import Testing

@testable import TransferEngine

@Suite struct EngineListenerTests {
    private static let head = "HTTP/1.1 200 OK\r\n\r\n"
    private let fixture: EngineFixture

    init() throws { fixture = try EngineFixture() }

    /// Listens to a server with a script of one response, and returns the events up to `count`.
    private func listen(_ steps: [FaultServer.Step], silence: UInt32 = 30, count: Int) throws -> [EngineEvent] {
        let server = try FaultServer { _ in steps }
        try fixture.send(.listen(order(server.address + "/t/json", silence: silence)))
        return try (0..<count).map { _ in try fixture.nextEvent() }
    }

    private func order(_ address: String, silence: UInt32 = 30) -> ListenOrder {
        ListenOrder(
            transfer: 7, request: TransferRequest(address: address, allowsInsecureHTTP: true), silence: silence)
    }

    private func failure(_ event: EngineEvent?) throws -> EngineFailure {
        guard case .failed(7, let failure) = event else {
            throw TestFailure("no failure: \(String(describing: event))")
        }
        return failure
    }

    @Test func linesArriveAsTheyAreSent() throws {
        let events = try listen([.text(Self.head + "one\n\ntw"), .text("o\nunfinished"), .hold], count: 3)
        #expect(
            events == [
                .listening(transfer: 7, isTruncated: false), .line(transfer: 7, Array("one".utf8)),
                .line(transfer: 7, Array("two".utf8)),
            ])
    }

    @Test func theEndOfTheStreamIsAFailure() throws {
        let events = try listen([.text(Self.head + "one\nrest"), .close], count: 3)
        #expect(try failure(events.last).kind == .network)
    }

    @Test func leftOutMessagesAreReported() throws {
        let events = try listen(
            [.text("HTTP/1.1 200 OK\r\nX-Messages-Truncated: 1\r\n\r\n"), .hold], count: 1)
        #expect(events == [.listening(transfer: 7, isTruncated: true)])
    }

    @Test(
        arguments: [
            ("401 Unauthorized", .credentials), ("403 Forbidden", .credentials), ("404 Not Found", .badResponse),
            ("302 Found", .badResponse), ("500 Oops", .busy), ("204 No Content", .badResponse),
        ] as [(String, EngineFailure.Kind)])
    func otherStatusesAreFailures(status: String, kind: EngineFailure.Kind) throws {
        let events = try listen([.head("HTTP/1.1 \(status)", "Content-Length: 0")], count: 1)
        #expect(try failure(events.first).kind == kind)
    }

    @Test func aBusyServerStatesItsDelay() throws {
        let events = try listen([.head("HTTP/1.1 429 Too Many", "Retry-After: 40", "Content-Length: 0")], count: 1)
        #expect(try failure(events.first).retryAfter == 40)
    }

    @Test func aSilentStreamIsDead() throws {
        let events = try listen([.text(Self.head), .hold], silence: 0, count: 1)
        #expect(try failure(events.first).kind == .timeout)
    }

    @Test func aLineThatIsTooLongEndsTheStream() throws {
        let line = String(repeating: "x", count: ListenOrder.lineBytes)
        let events = try listen([.text(Self.head + line + "\n" + line + "x\n"), .hold], count: 3)
        #expect(events[1] == .line(transfer: 7, Array(line.utf8)))
        #expect(try failure(events[2]).kind == .badResponse)
    }

    @Test func aStoppedStreamAnswers() throws {
        let server = try FaultServer { _ in [.text(Self.head), .hold] }
        try fixture.send(.listen(order(server.address)))
        #expect(try fixture.nextEvent() == .listening(transfer: 7, isTruncated: false))
        try fixture.send(.stop(transfer: 7))
        #expect(try fixture.nextEvent() == .stopped(transfer: 7, durableLength: 0))
    }

    @Test func streamsBeyondTheLimitAndUnencryptedOnesAreRefused() throws {
        var order = order("http://127.0.0.1:1/")
        order.request.allowsInsecureHTTP = false
        try fixture.send(.listen(order))
        #expect(try failure(fixture.nextEvent()).kind == .invalidAddress)
        let server = try FaultServer { _ in [.hold] }
        for number in 1...5 {
            var order = self.order(server.address)
            order.transfer = UInt64(number)
            try fixture.send(.listen(order))
        }
        guard case .failed(5, let failure) = try fixture.nextEvent() else { throw TestFailure("no refusal") }
        #expect(failure.kind == .engine)
    }
}
