import CFFmpeg
import Testing

@testable import MediaPipeline

@Suite struct SubtitlePacketCacheTests {
    /// Returns a packet with the presentation timestamp `stamp`.
    private func packet(_ stamp: Int64, bytes: Int32 = 10) throws -> Packet {
        let packet = try #require(Packet())
        try #require(av_new_packet(packet.pointer, bytes) >= 0)
        packet.pointer.pointee.pts = stamp
        return packet
    }

    /// Returns the presentation timestamps of a track's packets from `position` on. A nil element means that the
    /// packets after it were read at another position of the file.
    private func timestamps(_ backlog: SubtitlePacketCache, _ track: Int, from position: Int = 0) -> [Int64?] {
        var stamps: [Int64?] = [], position = position
        while let (entry, next) = backlog.entry(track, at: position) {
            stamps.append(entry.packet?.pointer.pointee.pts)
            position = next
        }
        return stamps
    }

    @Test func packetsOfATrackStayInOrder() throws {
        var backlog = SubtitlePacketCache()
        backlog.add(3, isBitmap: false)
        backlog.add(5, isBitmap: false)
        for stamp in [1, 2, 3] as [Int64] { backlog.push(try packet(stamp), track: 3) }
        backlog.push(try packet(9), track: 5)
        #expect(timestamps(backlog, 3) == [1, 2, 3] && timestamps(backlog, 5) == [9])
        #expect(timestamps(backlog, 3, from: 2) == [3])
    }

    @Test func packetsOfUnknownTracksAreIgnored() throws {
        var backlog = SubtitlePacketCache()
        backlog.push(try packet(1), track: 7)
        #expect(!backlog.has(7) && backlog.entry(7, at: 0) == nil)
    }

    @Test func aPacketIsFoundByItsTimestamp() throws {
        var backlog = SubtitlePacketCache()
        backlog.add(1, isBitmap: false)
        backlog.push(try packet(40), track: 1)
        #expect(backlog.has(1, at: 40) && !backlog.has(1, at: 41) && !backlog.has(2, at: 40))
    }

    @Test func theNumberOfPacketsIsBounded() throws {
        var backlog = SubtitlePacketCache()
        backlog.add(1, isBitmap: false)
        for stamp in 0..<Int64(SubtitlePacketCache.countLimit + 5) {
            backlog.push(try packet(stamp, bytes: 1), track: 1)
        }
        let kept = timestamps(backlog, 1)
        #expect(
            kept.count <= SubtitlePacketCache.countLimit && kept.last == Int64(SubtitlePacketCache.countLimit + 4)
        )
    }

    @Test func theBytesAreBoundedButTheNewestPacketIsKept() throws {
        var backlog = SubtitlePacketCache()
        backlog.add(1, isBitmap: true)
        for stamp in 0..<8 as Range<Int64> { backlog.push(try packet(stamp, bytes: 1 << 20), track: 1) }
        #expect(timestamps(backlog, 1) == [5, 6, 7])
        backlog.push(try packet(8, bytes: 8 << 20), track: 1)
        #expect(timestamps(backlog, 1) == [8])
    }

    @Test func thePositionOfADroppedPacketReturnsTheFirstRemainingPacket() throws {
        var backlog = SubtitlePacketCache()
        backlog.add(1, isBitmap: true)
        for stamp in 0..<8 as Range<Int64> { backlog.push(try packet(stamp, bytes: 1 << 20), track: 1) }
        let first = try #require(backlog.entry(1, at: 0))
        #expect(first.entry.packet?.pointer.pointee.pts == 5 && first.next == 6)
        #expect(backlog.entry(1, at: 8) == nil && backlog.entry(1, at: 7)?.next == 8)
    }

    @Test func aSeekAddsAGapEntryThatEndsBitmapSubtitles() throws {
        var backlog = SubtitlePacketCache()
        backlog.add(1, isBitmap: true)
        backlog.add(2, isBitmap: false)
        backlog.push(try packet(1), track: 1)
        backlog.push(try packet(1), track: 2)
        backlog.readUntil = 77
        backlog.restart()
        #expect(timestamps(backlog, 1) == [1, nil] && timestamps(backlog, 2) == [1])
        guard case .gap(77)? = backlog.entry(1, at: 1)?.entry else {
            Issue.record("no gap at 77")
            return
        }
        #expect(backlog.readUntil == nil)
    }

    @Test func consecutiveSeeksAddOneGapEntry() throws {
        var backlog = SubtitlePacketCache()
        backlog.add(1, isBitmap: true)
        backlog.readUntil = 5
        backlog.restart()
        #expect(timestamps(backlog, 1) == [], "there is no bitmap to end")
        backlog.push(try packet(1), track: 1)
        for time in [7, 8] as [Int64] {
            backlog.readUntil = time
            backlog.restart()
        }
        #expect(timestamps(backlog, 1) == [1, nil])
    }
}
