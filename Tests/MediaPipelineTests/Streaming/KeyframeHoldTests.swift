import CFFmpeg
import Testing

@testable import MediaPipeline

@Suite struct KeyframeHoldTests {
    /// Returns a packet with `bytes` bytes of data; track 0 is the video.
    private func packet(_ time: Int64, track: Int32 = 0, isKeyframe: Bool = false, bytes: Int32 = 10) throws -> Packet {
        let packet = try #require(Packet())
        try #require(av_new_packet(packet.pointer, bytes) == 0)
        (packet.pointer.pointee.pts, packet.pointer.pointee.dts) = (time, time)
        packet.pointer.pointee.stream_index = track
        packet.pointer.pointee.flags = isKeyframe ? AV_PKT_FLAG_KEY : 0
        return packet
    }

    /// Returns the tracks and times of the held packets; an item without a packet is nil.
    private func heldTimes(_ hold: inout KeyframeHold) -> [[Int64]?] {
        hold.take().map { item in
            guard case .packet(let packet) = item else { return nil }
            return [Int64(packet.track), packet.pointer.pointee.pts]
        }
    }

    @Test func packetsBeforeTheLastKeyframeAreDropped() throws {
        var hold = KeyframeHold(target: 100, track: 0)
        var results = [hold.add(.packet(try packet(0, isKeyframe: true)))]
        results.append(hold.add(.packet(try packet(40))))
        results.append(hold.add(.packet(try packet(100, isKeyframe: true))))
        results.append(hold.add(.packet(try packet(140))))
        #expect(results == [false, false, false, true])
        #expect(heldTimes(&hold) == [[0, 100], [0, 140]] && hold.take().isEmpty)
    }

    @Test func aKeyframeAfterTheTargetDropsNoPackets() throws {
        var hold = KeyframeHold(target: 100, track: 0)
        #expect(!hold.add(.packet(try packet(60, isKeyframe: true))))
        let isReady = hold.add(.packet(try packet(101, isKeyframe: true)))
        #expect(isReady && heldTimes(&hold) == [[0, 60], [0, 101]])
    }

    @Test func otherTracksAndItemsAreKept() throws {
        var hold = KeyframeHold(target: 100, track: 0)
        var results = [hold.add(.packet(try packet(0, track: 1, isKeyframe: true)))]
        results.append(hold.add(.warning(MediaError(.input, "x"))))
        results.append(hold.add(.packet(try packet(10))))
        results.append(hold.add(.packet(try packet(20, isKeyframe: true))))
        results.append(hold.add(.packet(try packet(500, track: 1, isKeyframe: true))))
        #expect(results.allSatisfy { !$0 }, "only the video decides")
        #expect(heldTimes(&hold) == [[1, 0], nil, [0, 20], [1, 500]])
    }

    @Test func heldPacketsAreDeliveredBeyondTheByteLimit() throws {
        var hold = KeyframeHold(target: 100, track: 0)
        #expect(!hold.add(.packet(try packet(0, bytes: 20 << 20))))
        #expect(!hold.add(.packet(try packet(10, isKeyframe: true, bytes: 20 << 20))), "the first packet is dropped")
        #expect(hold.add(.packet(try packet(20, bytes: 13 << 20))))
    }
}
