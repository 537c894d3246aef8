import BackgroundProtocol
import Glibc
import SystemCalls
import Testing
import WireFormat

@testable import BackgroundService

@Suite struct ClientConnectionTests {
    private let socket: MessageSocket
    private let connection: ClientConnection

    init() throws {
        let (first, second) = try MessageSocket.pair(messageLimit: ClientLimits.messageBytes)
        socket = first
        connection = ClientConnection(socket: second, processID: getpid())
    }

    /// Sends three messages, of which the first makes the connection pause. Returns how many are read.
    private func readMessages(_ ready: Poll.Events, now: Int64) throws -> Int {
        var count = 0
        connection.onMessage = { _, connection in
            count += 1
            if count == 1 { connection.pauseReading() }
        }
        for _ in 0..<3 { try socket.send([1]) }
        process(ready, now: now)
        return count
    }

    private func process(_ ready: Poll.Events, now: Int64) {
        var entry = connection.entries[0]
        entry.ready = ready
        connection.process([entry], now: now)
    }

    @Test func duringAPauseNothingIsRead() throws {
        #expect(try readMessages(.readable, now: MonotonicTime.now) == 1)
        #expect(connection.entries[0].interest == [])
    }

    @Test func theRestIsReadAfterThePause() throws {
        var count = 0
        _ = try readMessages(.readable, now: MonotonicTime.now)
        connection.onMessage = { _, _ in count += 1 }
        let end = try #require(connection.deadline)
        process([], now: end)
        #expect(connection.entries[0].interest == .readable)
        process(.readable, now: end)
        #expect(count == 2)
    }

    @Test func thePauseIsShort() throws {
        let start = MonotonicTime.now
        _ = try readMessages(.readable, now: start)
        let end = try #require(connection.deadline)
        // The time limit for the first command is longer.
        #expect(end > start && end < start + MonotonicTime.nanosecondsPerSecond * 5)
    }

    @Test func aProgramThatHangsUpIsReadToItsEnd() throws {
        #expect(try readMessages([.readable, .hungUp], now: MonotonicTime.now) == 3)
    }

    @Test func aClosedConnectionHasNoDeadline() {
        connection.pauseReading()
        connection.close()
        #expect(connection.deadline == nil)
    }
}
