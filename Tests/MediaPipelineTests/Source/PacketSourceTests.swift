import CFFmpeg
import SharedFrames
import SystemCalls
import TestSupport
import Testing

@testable import MediaPipeline

/// Tests of the pipeline with packets from memory instead of a demuxer.
@Suite struct PacketSourceTests {
    /// The duration of a frame in nanoseconds.
    private static let frameDuration: Int64 = 1_000_000_000 / 30

    /// The pipeline under test, which reads and decodes packets from memory. Closes the source on deinitialisation.
    private final class TestPipeline {
        let packets: InMemoryPacketSource
        let source: LocalMediaSource

        init(_ packets: InMemoryPacketSource, configure: (inout MediaSourceConfiguration) -> Void = { _ in }) throws {
            var configuration = MediaSourceConfiguration()
            configure(&configuration)
            self.packets = packets
            source = LocalMediaSource(
                packets, location: "memory", configuration: configuration, pool: FramePool(),
                arrival: try EventDescriptor(),
                audioArrival: try EventDescriptor())
            try source.start()
        }

        deinit { source.close() }

        /// Returns the next decoded frame; nil at the end of the stream.
        func nextFrame() throws -> VideoFrame? {
            switch try #require(source.video.pop(until: Deadline.after(.seconds(60))), "no frame arrived") {
            case .frame(let frame): frame
            case .end: nil
            }
        }

