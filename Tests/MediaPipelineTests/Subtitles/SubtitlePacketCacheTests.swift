import CFFmpeg
import Testing

@testable import MediaPipeline

@Suite struct SubtitlePacketCacheTests {
    /// Returns a packet with the presentation timestamp `timestamp`.
    private func packet(_ timestamp: Int64, bytes: Int32 = 10) throws -> Packet {
        let packet = try #require(Packet())
        try #require(av_new_packet(packet.pointer, bytes) >= 0)
        packet.pointer.pointee.pts = timestamp
        return packet
    }

    /// Returns the presentation timestamps of a track's packets from `position` on. A nil element means that the
    /// packets after it were read at another position of the file.
    private func timestamps(_ cache: SubtitlePacketCache, _ track: Int, from position: Int = 0) -> [Int64?] {
        var timestamps: [Int64?] = [], position = position
        while let (entry, nextPosition) = cache.entry(track, at: position) {
            timestamps.append(entry.packet?.pointer.pointee.pts)
            position = nextPosition
        }
        return timestamps
    }

    @Test func packetsOfATrackStayInOrder() throws {
        var cache = SubtitlePacketCache()
        cache.add(3, isBitmap: false)
        cache.add(5, isBitmap: false)
        for timestamp in [1, 2, 3] as [Int64] { cache.push(try packet(timestamp), track: 3) }
        cache.push(try packet(9), track: 5)
        #expect(timestamps(cache, 3) == [1, 2, 3] && timestamps(cache, 5) == [9])
        #expect(timestamps(cache, 3, from: 2) == [3])
    }

    @Test func packetsOfUnknownTracksAreIgnored() throws {
        var cache = SubtitlePacketCache()
        cache.push(try packet(1), track: 7)
        #expect(!cache.keepsPackets(of: 7) && cache.entry(7, at: 0) == nil)
    }

    @Test func aPacketIsFoundByItsTimestamp() throws {
        var cache = SubtitlePacketCache()
        cache.add(1, isBitmap: false)
        cache.push(try packet(40), track: 1)
        #expect(cache.hasPacket(of: 1, at: 40) && !cache.hasPacket(of: 1, at: 41) && !cache.hasPacket(of: 2, at: 40))
    }

    @Test func numberOfPacketsIsBounded() throws {
        var cache = SubtitlePacketCache()
        cache.add(1, isBitmap: false)
        for timestamp in 0..<Int64(SubtitlePacketCache.countLimit + 5) {
            cache.push(try packet(timestamp, bytes: 1), track: 1)
        }
        let cachedTimestamps = timestamps(cache, 1)
        #expect(
            cachedTimestamps.count <= SubtitlePacketCache.countLimit
                && cachedTimestamps.last == Int64(SubtitlePacketCache.countLimit + 4)
        )
    }

    @Test func cacheDropsOldPacketsAboveTheByteLimit() throws {
        var cache = SubtitlePacketCache()
        cache.add(1, isBitmap: true)
        for timestamp in 0..<8 as Range<Int64> { cache.push(try packet(timestamp, bytes: 1 << 20), track: 1) }
        #expect(timestamps(cache, 1) == [5, 6, 7])
        cache.push(try packet(8, bytes: 8 << 20), track: 1)
        #expect(timestamps(cache, 1) == [8])
    }

    @Test func positionOfADroppedPacketReturnsTheFirstCachedPacket() throws {
        var cache = SubtitlePacketCache()
        cache.add(1, isBitmap: true)
        for timestamp in 0..<8 as Range<Int64> { cache.push(try packet(timestamp, bytes: 1 << 20), track: 1) }
        let firstPacket = try #require(cache.entry(1, at: 0))
        #expect(firstPacket.entry.packet?.pointer.pointee.pts == 5 && firstPacket.next == 6)
        #expect(cache.entry(1, at: 8) == nil && cache.entry(1, at: 7)?.next == 8)
    }

    @Test func aSeekAddsAGapEntryThatEndsBitmapSubtitles() throws {
        var cache = SubtitlePacketCache()
        cache.add(1, isBitmap: true)
        cache.add(2, isBitmap: false)
        cache.push(try packet(1), track: 1)
        cache.push(try packet(1), track: 2)
        cache.readUntil = 77
        cache.restart()
        #expect(timestamps(cache, 1) == [1, nil] && timestamps(cache, 2) == [1])
        guard case .gap(77)? = cache.entry(1, at: 1)?.entry else {
            Issue.record("no gap at 77")
            return
        }
        #expect(cache.readUntil == nil)
    }

    @Test func consecutiveSeeksAddOneGapEntry() throws {
        var cache = SubtitlePacketCache()
        cache.add(1, isBitmap: true)
        cache.readUntil = 5
        cache.restart()
        #expect(timestamps(cache, 1) == [], "there is no bitmap to end")
        cache.push(try packet(1), track: 1)
        for time in [7, 8] as [Int64] {
            cache.readUntil = time
            cache.restart()
        }
        #expect(timestamps(cache, 1) == [1, nil])
    }
}
