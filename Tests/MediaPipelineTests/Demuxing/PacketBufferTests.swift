import CFFmpeg
import Testing

@testable import MediaPipeline

@Suite struct PacketBufferTests {
    /// Returns a packet with `bytes` bytes of data.
    private func packet(_ bytes: Int32 = 1000) throws -> Packet {
        let packet = try #require(Packet())
        try #require(av_new_packet(packet.pointer, bytes) == 0)
        return packet
    }

    /// Returns an empty packet buffer with the given limits.
    private func buffer(bytes: Int = 10_000, time: Int64 = 100, tracks: Int = 1) -> PacketBuffer {
        var buffer = PacketBuffer()
        (buffer.limit.bytes, buffer.limit.absoluteMaximumBytes, buffer.limit.time) = (bytes, 4 * bytes, time)
        for track in 0..<tracks { buffer.addTrack(track) }
        return buffer
    }

    /// Removes and returns the first item of a track; nil if there is none.
    private func pop(_ buffer: inout PacketBuffer, _ track: Int = 0) -> PacketBuffer.Item? {
        buffer.pop(track: track) { _ in nil }
    }

    @Test func pushAndPopUpdateTheByteCount() throws {
        var buffer = buffer(tracks: 2)
        let largePacket = try packet(), smallPacket = try packet(500)
        buffer.push(largePacket, track: 0, time: nil)
        buffer.push(smallPacket, track: 1, time: nil)
        #expect(buffer.byteCount == largePacket.byteCount + smallPacket.byteCount)
        guard case .packet(let popped) = pop(&buffer) else {
            Issue.record("no packet")
            return
        }
        #expect(popped === largePacket && buffer.byteCount == smallPacket.byteCount && pop(&buffer) == nil)
        buffer.removeTrack(1)
        #expect(buffer.byteCount == 0)
    }

    @Test func sideDataCountsTowardsTheBytes() throws {
        var buffer = buffer(bytes: 100_000, time: .max)
        let packet = try packet(10)
        try #require(av_packet_new_side_data(packet.pointer, AV_PKT_DATA_MATROSKA_BLOCKADDITIONAL, 200_000) != nil)
        buffer.push(packet, track: 0, time: 0)
        #expect(packet.byteCount > 200_000 && buffer.byteCount == packet.byteCount && !buffer.needsPackets)
        _ = pop(&buffer)
        #expect(buffer.byteCount == 0)
    }

    @Test func readingStopsWhenAllTracksReachTheTimeLimit() throws {
        var buffer = buffer(tracks: 2)
        #expect(buffer.needsPackets)
        for time in [0, 100] as [Int64] { buffer.push(try packet(), track: 0, time: time) }
        #expect(buffer.needsPackets, "the other track has no packets")
        for time in [0, 99] as [Int64] { buffer.push(try packet(), track: 1, time: time) }
        #expect(buffer.needsPackets && buffer.readAhead == 99)
        buffer.push(try packet(), track: 1, time: 100)
        #expect(!buffer.needsPackets && buffer.readAhead == 100)
    }

    @Test func readingContinuesWhenAQuarterIsFree() throws {
        var buffer = buffer(bytes: 100_000)
        for time in stride(from: Int64(0), through: 100, by: 10) { buffer.push(try packet(), track: 0, time: time) }
        var needsPackets: [Bool] = []
        for time in [10, 20, 30] as [Int64] {
            _ = buffer.pop(track: 0) { _ in time }
            needsPackets.append(buffer.needsPackets)
        }
        #expect(needsPackets == [false, false, true] && buffer.mayResumeReading)
        buffer.push(try packet(), track: 0, time: 120)
        #expect(buffer.needsPackets, "reading goes on until the buffer is full")
        buffer.push(try packet(), track: 0, time: 130)
        #expect(!buffer.needsPackets && !buffer.mayResumeReading)
        buffer.restart(nil)
        #expect(buffer.needsPackets)
    }

    @Test func byteLimitStopsReadingUnlessATrackIsEmpty() throws {
        var buffer = buffer(bytes: 2000, time: .max, tracks: 2)
        buffer.push(try packet(), track: 0, time: 0)
        buffer.push(try packet(), track: 1, time: 0)
        #expect(!buffer.needsPackets)
        _ = pop(&buffer, 1)
        buffer.push(try packet(), track: 0, time: 1)
        #expect(buffer.needsPackets, "the second track has no packets")
        while buffer.byteCount < 8000 { buffer.push(try packet(), track: 0, time: 2) }
        #expect(!buffer.needsPackets, "reading stops at four times the limit")
    }

