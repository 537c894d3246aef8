import CFFmpeg
import TestSupport
import Testing

@testable import MediaPipeline

@Suite struct SeekResumeTrackerTests {
    /// Returns a packet with the decoding timestamp `number`.
    ///
    /// - Parameter position: The byte position of the packet in the file; -1 if it is unknown.
    private func packet(_ number: Int64, position: Int64? = nil) throws -> Packet {
        let packet = try #require(Packet())
        packet.pointer.pointee.pos = position ?? number * 100
        packet.pointer.pointee.dts = number
        packet.pointer.pointee.pts = number + 1
        return packet
    }

    /// Passes packets to the tracker; a nil element is the end of the stream. Returns the decoding timestamps of the
    /// packets that must be decoded, and the number of times that the decoder must be flushed.
    private func decodedPackets(_ tracker: inout SeekResumeTracker, _ packets: [Packet?]) -> (
        numbers: [Int64?], flushCount: Int
    ) {
        var numbers: [Int64?] = [], flushCount = 0
        for packet in packets {
            switch tracker.action(for: packet) {
            case .decode: numbers.append(packet?.pointer.pointee.dts)
            case .skip: break
            case .restart(let keptPackets):
                flushCount += 1
                numbers += keptPackets.map(\.pointer.pointee.dts)
                if packet == nil { numbers.append(nil) }
            }
        }
        return (numbers, flushCount)
    }

    /// Notifies the tracker of a seek. Returns whether the tracker now searches for the packet that was decoded last.
    private func startsSearch(_ tracker: inout SeekResumeTracker) -> Bool { tracker.startSearch() }

    @Test func decodingContinuesAfterTheLastDecodedPacket() throws {
        var tracker = SeekResumeTracker()
        let streamPackets = try (0..<10).map { try packet(Int64($0)) }
        #expect(decodedPackets(&tracker, Array(streamPackets[..<5])).numbers == [0, 1, 2, 3, 4])
        #expect(startsSearch(&tracker))
        let decodedAfterSeek = decodedPackets(&tracker, streamPackets)
        #expect(decodedAfterSeek.numbers == [5, 6, 7, 8, 9] && decodedAfterSeek.flushCount == 0)
    }

    @Test func aSecondSeekKeepsSearchingForTheSamePosition() throws {
        var tracker = SeekResumeTracker()
        let streamPackets = try (0..<10).map { try packet(Int64($0)) }
        _ = decodedPackets(&tracker, Array(streamPackets[..<7]))
        #expect(startsSearch(&tracker))
        #expect(decodedPackets(&tracker, Array(streamPackets[..<3])).numbers.isEmpty)
        #expect(startsSearch(&tracker))
        #expect(decodedPackets(&tracker, streamPackets).numbers == [7, 8, 9])
    }

    @Test func allPacketsAreDecodedIfThePositionIsNotFound() throws {
        let streamPackets = try (0..<10).map { try packet(Int64($0)) }
        // The four cases: the packets after the seek start after the sought position; another packet has the same
        // timestamp; a packet has no position; the stream ends before the position.
        let cases: [([Packet?], [Int64?])] = [
            (Array(streamPackets[6...]), [6, 7, 8, 9]),
            ([streamPackets[3], try packet(4, position: 7), streamPackets[5]], [3, 4, 5]),
            ([streamPackets[2], try packet(3, position: -1), streamPackets[4]], [2, 3, 4]),
            ([streamPackets[1], streamPackets[2], nil], [1, 2, nil]),
        ]
        for (packets, expectedNumbers) in cases {
            var tracker = SeekResumeTracker()
            _ = decodedPackets(&tracker, Array(streamPackets[..<5]))
            #expect(startsSearch(&tracker))
            let outcome = decodedPackets(&tracker, packets)
            #expect(outcome.numbers == expectedNumbers && outcome.flushCount == 1)
        }
    }

    @Test func flushAndEndOfStreamDiscardThePosition() throws {
        var tracker = SeekResumeTracker()
        #expect(!startsSearch(&tracker))
        _ = decodedPackets(&tracker, [try packet(0)])
        tracker.reset()
        #expect(!startsSearch(&tracker))
        _ = decodedPackets(&tracker, [try packet(0), nil])
        #expect(!startsSearch(&tracker))
        _ = decodedPackets(&tracker, [try packet(0, position: -1)])
        #expect(!startsSearch(&tracker))
    }

    @Test func numberOfKeptPacketsIsBounded() throws {
        var tracker = SeekResumeTracker()
        _ = decodedPackets(&tracker, [try packet(1_000_000)])
        #expect(startsSearch(&tracker))
        var packetCount = 0
        while packetCount < 5000 {
            packetCount += 1
            if case .restart(let keptPackets) = tracker.action(for: try packet(Int64(packetCount))) {
                #expect(keptPackets.count == packetCount && packetCount <= 1000)
                return
            }
        }
        Issue.record("the number of kept packets is unbounded")
    }
}
