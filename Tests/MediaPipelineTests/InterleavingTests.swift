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
        let sound = packets.filter { pid($0) == 0x101 }, others = packets.filter { pid($0) != 0x101 }
        #expect(sound.count > 500 && others.count > 5000)
        var out: [UInt8] = [], written = 0
        for (index, packet) in others.enumerated() {
            out += packet
            // The number of audio packets that should be stored before this packet, minus the number of delayed
            // packets.
            let belongs = (index + 1) * sound.count / others.count, second = sound.count / 20
            let due = min(belongs, max(second, belongs - seconds * second))
            while written < due {
                out += sound[written]
                written += 1
            }
        }
        for packet in sound[written...] { out += packet }
        let path = NSTemporaryDirectory() + "interleaving-\(UUID().uuidString).ts"
        try Data(out).write(to: URL(fileURLWithPath: path))
        return path
    }

    /// Plays a file as a player does: takes a video frame only when the audio has reached the frame's time.
    private func play(_ path: String, limit: PacketBuffer.Limit) throws -> (
        frames: Int, sound: Int64, loud: Int, mostBytes: Int
    ) {
        var configuration = MediaSourceConfiguration()
        configuration.packetLimit = limit
        let arrival = try EventDescriptor()
        let source = try LocalMediaSource(
            location: path, configuration: configuration, pool: FramePool(), arrival: arrival, audioArrival: arrival)
        defer { source.close() }
        source.setAudioFormat(PCMFormat(rate: 48_000, channels: 2))
        try source.start()
        var frames = 0, heard: Int64 = .min, loud = 0, mostBytes = 0
        var hasAudioEnded = false, hasVideoEnded = false
        let deadline = Deadline.after(.seconds(20))
        while !hasAudioEnded || !hasVideoEnded {
            mostBytes = max(mostBytes, source.state.withLock { $0.packets.bytes })
            switch source.video.first {
            case .frame(let frame)? where hasAudioEnded || frame.presentationTime <= heard:
                _ = source.video.popIfAny()
                frames += 1
                continue
            case .end?:
                _ = source.video.popIfAny()
                hasVideoEnded = true
                continue
            default: break
            }
            switch source.audio.popIfAny() {
            case .block(let block)?:
                heard = max(heard, block.presentationTime + Int64(block.frameCount) * 1_000_000_000 / Int64(block.rate))
                if block.samples.contains(where: { abs($0) > 0.005 }) { loud += 1 }
                continue
            case .end?:
                hasAudioEnded = true
                continue
            default: break
            }
            guard try Poll.waitReadable(arrival.raw, until: deadline) else {
                throw TestFailure("stuck after \(frames) frames, \(heard) ns of audio")
            }
            arrival.drain()
        }
        return (frames, heard, loud, mostBytes)
    }

    @Test func audioStoredTenSecondsLateIsPlayedCompletely() throws {
        let path = try transportStream(audioDelay: 10)
        defer { try? FileManager.default.removeItem(atPath: path) }
        let played = try play(path, limit: PacketBuffer.Limit())
        #expect(played.frames == 600 && abs(played.sound - 20_000_000_000) < 200_000_000)
        // The 20 s of audio are 833 blocks of 24 ms; more than 800 of them must not be silent.
        #expect(played.loud > 800)
    }

    @Test func audioStoredBeyondTheLimitIsReplacedBySilence() throws {
        let path = try transportStream(audioDelay: 10)
        defer { try? FileManager.default.removeItem(atPath: path) }
        var limit = PacketBuffer.Limit()
        (limit.bytes, limit.absoluteMaximumBytes) = (300_000, 1_200_000)
        let played = try play(path, limit: limit)
        #expect(played.frames == 600 && played.mostBytes < limit.absoluteMaximumBytes + 200_000, "\(played)")
        #expect(played.loud > 0, "the audio within the limit is played")
    }

    @Test func aFileWithUnreachableAudioPlaysToTheEnd() throws {
        let path = try transportStream(audioDelay: 20)
        defer { try? FileManager.default.removeItem(atPath: path) }
        var limit = PacketBuffer.Limit()
        (limit.bytes, limit.absoluteMaximumBytes) = (300_000, 1_200_000)
        let played = try play(path, limit: limit)
        #expect(played.frames == 600 && played.mostBytes < limit.absoluteMaximumBytes + 200_000, "\(played)")
    }
}