    @Test func fullBufferSendsOneGapItemToATrackWithoutPackets() throws {
        var buffer = buffer(bytes: 2000, time: 100, tracks: 2)
        let isReportedEarly = buffer.reportGap()
        #expect(!isReportedEarly, "there is space")
        var time: Int64 = 0
        while buffer.needsPackets {
            buffer.push(try packet(), track: 0, time: time)
            time += 40
        }
        let results = [buffer.reportGap(), buffer.reportGap()]
        #expect(buffer.byteCount >= 8000 && results == [true, false])
        guard case .gap(until: 50) = pop(&buffer, 1) else {
            Issue.record("no gap")
            return
        }
        let isReportedAgain = buffer.reportGap()
        #expect(!isReportedAgain, "no packet was played since the last gap")
        _ = buffer.pop(track: 0) { _ in 40 }
        buffer.push(try packet(), track: 0, time: time)
        let isReportedLater = buffer.reportGap()
        #expect(isReportedLater, "the other track has advanced")
        buffer.push(try packet(10), track: 1, time: 60)
        _ = pop(&buffer, 1)
        guard case .packet = pop(&buffer, 1) else {
            Issue.record("the packet after the gap is lost")
            return
        }
    }

    @Test func networkSourceIsNotReadBeyondTheByteLimit() throws {
        let limit = PacketBuffer.Limit.network
        #expect(limit.bytes == 64 << 20 && limit.absoluteMaximumBytes == limit.bytes)
        var buffer = buffer(bytes: 2000, time: .max, tracks: 2)
        buffer.limit.absoluteMaximumBytes = buffer.limit.bytes
        while buffer.needsPackets { buffer.push(try packet(), track: 0, time: 0) }
        let isReported = buffer.reportGap()
        #expect(
            buffer.byteCount < 2 * limit.bytes && buffer.byteCount < 4000 && isReported,
            "the track without packets does not stop the other track")
    }

    @Test func endItemComesOnceAfterAllPackets() throws {
        var buffer = buffer()
        buffer.push(try packet(), track: 0, time: 0)
        buffer.end()
        buffer.end()
        #expect(!buffer.needsPackets)
        if case .packet = pop(&buffer) {} else { Issue.record("no packet") }
        if case .end = pop(&buffer) {} else { Issue.record("no end") }
        #expect(pop(&buffer) == nil)
    }

    @Test func readingDoesNotWaitForAnEndedTrack() throws {
        var buffer = buffer(tracks: 2)
        buffer.push(try packet(), track: 0, time: 0)
        buffer.end(track: 0)
        for time in [0, 100] as [Int64] { buffer.push(try packet(), track: 1, time: time) }
        #expect(!buffer.needsPackets, "only the track that has not ended is considered")
        let bytes = buffer.byteCount
        buffer.push(try packet(), track: 0, time: 100)
        #expect(buffer.byteCount == bytes, "an ended track accepts no packets")
        guard case .packet = pop(&buffer), case .end = pop(&buffer) else {
            Issue.record("no packet and end")
            return
        }
        buffer.end()
        #expect(pop(&buffer) == nil, "the end comes once")
    }

    @Test func aRestartDiscardsPacketsAndEnqueuesTheSeekItemFirst() throws {
        var buffer = buffer(tracks: 2)
        buffer.push(try packet(), track: 0, time: 0)
        buffer.end()
        let request = SeekRequest(time: 5, precision: .exact, generation: 3)
        buffer.restart(request)
        buffer.push(try packet(), track: 0, time: 0)
        #expect(buffer.needsPackets)
        for track in 0..<2 {
            if case .flush(request) = pop(&buffer, track) {} else { Issue.record("no flush item on track \(track)") }
        }
        if case .packet = pop(&buffer) {} else { Issue.record("no packet") }
        buffer.restart(nil)
        #expect(buffer.byteCount == 0 && pop(&buffer) == nil && buffer.readAhead == 0)
    }

    @Test func packetsOfUnknownTracksAreDropped() throws {
        var buffer = buffer()
        buffer.push(try packet(), track: 5, time: 0)
        #expect(buffer.byteCount == 0 && !buffer.hasTrack(5) && buffer.hasTracks)
        buffer.removeTrack(0)
        #expect(!buffer.hasTracks && !buffer.needsPackets)
    }
}