        /// Returns the next block of decoded audio; nil at the end of the stream.
        func nextAudioBlock() throws -> PCMBlock? {
            switch try #require(source.audio.pop(until: Deadline.after(.seconds(60))), "no audio arrived") {
            case .block(let block): block
            case .end: nil
            }
        }

        /// Waits for the pipeline's first event that `isWanted` accepts, and returns it.
        func event(_ isWanted: (MediaEvent) -> Bool) throws -> MediaEvent {
            while let event = source.events.pop(until: Deadline.after(.seconds(60))) {
                if isWanted(event) { return event }
            }
            throw TestFailure("the source reported no such event")
        }
    }

    @Test func allPacketsBecomeFramesInOrder() throws {
        let pipeline = try TestPipeline(try InMemoryPacketSource(fixture: "count30.mp4"))
        guard case .opened(let info) = try pipeline.event({ _ in true }) else {
            Issue.record("not opened")
            return
        }
        #expect(info.video?.codec == "h264")
        for number in 0..<600 { #expect(try pipeline.nextFrame().flatMap(frameNumber) == number) }
        #expect(
            try pipeline.nextFrame() == nil
                && pipeline.packets.calls.withLock { $0.selectedTracks } == PlayedTracks(video: info.video?.streamIndex)
        )
    }

    @Test func anExactSeekLandsOnTheSoughtFrame() throws {
        let pipeline = try TestPipeline(try InMemoryPacketSource(fixture: "count30.mkv"))
        let firstFrame = try #require(try pipeline.nextFrame())
        for (generation, target) in [300, 59, 599, 0].enumerated() {
            let time = firstFrame.presentationTime + Int64(target) * Self.frameDuration + Self.frameDuration / 2
            pipeline.source.seek(SeekRequest(time: time, precision: .exact, generation: UInt32(generation + 1)))
            #expect(try pipeline.nextFrame().flatMap(frameNumber) == target)
        }
        #expect(pipeline.packets.calls.withLock { $0.seekTimes.count } == 4)
    }

    @Test func audioStoredBeforeTheVideoOfASeekIsPlayed() throws {
        // The audio of each group of pictures is stored before its video.
        let packets = try InMemoryPacketSource(fixture: "count30.mkv", audio: true)
        let tracks = ReaderTracks(packets.contents)
        var videoGroups: [[PacketSourceItem]] = [[]], audioGroups: [[PacketSourceItem]] = [[]]
        for item in packets.items {
            guard case .packet(let packet) = item else { continue }
            if packet.track == tracks.movingVideo, packet.isKeyframe {
                videoGroups.append([])
                audioGroups.append([])
            }
            if packet.track == tracks.movingVideo {
                videoGroups[videoGroups.count - 1].append(item)
            } else {
                audioGroups[audioGroups.count - 1].append(item)
            }
        }
        packets.items = zip(audioGroups, videoGroups).flatMap { $0 + $1 }
        let pipeline = try TestPipeline(packets)
        pipeline.source.setAudioFormat(PCMFormat(rate: 48_000, channels: 2))
        let time: Int64 = 5_000_000_000
        for (generation, precision) in [SeekRequest.Precision.keyframe, .near(3_000_000_000...time)].enumerated() {
            pipeline.source.seek(SeekRequest(time: time, precision: precision, generation: UInt32(generation + 1)))
            let videoTime = try #require(try pipeline.nextFrame()).presentationTime
            let audioTime = try #require(try pipeline.nextAudioBlock()).presentationTime
            #expect(
                videoTime < time && abs(audioTime - videoTime) < 100_000_000,
                "audio from \(audioTime), video from \(videoTime)")
        }
    }

    @Test func aFormatChangeContinuesWithANewDecoder() throws {
        let packets = try InMemoryPacketSource(fixture: "count30.mp4"),
            otherPackets = try InMemoryPacketSource(fixture: "count30.webm")
        let track = try #require(packets.contents.info.video?.streamIndex),
            format = try #require(packets.contents.formats[track])
        let otherTrack = try #require(otherPackets.contents.info.video?.streamIndex),
            otherFormat = try #require(otherPackets.contents.formats[otherTrack])
        // The packets are the first third of one stream, then the other stream with shifted timestamps.
        let firstThird = packets.items.prefix {
            if case .packet(let packet) = $0 {
                (ReaderTracks(packets.contents).time(of: packet) ?? 0) < 6_000_000_000
            } else {
                true
            }
        }
        let keyframe = try #require(
            firstThird.lastIndex { if case .packet(let packet) = $0 { packet.isKeyframe } else { false } })
        let firstItems = Array(firstThird[..<keyframe])
        let timestampOffset = format.timeBase.timestamp(nanoseconds: 20_000_000_000)
        for case .packet(let packet) in otherPackets.items {
            av_packet_rescale_ts(
                packet.pointer, AVRational(num: otherFormat.timeBase.numerator, den: otherFormat.timeBase.denominator),
                AVRational(num: format.timeBase.numerator, den: format.timeBase.denominator))
            packet.pointer.pointee.stream_index = Int32(track)
            packet.pointer.pointee.pts += timestampOffset
            packet.pointer.pointee.dts += timestampOffset
        }
        let changedFormat = try #require(otherFormat.withTimeBase(of: format))
        packets.items = firstItems + [.formatChange(track: track, changedFormat)] + otherPackets.items
        let pipeline = try TestPipeline(packets)
        for number in 0..<firstItems.count { #expect(try pipeline.nextFrame().flatMap(frameNumber) == number) }
        for number in 0..<300 {
            #expect(try pipeline.nextFrame().flatMap(frameNumber) == number, "frame \(number) of the second format")
        }
    }

    @Test func warningsFailureAndDurationAreReported() throws {
        let packets = try InMemoryPacketSource(fixture: "short.mp4")
        let error = MediaError(.network, "the rest is gone")
        packets.items.insert(.warning(MediaError(.input, "a part is missing")), at: 10)
        packets.items.append(.end(length: 1_000_000_000, failure: error))
        let pipeline = try TestPipeline(packets)
        var frameCount = 0
        while try pipeline.nextFrame() != nil { frameCount += 1 }
        #expect(frameCount == 60)
        var reportedTexts: [String] = []
        while let event = pipeline.source.events.popIfAny() {
            switch event {
            case .warning(let warning): reportedTexts.append(warning.message)
            case .readingStopped(let error): reportedTexts.append(error.message)
            case .durationKnown(let length): reportedTexts.append("\(length)")
            default: continue
            }
        }
        #expect(reportedTexts == ["a part is missing", "the rest is gone", "1000000000"])
    }

    @Test func aNewerSeekCancelsTheSearchForAKeyframe() throws {
        let packets = try InMemoryPacketSource(fixture: "count30.mp4")
        packets.searchBlocksUntilCancelled = true
        let pipeline = try TestPipeline(packets)
        _ = try pipeline.nextFrame()
        pipeline.source.seek(
            SeekRequest(time: 3_000_000_000, precision: .near(2_500_000_000...4_000_000_000), generation: 1))
        _ = packets.calls.wait(until: Deadline.after(.seconds(60))) { $0.searchCount > 0 ? true : nil }
        pipeline.source.seek(
            SeekRequest(time: 10 * Self.frameDuration + Self.frameDuration / 2, precision: .exact, generation: 2))
        let frame = try #require(try pipeline.nextFrame())
        #expect(frameNumber(of: frame) == 10 && frame.generation == 2)
    }

    @Test func closingCancelsReading() throws {
        let packets = try InMemoryPacketSource(fixture: "short.mp4")
        packets.blocksAtEnd = true
        let pipeline = try TestPipeline(packets)
        for _ in 0..<50 { _ = try pipeline.nextFrame() }
        pipeline.source.interrupt()
        #expect(pipeline.source.join(until: Deadline.after(.seconds(60))))
        #expect(packets.calls.withLock { $0.isClosed })
    }

    @Test func itemWithoutTracksCannotBeOpened() throws {
        let packets = InMemoryPacketSource(
            PacketSourceContents(
                info: MediaInfo(container: "none", duration: nil, isSeekable: false), origin: 0, formats: [:]), [])
        let pipeline = try TestPipeline(packets)
        guard case .failed(let error) = try pipeline.event({ _ in true }) else {
            Issue.record("the item was opened")
            return
        }
        #expect(error.code == .notMedia)
    }

    @Test func audioChecksumsAreReportedAsEvents() throws {
        let pipeline = try TestPipeline(try InMemoryPacketSource(fixture: "short.mp4", audio: true)) {
            $0.audioChecksumHash = .md5
            $0.decodesAudio = false
        }
        pipeline.source.setAudioFormat(PCMFormat(rate: 48_000, channels: 2))
        var frameCount = 0
        while frameCount < 48_000 {
            guard
                case .audioDecoded(let checksum) = try pipeline.event({
                    if case .audioDecoded = $0 { true } else { false }
                })
            else { return }
            #expect(checksum.checksum.count == 32)
            frameCount += checksum.frameCount
            while pipeline.source.video.popIfAny() != nil {}
        }
    }
}
