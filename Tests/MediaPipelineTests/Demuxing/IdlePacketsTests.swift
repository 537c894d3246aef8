import Testing

@testable import MediaPipeline

@Suite struct IdlePacketsTests {
    private static let second: Int64 = 1_000_000_000

    private func filled(_ times: some Sequence<Int>) throws -> IdlePackets {
        var idle = IdlePackets()
        idle.add(1)
        for time in times { idle.push(try #require(Packet()), track: 1, time: Int64(time) * Self.second) }
        return idle
    }

    @Test func onlyPacketsThatMayStillBePlayedAreKept() throws {
        var idle = IdlePackets()
        idle.add(1)
        for time in 0..<20 {
            idle.decoded(upTo: Int64(time) * Self.second)
            idle.push(try #require(Packet()), track: 1, time: Int64(time) * Self.second)
        }
        #expect(idle.bytes(of: 1) <= 4 * 256)
        let kept = idle.take(1, from: 0)
        #expect(kept.entries.compactMap(\.time) == (16..<20).map { Int64($0) * Self.second })
        #expect(!idle.has(1))
    }

    @Test func takeReturnsPacketsFromTheRequestedTime() throws {
        var idle = try filled(0..<10)
        #expect(
            idle.take(1, from: 7 * Self.second + 100).entries.compactMap(\.time) == [7, 8, 9].map { $0 * Self.second })
    }

    @Test func theEndIsStoredAndASeekDiscardsEverything() throws {
        var idle = try filled(0..<3)
        idle.end()
        #expect(idle.take(1, from: 0).hasEnded)
        var other = try filled(0..<3)
        other.end()
        other.restart()
        let taken = other.take(1, from: 0)
        #expect(taken.entries.isEmpty && !taken.hasEnded)
    }

    @Test func packetsOfOtherTracksAreNotKept() throws {
        var idle = try filled(0..<3)
        idle.push(try #require(Packet()), track: 2, time: 0)
        #expect(!idle.has(2))
    }
}
