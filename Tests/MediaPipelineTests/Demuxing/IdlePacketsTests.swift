import Testing

@testable import MediaPipeline

@Suite struct IdlePacketsTests {
    /// A second in nanoseconds.
    private static let second: Int64 = 1_000_000_000

    /// Returns a buffer for the packets of tracks that are not played. It contains packets of track 1 at the given
    /// times in seconds.
    private func idlePackets(_ times: some Sequence<Int>) throws -> IdlePackets {
        var idle = IdlePackets()
        idle.add(1)
        for time in times { idle.push(try #require(Packet()), track: 1, time: Int64(time) * Self.second) }
        return idle
    }

    @Test func onlyPacketsThatMayStillBePlayedAreKept() throws {
        var idle = IdlePackets()
        idle.add(1)
        for time in 0..<20 {
            idle.recordDecodedTime(Int64(time) * Self.second)
            idle.push(try #require(Packet()), track: 1, time: Int64(time) * Self.second)
        }
        #expect(idle.bytes(of: 1) <= 4 * 256)
        let kept = idle.take(1, from: 0)
        #expect(kept.entries.compactMap(\.time) == (16..<20).map { Int64($0) * Self.second })
        #expect(!idle.keepsPackets(of: 1))
    }

    @Test func takeReturnsPacketsFromTheRequestedTime() throws {
        var idle = try idlePackets(0..<10)
        #expect(
            idle.take(1, from: 7 * Self.second + 100).entries.compactMap(\.time) == [7, 8, 9].map { $0 * Self.second })
    }

    @Test func theEndOfATrackIsKeptUntilASeekDiscardsAllPackets() throws {
        var idle = try idlePackets(0..<3)
        idle.end()
        #expect(idle.take(1, from: 0).hasEnded)
        var other = try idlePackets(0..<3)
        other.end()
        other.restart()
        let taken = other.take(1, from: 0)
        #expect(taken.entries.isEmpty && !taken.hasEnded)
    }

    @Test func packetsOfOtherTracksAreNotKept() throws {
        var idle = try idlePackets(0..<3)
        idle.push(try #require(Packet()), track: 2, time: 0)
        #expect(!idle.keepsPackets(of: 2))
    }
}
