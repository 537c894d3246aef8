import CFFmpeg
import SharedFrames
import TestSupport
import Testing

@testable import MediaPipeline

/// Tests of seeks after which decoding continues without a flush, and of files with damaged timestamps.
@Suite struct VideoDecoderTests {
    /// The video packets of a file, its decoder parameters, and the time in nanoseconds at which its timestamps begin.
    private struct VideoPackets {
        let parameters: CodecParameters, origin: Int64
        private(set) var packets: [Packet] = []

        init(_ name: String, frameRate: AVRational? = nil) throws {
            var choice = TrackChoice()
            choice.selections.audio = .off
            let demuxer = try Demuxer(
                location: try Fixtures.path(name), opener: try MediaOpener(policy: OpenPolicy()), choice: choice,
                readsOtherTracks: false)
            demuxer.select(video: demuxer.video.map { Int($0.pointee.index) }, audio: nil)
            let stream = try #require(demuxer.video)
            if let frameRate { stream.pointee.avg_frame_rate = frameRate }
            parameters = try #require(CodecParameters(stream: stream))
            origin = demuxer.origin
            while true {
                let packet = try #require(Packet())
                guard try demuxer.read(into: packet) else { break }
                packets.append(packet)
            }
        }

        /// Returns a new decoder for the packets.
        func decoder() throws -> VideoDecoder {
            try VideoDecoder(
                parameters: parameters, origin: origin, pool: FramePool(), threading: DecoderThreading(count: 1))
        }
    }

    /// The duration of a frame in nanoseconds.
    private static let frameDuration: Int64 = 1_000_000_000 / 30

    @Test func outdatedSeekStopsTheRestart() throws {
        let videoPackets = try VideoPackets("count30.mp4")
        var decoder = try videoPackets.decoder(), deliveredFrames: [VideoFrame] = []
        func append(_ item: DecodedVideo, _: UInt32) -> Bool {
            if case .frame(let frame) = item { deliveredFrames.append(frame) }
            return true
        }
        // The last decoded packet has a timestamp far ahead. After the seek, the decoder therefore searches for that
        // packet in all following packets.
        let lastPacket = videoPackets.packets[9], originalTimestamp = lastPacket.pointer.pointee.dts
        lastPacket.pointer.pointee.dts = 1 << 40
        for packet in videoPackets.packets[..<10] {
            try decoder.decode(packet, isWanted: { _ in true }, deliver: append)
        }
        lastPacket.pointer.pointee.dts = originalTimestamp
        decoder.restart(SeekRequest(time: 10 * Self.frameDuration, precision: .exact, generation: 1))
        deliveredFrames = []
        for packet in videoPackets.packets {
            let isDecoded = try decoder.decode(packet, isWanted: { _ in true }, deliver: append)
            #expect(!isDecoded)
        }
        #expect(deliveredFrames.isEmpty)
        var checkCount = 0
        try decoder.decode(
            nil,
            isWanted: { generation in
                checkCount += 1
                return generation == 1 && checkCount <= 30
            }, deliver: append)
        #expect(
            checkCount == 31 && deliveredFrames.count <= 30, "\(checkCount) packets, \(deliveredFrames.count) frames")
        // The next seek restarts decoding, although its target lies after the last decoded picture.
        decoder.restart(
            SeekRequest(time: 40 * Self.frameDuration + Self.frameDuration / 2, precision: .exact, generation: 2))
        deliveredFrames = []
        for packet in videoPackets.packets[..<60] {
            #expect(try decoder.decode(packet, isWanted: { _ in true }, deliver: append))
        }
        #expect(deliveredFrames.first.flatMap(frameNumber) == 40 && deliveredFrames.first?.generation == 2)
    }

    @Test func newSeekRestartsDecodingAfterAnAbortedRestart() throws {
        let videoPackets = try VideoPackets("count30.mp4")
        var decoder = try videoPackets.decoder(), deliveredFrames: [VideoFrame] = []
        func decode(_ packets: Range<Int>, isWanted: Bool = true) throws {
            for packet in videoPackets.packets[packets] {
                try decoder.decode(packet, isWanted: { _ in isWanted }) { item, _ in
                    if case .frame(let frame) = item { deliveredFrames.append(frame) }
                    return isWanted
                }
            }
        }
        try decode(0..<10)
        let request = SeekRequest(
            time: 70 * Self.frameDuration + Self.frameDuration / 2, precision: .exact, generation: 1)
        decoder.restart(request)
        deliveredFrames = []
        // The first seek is outdated, so the decoder discards these packets, which begin with a keyframe. The newer
        // seek arrives a moment later.
        try decode(60..<64, isWanted: false)
        decoder.restart(SeekRequest(time: request.time, precision: .exact, generation: 2))
        try decode(60..<100)
        #expect(deliveredFrames.first.flatMap(frameNumber) == 70 && deliveredFrames.first?.generation == 2)
    }

    @Test func hugeFrameDurationDoesNotOverflow() throws {
        let videoPackets = try VideoPackets("count30.mp4", frameRate: AVRational(num: 1, den: .max))
        var decoder = try videoPackets.decoder(), durations: [Int64] = []
        decoder.restart(SeekRequest(time: ReadingLimits.timeRange.lowerBound, precision: .exact, generation: 1))
        for packet in videoPackets.packets[..<60] {
            packet.pointer.pointee.duration = 0
            try decoder.decode(packet, isWanted: { _ in true }) { item, _ in
                if case .frame(let frame) = item { durations.append(frame.duration) }
                return true
            }
        }
        #expect(durations.count > 40 && durations.allSatisfy { (0...1 << 50).contains($0) }, "\(durations.max() ?? 0)")
    }
}
