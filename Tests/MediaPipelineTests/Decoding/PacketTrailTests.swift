import CFFmpeg
import TestSupport
import Testing

@testable import MediaPipeline

@Suite struct PacketTrailTests {
    private func packet(_ number: Int64, position: Int64? = nil) throws -> Packet {
        let packet = try #require(Packet())
        packet.pointer.pointee.pos = position ?? number * 100
        packet.pointer.pointee.dts = number
        packet.pointer.pointee.pts = number + 1
        return packet
    }

    /// Returns the decoding times of the packets passed to the decoder, and the number of flushes.
    private func given(_ trail: inout PacketTrail, _ packets: [Packet?]) -> (numbers: [Int64?], flushes: Int) {
        var numbers: [Int64?] = [], flushes = 0
        for packet in packets {
            switch trail.step(packet) {
            case .decode: numbers.append(packet?.pointer.pointee.dts)
            case .passOver: break
            case .startOver(let all):
                flushes += 1
                numbers += all.map(\.pointer.pointee.dts)
                if packet == nil { numbers.append(nil) }
            }
        }
        return (numbers, flushes)
    }

    private func looks(_ trail: inout PacketTrail) -> Bool { trail.look() }

    @Test func decodingContinuesAfterTheLastDecodedPacket() throws {
        var trail = PacketTrail()
        let stream = try (0..<10).map { try packet(Int64($0)) }
        #expect(given(&trail, Array(stream[..<5])).numbers == [0, 1, 2, 3, 4])
        #expect(looks(&trail))
        let second = given(&trail, stream)
        #expect(second.numbers == [5, 6, 7, 8, 9] && second.flushes == 0)
    }

    @Test func aSecondSeekKeepsSearchingForTheSamePosition() throws {
        var trail = PacketTrail()
        let stream = try (0..<10).map { try packet(Int64($0)) }
        _ = given(&trail, Array(stream[..<7]))
        #expect(looks(&trail))
        #expect(given(&trail, Array(stream[..<3])).numbers.isEmpty)
        #expect(looks(&trail))
        #expect(given(&trail, stream).numbers == [7, 8, 9])
    }

    @Test func ifThePositionIsNotFoundAllPacketsAreDecoded() throws {
        let stream = try (0..<10).map { try packet(Int64($0)) }
        // The new packets start after the position; a different packet has the same time; a packet has no position; the
        // end comes first.
        let ways: [([Packet?], [Int64?])] = [
            (Array(stream[6...]), [6, 7, 8, 9]),
            ([stream[3], try packet(4, position: 7), stream[5]], [3, 4, 5]),
            ([stream[2], try packet(3, position: -1), stream[4]], [2, 3, 4]),
            ([stream[1], stream[2], nil], [1, 2, nil]),
        ]
        for (way, all) in ways {
            var trail = PacketTrail()
            _ = given(&trail, Array(stream[..<5]))
            #expect(looks(&trail))
            let outcome = given(&trail, way)
            #expect(outcome.numbers == all && outcome.flushes == 1)
        }
    }

    @Test func thereIsNoPositionToFindAfterAFlushOrTheEnd() throws {
        var trail = PacketTrail()
        #expect(!looks(&trail))
        _ = given(&trail, [try packet(0)])
        trail.forget()
        #expect(!looks(&trail))
        _ = given(&trail, [try packet(0), nil])
        #expect(!looks(&trail))
        _ = given(&trail, [try packet(0, position: -1)])
        #expect(!looks(&trail))
    }

    @Test func theNumberOfKeptPacketsIsBounded() throws {
        var trail = PacketTrail()
        _ = given(&trail, [try packet(1_000_000)])
        #expect(looks(&trail))
        var steps = 0
        while steps < 5000 {
            steps += 1
            if case .startOver(let all) = trail.step(try packet(Int64(steps))) {
                #expect(all.count == steps && steps <= 1000)
                return
            }
        }
        Issue.record("the number of kept packets is unbounded")
    }
}
