import Foundation
import SharedFrames
import SystemCalls
import TestSupport
import Testing

@testable import MediaPipeline

/// Tests playback, with bounded memory, of files whose audio is stored far from the corresponding video.
@Suite struct InterleavingTests {
    /// Writes a copy of `count30.ts`, which lasts 20 seconds, and returns its path. All audio after the first second is
    /// stored `seconds` later in the file than the corresponding video.
    private func transportStream(audioDelay seconds: Int) throws -> String {
        let data = [UInt8](try Data(contentsOf: URL(fileURLWithPath: try Fixtures.path("count30.ts"))))
        let packets = stride(from: 0, to: data.count - 187, by: 188).map { data[$0..<$0 + 188] }
        func pid(_ packet: ArraySlice<UInt8>) -> Int {
            Int(packet[packet.startIndex + 1] & 0x1f) << 8 | Int(packet[packet.startIndex + 2])
        }
        let audioPackets = packets.filter { pid($0) == 0x101 }, otherPackets = packets.filter { pid($0) != 0x101 }
        #expect(audioPackets.count > 500 && otherPackets.count > 5000)
        var output: [UInt8] = [], writtenCount = 0
        for (index, packet) in otherPackets.enumerated() {
            output += packet
            // The number of audio packets stored before the next packet: `undelayedCount` without the delay, `dueCount`
            // with the delay.
            let undelayedCount = (index + 1) * audioPackets.count / otherPackets.count
            let countPerSecond = audioPackets.count / 20
            let dueCount = min(undelayedCount, max(countPerSecond, undelayedCount - seconds * countPerSecond))
            while writtenCount < dueCount {
                output += audioPackets[writtenCount]
                writtenCount += 1
            }
        }
        for packet in audioPackets[writtenCount...] { output += packet }
        let path = NSTemporaryDirectory() + "interleaving-\(UUID().uuidString).ts"
        try Data(output).write(to: URL(fileURLWithPath: path))
        return path
    }

    /// Plays a file as a player does: takes a video frame only when the audio has reached the frame's time.
    ///
    /// - Returns: The number of video frames, the end time of the audio in nanoseconds, the number of audio blocks that
    ///   are not silent, and the largest number of bytes in the packet buffer.
    private func play(_ path: String, limit: PacketBuffer.Limit) throws -> (
        frameCount: Int, audioEnd: Int64, audibleBlockCount: Int, peakByteCount: Int
    ) {
        var configuration = MediaSourceConfiguration()
        configuration.packetLimit = limit
        let arrivalEvent = try EventDescriptor()
        let source = try LocalMediaSource(
            location: path, configuration: configuration, pool: FramePool(), arrival: arrivalEvent,
            audioArrival: arrivalEvent)
        defer { source.close() }
        source.setAudioFormat(PCMFormat(rate: 48_000, channels: 2))
        try source.start()
        var frameCount = 0, audioEnd: Int64 = .min, audibleBlockCount = 0, peakByteCount = 0
        var hasAudioEnded = false, hasVideoEnded = false
        let deadline = Deadline.after(.seconds(20))
        while !hasAudioEnded || !hasVideoEnded {
            peakByteCount = max(peakByteCount, source.state.withLock { $0.packets.byteCount })
            switch source.video.first {
            case .frame(let frame)? where hasAudioEnded || frame.presentationTime <= audioEnd:
                _ = source.video.popIfAny()
                frameCount += 1
                continue
            case .end?:
                _ = source.video.popIfAny()
                hasVideoEnded = true
                continue
            default: break
            }
            switch source.audio.popIfAny() {
            case .block(let block)?:
                audioEnd = max(
                    audioEnd, block.presentationTime + Int64(block.frameCount) * 1_000_000_000 / Int64(block.rate))
                if block.samples.contains(where: { abs($0) > 0.005 }) { audibleBlockCount += 1 }
                continue
            case .end?:
                hasAudioEnded = true
                continue
            default: break
            }
            guard try Poll.waitReadable(arrivalEvent.raw, until: deadline) else {
                throw TestFailure("stuck after \(frameCount) frames, \(audioEnd) ns of audio")
            }
            arrivalEvent.drain()
        }
        return (frameCount, audioEnd, audibleBlockCount, peakByteCount)
    }

    @Test func audioStoredTenSecondsLateIsPlayedCompletely() throws {
        let path = try transportStream(audioDelay: 10)
        defer { try? FileManager.default.removeItem(atPath: path) }
        let result = try play(path, limit: PacketBuffer.Limit())
        #expect(result.frameCount == 600 && abs(result.audioEnd - 20_000_000_000) < 200_000_000)
        // The 20 s of audio are 833 blocks of 24 ms; more than 800 of them must not be silent.
        #expect(result.audibleBlockCount > 800)
    }

    @Test func audioStoredBeyondTheLimitIsReplacedBySilence() throws {
        let path = try transportStream(audioDelay: 10)
        defer { try? FileManager.default.removeItem(atPath: path) }
        var limit = PacketBuffer.Limit()
        (limit.bytes, limit.absoluteMaximumBytes) = (300_000, 1_200_000)
        let result = try play(path, limit: limit)
        #expect(result.frameCount == 600 && result.peakByteCount < limit.absoluteMaximumBytes + 200_000, "\(result)")
        #expect(result.audibleBlockCount > 0, "the audio within the limit is played")
    }

    @Test func aFileWithUnreachableAudioPlaysToTheEnd() throws {
        let path = try transportStream(audioDelay: 20)
        defer { try? FileManager.default.removeItem(atPath: path) }
        var limit = PacketBuffer.Limit()
        (limit.bytes, limit.absoluteMaximumBytes) = (300_000, 1_200_000)
        let result = try play(path, limit: limit)
        #expect(result.frameCount == 600 && result.peakByteCount < limit.absoluteMaximumBytes + 200_000, "\(result)")
    }
}
