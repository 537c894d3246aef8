import CFFmpeg
import SharedFrames
import SystemCalls
import TestSupport
import Testing

@testable import MediaPipeline

/// Tests of the pipeline with packets from memory instead of a demuxer.
@Suite struct PacketSourceTests {
    private static let frame: Int64 = 1_000_000_000 / 30

    /// Plays an in-memory source; closes it on deinitialisation.
    private final class Rig {
        let packets: InMemoryPacketSource
        let source: LocalMediaSource

        init(_ packets: InMemoryPacketSource, configure: (inout MediaSourceConfiguration) -> Void = { _ in }) throws {
            var configuration = MediaSourceConfiguration()
            configure(&configuration)
            self.packets = packets
            source = LocalMediaSource(
                packets, location: "memory", configuration: configuration, pool: FramePool(),
                arrival: try EventDescriptor(),
                soundArrival: try EventDescriptor())
            try source.start()
        }

        deinit { source.close() }

        func next() throws -> VideoFrame? {
            switch try #require(source.video.pop(until: Deadline.after(.seconds(60))), "no frame arrived") {
            case .frame(let frame): frame
            case .end: nil
            }
        }

        func block() throws -> PCMBlock? {
            switch try #require(source.audio.pop(until: Deadline.after(.seconds(60))), "no audio arrived") {
            case .block(let block): block
            case .end: nil
            }
        }

        /// Returns the first event that matches `isWanted`.
        func event(_ isWanted: (MediaEvent) -> Bool) throws -> MediaEvent {
            while let event = source.events.pop(until: Deadline.after(.seconds(60))) {
                if isWanted(event) { return event }
            }
            throw RigError("the source reported no such event")
        }
    }

    @Test func allPacketsBecomeFramesInOrder() throws {
        let rig = try Rig(try InMemoryPacketSource(fixture: "count30.mp4"))
        guard case .opened(let info) = try rig.event({ _ in true }) else {
            Issue.record("not opened")
            return
        }
        #expect(info.video?.codec == "h264")
        for count in 0..<600 { #expect(try rig.next().flatMap(number) == count) }
        #expect(
            try rig.next() == nil
                && rig.packets.calls.withLock { $0.selected } == PlayedTracks(video: info.video?.streamIndex))
    }

    @Test func anExactSeekLandsOnTheSoughtFrame() throws {
        let rig = try Rig(try InMemoryPacketSource(fixture: "count30.mkv"))
        let first = try #require(try rig.next())
        for (generation, target) in [300, 59, 599, 0].enumerated() {
            let time = first.presentationTime + Int64(target) * Self.frame + Self.frame / 2
            rig.source.seek(SeekRequest(time: time, precision: .exact, generation: UInt32(generation + 1)))
            #expect(try rig.next().flatMap(number) == target)
        }
        #expect(rig.packets.calls.withLock { $0.seeks.count } == 4)
    }

    @Test func audioStoredBeforeTheVideoOfASeekIsPlayed() throws {
        // Each group's audio is stored before its video.
        let packets = try InMemoryPacketSource(fixture: "count30.mkv", audio: true)
        let tracks = ReaderTracks(packets.contents)
        var groups: [[PacketSourceItem]] = [[]], sound: [[PacketSourceItem]] = [[]]
        for item in packets.items {
            guard case .packet(let packet) = item else { continue }
            if packet.track == tracks.moving, packet.isKeyframe {
                groups.append([])
                sound.append([])
            }
            if packet.track == tracks.moving {
                groups[groups.count - 1].append(item)
            } else {
                sound[sound.count - 1].append(item)
            }
        }
        packets.items = zip(sound, groups).flatMap { $0 + $1 }
        let rig = try Rig(packets)
        rig.source.setSoundFormat(PCMFormat(rate: 48_000, channels: 2))
        let time: Int64 = 5_000_000_000
        for (generation, precision) in [SeekRequest.Precision.keyframe, .near(3_000_000_000...time)].enumerated() {
            rig.source.seek(SeekRequest(time: time, precision: precision, generation: UInt32(generation + 1)))
            let landing = try #require(try rig.next()).presentationTime
            let heard = try #require(try rig.block()).presentationTime
            #expect(
                landing < time && abs(heard - landing) < 100_000_000, "audio from \(heard), video from \(landing)")
        }
    }

    @Test func aFormatChangeContinuesWithANewDecoder() throws {
        let packets = try InMemoryPacketSource(fixture: "count30.mp4"),
            other = try InMemoryPacketSource(fixture: "count30.webm")
        let track = try #require(packets.contents.info.video?.streamIndex),
            old = try #require(packets.contents.formats[track])
        let otherTrack = try #require(other.contents.info.video?.streamIndex),
            new = try #require(other.contents.formats[otherTrack])
        // The first third of one stream, then the other stream with shifted timestamps.
        let kept = packets.items.prefix {
            if case .packet(let packet) = $0 {
                (ReaderTracks(packets.contents).time(of: packet) ?? 0) < 6_000_000_000
            } else {
                true
            }
        }
        let keyframe = try #require(
            kept.lastIndex { if case .packet(let packet) = $0 { packet.isKeyframe } else { false } })
        let begin = Array(kept[..<keyframe]), shift = old.timeBase.stamp(nanoseconds: 20_000_000_000)
        for case .packet(let packet) in other.items {
            av_packet_rescale_ts(
                packet.pointer, AVRational(num: new.timeBase.numerator, den: new.timeBase.denominator),
                AVRational(num: old.timeBase.numerator, den: old.timeBase.denominator))
            packet.pointer.pointee.stream_index = Int32(track)
            packet.pointer.pointee.pts += shift
            packet.pointer.pointee.dts += shift
        }
        let changed = try #require(new.withTimeBase(of: old))
        packets.items = begin + [.formatChange(track: track, changed)] + other.items
        let rig = try Rig(packets)
        for count in 0..<begin.count { #expect(try rig.next().flatMap(number) == count) }
        for count in 0..<300 { #expect(try rig.next().flatMap(number) == count, "of the second format") }
    }

    @Test func warningsFailureAndDurationAtTheEndAreReported() throws {
        let packets = try InMemoryPacketSource(fixture: "short.mp4")
        let error = MediaError(.network, "the rest is gone")
        packets.items.insert(.warning(MediaError(.input, "a part is missing")), at: 10)
        packets.items.append(.end(length: 1_000_000_000, failure: error))
        let rig = try Rig(packets)
        var count = 0
        while try rig.next() != nil { count += 1 }
        #expect(count == 60)
        var told: [String] = []
        while let event = rig.source.events.popIfAny() {
            switch event {
            case .warning(let warning): told.append(warning.message)
            case .readingStopped(let error): told.append(error.message)
            case .durationKnown(let length): told.append("\(length)")
            default: continue
            }
        }
        #expect(told == ["a part is missing", "the rest is gone", "1000000000"])
    }

    @Test func aNewerSeekCancelsTheSearchForAKeyframe() throws {
        let packets = try InMemoryPacketSource(fixture: "count30.mp4")
        packets.searchesForEver = true
        let rig = try Rig(packets)
        _ = try rig.next()
        rig.source.seek(
            SeekRequest(time: 3_000_000_000, precision: .near(2_500_000_000...4_000_000_000), generation: 1))
        _ = packets.calls.wait(until: Deadline.after(.seconds(60))) { $0.searches > 0 ? true : nil }
        rig.source.seek(SeekRequest(time: 10 * Self.frame + Self.frame / 2, precision: .exact, generation: 2))
        let frame = try #require(try rig.next())
        #expect(number(of: frame) == 10 && frame.generation == 2)
    }

    @Test func closingCancelsReading() throws {
        let packets = try InMemoryPacketSource(fixture: "short.mp4")
        packets.neverEnds = true
        let rig = try Rig(packets)
        for _ in 0..<50 { _ = try rig.next() }
        rig.source.interrupt()
        #expect(rig.source.join(until: Deadline.after(.seconds(60))))
        #expect(packets.calls.withLock { $0.isClosed })
    }

    @Test func anItemWithoutTracksFailsToOpen() throws {
        let packets = InMemoryPacketSource(
            PacketSourceContents(
                info: MediaInfo(container: "none", duration: nil, isSeekable: false), origin: 0, formats: [:]), [])
        let rig = try Rig(packets)
        guard case .failed(let error) = try rig.event({ _ in true }) else {
            Issue.record("the item was opened")
            return
        }
        #expect(error.code == .notMedia)
    }

    @Test func audioChecksumsAreReportedAsEvents() throws {
        let rig = try Rig(try InMemoryPacketSource(fixture: "short.mp4", audio: true)) {
            $0.takesSoundChecksums = true
            $0.givesSound = false
        }
        rig.source.setSoundFormat(PCMFormat(rate: 48_000, channels: 2))
        var frames = 0
        while frames < 48_000 {
            guard case .soundDecoded(let sum) = try rig.event({ if case .soundDecoded = $0 { true } else { false } })
            else { return }
            #expect(sum.md5.count == 32)
            frames += sum.frameCount
            while rig.source.video.popIfAny() != nil {}
        }
    }
}
