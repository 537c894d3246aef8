import Testing

@testable import MediaPipeline

@Suite struct IdlePacketsTests {
    /// A second in nanoseconds.
    private static let second: Int64 = 1_000_000_000

    /// Returns a buffer for the packets of tracks that are not played. It contains packets of track 1 at the given
    /// times in seconds.
    private func idlePackets(_ times: some Sequence<Int>) throws -> IdlePackets {
        var buffer = IdlePackets()
        buffer.add(1)
        for time in times { buffer.push(try #require(Packet()), track: 1, time: Int64(time) * Self.second) }
        return buffer
    }

    @Test func onlyPacketsThatMayStillBePlayedAreKept() throws {
        var buffer = IdlePackets()
        buffer.add(1)
        for time in 0..<20 {
            buffer.recordDecodedTime(Int64(time) * Self.second)
            buffer.push(try #require(Packet()), track: 1, time: Int64(time) * Self.second)
        }
        #expect(buffer.byteCount(of: 1) <= 4 * 256)
        let takenPackets = buffer.take(1, from: 0)
        #expect(takenPackets.entries.compactMap(\.time) == (16..<20).map { Int64($0) * Self.second })
        #expect(!buffer.keepsPackets(of: 1))
    }

    @Test func takeReturnsPacketsFromTheRequestedTime() throws {
        var buffer = try idlePackets(0..<10)
        #expect(
            buffer.take(1, from: 7 * Self.second + 100).entries.compactMap(\.time)
                == [7, 8, 9].map { $0 * Self.second })
    }

    @Test func endOfATrackIsKeptUntilASeek() throws {
        var buffer = try idlePackets(0..<3)
        buffer.end()
        #expect(buffer.take(1, from: 0).hasEnded)
        var restartedBuffer = try idlePackets(0..<3)
        restartedBuffer.end()
        restartedBuffer.restart()
        let packetsAfterSeek = restartedBuffer.take(1, from: 0)
        #expect(packetsAfterSeek.entries.isEmpty && !packetsAfterSeek.hasEnded)
    }

    @Test func packetsOfOtherTracksAreNotKept() throws {
        var buffer = try idlePackets(0..<3)
        buffer.push(try #require(Packet()), track: 2, time: 0)
        #expect(!buffer.keepsPackets(of: 2))
    }
}
