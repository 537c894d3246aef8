import Foundation
import HTTPTransfer
import SharedFrames
import StreamPlaylists
import SystemCalls
import TestSupport
import Testing

@testable import MediaPipeline

/// Tests playback of HLS streams from a real HTTP server. Each picture shows its frame number.
@Suite struct StreamSourceTests {
    private static func server(_ settings: String = "{}") throws -> LinkServer {
        try LinkServer(try Fixtures.path("streams"), settings)
    }

    /// Returns the frame numbers and widths of all remaining frames.
    private func frameNumbersAndWidths(_ reader: MediaReader) throws -> (numbers: [Int?], widths: [Int]) {
        var numbers: [Int?] = [], widths: [Int] = []
        while let frame = try reader.next() {
            numbers.append(frameNumber(of: frame))
            widths.append(Int(frame.format.layout.width))
        }
        return (numbers, widths)
    }

    @Test(
        "every frame of a stream is played once, in order", arguments: ["stream.m3u8", "stream-mp4.m3u8", "low.m3u8"])
    func everyFrameIsPlayedOnce(name: String) throws {
        let server = try Self.server(), reader = try MediaReader(server.address + "/" + name)
        #expect(try frameNumbersAndWidths(reader).numbers == Array(0..<360))
    }

    @Test("a lower limit of kept segments applies at once, also to a stream that was read to its end")
    func lowerLimitOfKeptSegmentsAppliesAtOnce() throws {
        let server = try Self.server(), address = server.address + "/low.m3u8", demand = StreamDemand()
        let text = try String(contentsOfFile: Fixtures.path("streams") + "/low.m3u8", encoding: .utf8)
        let store = SegmentStore()
        let source = StreamSource(
            try HLSPlaylist(Array(text.utf8), address: address), address: address, TrackChoice(), demand: demand,
            options: HTTPOptions(), transfers: try HTTPTransfers.shared(), store: store,
            interruption: try ReadingInterruption())
        _ = try source.open()
        reading: while true { if case .end = try source.read() { break reading } }
        #expect(store.byteCount > 0)
        var requirements = StreamDemand.Requirements()
        requirements.keptByteLimit = 0
        demand.set(requirements)
        #expect(source.setKeptByteLimit(4 << 20).count == 1 && store.byteCount == 0)
    }

    @Test("before the first frame, only one variant is requested")
    func onlyOneVariantIsRequestedAtTheStart() throws {
        let server = try Self.server(), reader = try MediaReader(server.address + "/stream.m3u8")
        _ = try #require(try reader.next())
        #expect(
            Array(server.paths.prefix(2)).first == "/stream.m3u8"
                && server.paths.contains { $0.hasPrefix("/low") } == false)
    }

    @Test("a change of the variant loses and repeats no frame", arguments: ["stream.m3u8", "stream-mp4.m3u8"])
    func variantChangeLosesNoFrame(name: String) throws {
        let server = try Self.server()
        let reader = try MediaReader(server.address + "/" + name) {
            // Read only a little ahead, so that the change of the variant takes effect before the film ends.
            $0.packetLimit = PacketBuffer.Limit()
        }
        var numbers: [Int?] = [], widths: [Int] = []
        while let frame = try reader.next() {
            numbers.append(frameNumber(of: frame))
            widths.append(Int(frame.format.layout.width))
            var requirements = StreamDemand.Requirements()
            requirements.quality = numbers.count / 90 % 2 == 0 ? .highest : .lowest
            reader.source.setStreamDemand(requirements)
        }
        #expect(numbers == Array(0..<360))
        #expect(Set(widths) == [480, 640] && zip(widths, widths.dropFirst()).count { $0 != $1 } >= 2)
    }

    @Test(
        "a small view receives the small variant, and a large view receives the large variant",
        arguments: [(320, 480), (640, 640)])
    func variantFitsTheView(width: Int, expected: Int) throws {
        let server = try Self.server()
        let reader = try MediaReader(server.address + "/stream.m3u8") {
            $0.streamDemand.destination = .view(
                VideoViewGeometry(size: PixelSize(width: width, height: width * 9 / 16)))
        }
        let widths = try frameNumbersAndWidths(reader).widths
        #expect(widths.suffix(120).allSatisfy { $0 == expected })
        if expected == 480 { #expect(server.paths.contains { $0.hasPrefix("/high") } == false) }
    }

    @Test(
        "after the view has grown, buffered segments are fetched again in the larger variant, and no frame is lost",
        arguments: ["stream.m3u8", "stream-mp4.m3u8"])
    func enlargedViewReplacesBufferedSegments(name: String) throws {
        let server = try Self.server()
        func view(_ width: Int) -> StreamDemand.Requirements {
            var requirements = StreamDemand.Requirements()
            requirements.destination = .view(VideoViewGeometry(size: PixelSize(width: width, height: width * 9 / 16)))
            return requirements
        }
        let reader = try MediaReader(server.address + "/" + name) {
            $0.streamDemand = view(320)
            $0.packetLimit = .network
            $0.packetLimit?.time = 9_000_000_000
        }
        var numbers: [Int?] = [], widths: [Int] = []
        func readFrame() throws -> Bool {
            guard let frame = try reader.next() else { return false }
            numbers.append(frameNumber(of: frame))
            widths.append(Int(frame.format.layout.width))
            return true
        }
        func waitForRequest(_ prefix: String, readingFrames: Bool) throws {
            let isRequested = try Deadline.poll(for: .seconds(20), every: .milliseconds(20)) {
                if readingFrames, try !readFrame() { throw TestFailure("the stream ended: \(server.paths)") }
                return server.paths.contains { $0.hasPrefix(prefix) } ? true : nil
            }
            #expect(isRequested == true, "\(server.paths)")
        }
        let segmentSeparator = name == "stream.m3u8" ? "" : "-"
        #expect(try readFrame())
        try waitForRequest("/low\(segmentSeparator)4", readingFrames: false)
        reader.source.setStreamDemand(view(640))
        // The variant changes only after the view has kept its size for a second.
        try waitForRequest("/high\(segmentSeparator)", readingFrames: true)
        while try readFrame() {}
        #expect(numbers == Array(0..<360))
        #expect(widths[290] == 640 && server.paths.contains { $0.hasPrefix("/low\(segmentSeparator)4") })
    }

    @Test func anExactSeekLandsOnTheSoughtFrame() throws {
        let server = try Self.server(), reader = try MediaReader(server.address + "/stream.m3u8")
        for (generation, target) in [200, 31, 359, 0, 60].enumerated() {
            let time = Int64(target) * 1_000_000_000 / 30 + 16_000_000
            reader.source.seek(SeekRequest(time: time, precision: .exact, generation: UInt32(generation + 1)))
            #expect(try reader.next().flatMap { frameNumber(of: $0) } == target)
        }
    }

    @Test("a seek back needs no request", arguments: ["stream.m3u8", "stream-mp4.m3u8"])
    func seekBackNeedsNoRequest(name: String) throws {
        let server = try Self.server(), reader = try MediaReader(server.address + "/" + name)
        #expect(try frameNumbersAndWidths(reader).numbers == Array(0..<360))
        let requestCount = server.paths.count
        reader.source.seek(SeekRequest(time: 3_016_000_000, precision: .exact, generation: 1))
        #expect(try frameNumbersAndWidths(reader).numbers == Array(90..<360))
        #expect(server.paths.count == requestCount, "\(server.paths)")
    }

    @Test(
        "a seek past a change of the variant that is not decoded yet decodes the new variant",
        arguments: [SeekRequest.Precision.exact, .keyframe])
    func seekPastAVariantChangeDecodesTheNewVariant(precision: SeekRequest.Precision) throws {
        let server = try Self.server()
        var requirements = StreamDemand.Requirements()
        requirements.quality = .lowest
        let reader = try MediaReader(server.address + "/stream-mp4.m3u8") {
            $0.streamDemand = requirements
            $0.packetLimit = .network
            $0.packetLimit?.time = 5_000_000_000
        }
        #expect(try reader.next().flatMap { frameNumber(of: $0) } == 0)
        let isAhead = Deadline.poll(for: .seconds(20)) { server.paths.contains { $0 == "/low-2.m4s" } ? true : nil }
        #expect(isAhead == true)
        requirements.quality = .highest
        reader.source.setStreamDemand(requirements)
        let hasChanged = try Deadline.poll(for: .seconds(20), every: .milliseconds(20)) { () -> Bool? in
            _ = try reader.next()
            return server.paths.contains { $0.hasPrefix("/high-") && $0.hasSuffix(".m4s") } ? true : nil
        }
        #expect(hasChanged == true)
        reader.source.seek(SeekRequest(time: 8_016_000_000, precision: precision, generation: 1))
        #expect(try frameNumbersAndWidths(reader).numbers == Array(240..<360))
    }

    @Test("a segment that is missing in one variant is played in the other")
    func missingSegmentIsPlayedInAnotherVariant() throws {
        let server = try Self.server(#"{"rules": [{"path": "/high[2-4].ts", "status": 404}]}"#)
        let reader = try MediaReader(server.address + "/stream.m3u8")
        let (numbers, widths) = try frameNumbersAndWidths(reader)
        #expect(numbers == Array(0..<360) && widths.contains(480))
    }

    @Test(
        "after a segment that breaks off is fetched in another variant, every frame is played once, in order",
        arguments: (0..<4).map { 270_000 + 8_000 * $0 })
    func brokenSegmentIsReplacedWithoutLoss(cutPosition: Int) throws {
        // Some of the cut positions lie between a picture and the pictures that are decoded after it but shown before
        // it.
        let server = try Self.server(#"{"ranges": false, "rules": [{"path": "/high2.ts", "cut": \#(cutPosition)}]}"#)
        let reader = try MediaReader(server.address + "/stream.m3u8")
        var requirements = StreamDemand.Requirements()
        requirements.quality = .highest
        reader.source.setStreamDemand(requirements)
        #expect(try frameNumbersAndWidths(reader).numbers == Array(0..<360))
        #expect(server.paths.contains("/low2.ts") && server.paths.contains("/high2.ts"))
    }

    @Test("a connection that is cut within a segment loses no frame") func cutConnectionLosesNoFrame() throws {
        let server = try Self.server(#"{"rules": [{"path": "[.]ts", "times": 3, "cut": 20000}]}"#)
        #expect(try frameNumbersAndWidths(try MediaReader(server.address + "/low.m3u8")).numbers == Array(0..<360))
    }

    @Test(
        "the error message about a segment that is a picture or a web page says so",
        arguments: [("\\u0089PNG\\r\\n...", "of an unknown format"), ("<!DOCTYPE html><html>", "a web page")])
    func errorDescribesASegmentThatIsNotMedia(body: String, description: String) throws {
        let server = try Self.server("{\"rules\": [{\"path\": \"[.]ts\", \"body\": \"\(body)\"}]}")
        let outcome = try MediaReader(server.address + "/low.m3u8").outcome()
        let failure = #expect(throws: MediaError.self) { try outcome.get() }
        #expect(failure?.message.contains(description) == true, "\(outcome)")
    }

    @Test("a live stream starts three target durations before its end, and plays each segment once")
    func liveStreamIsFollowed() throws {
        let server = try Self.server(
            #"{"live": {"list": "low.m3u8", "window": 4, "start": 4, "speed": 4}}"#)
        let reader = try MediaReader(server.address + "/low.m3u8")
        var numbers: [Int?] = []
        while numbers.count < 200, let frame = try reader.next() { numbers.append(frameNumber(of: frame)) }
        #expect(numbers == Array(60..<260))
    }

    @Test("an audio rendition replaces the audio of the variants, in its own format", arguments: [1, 2])
    func audioRenditionReplacesTheAudioOfTheVariants(audioTrack: Int) throws {
        let server = try Self.server()
        let reader = try MediaReader(server.address + "/two-languages.m3u8", wantsAudio: true) {
            $0.tracks.selections.audio = .number(audioTrack)
            $0.tracks.selections.video = .off
        }
        reader.source.setAudioFormat(PCMFormat(rate: 48_000, channels: 2))
        let info = try reader.outcome().get()
        #expect(info.audio?.sampleRate == (audioTrack == 1 ? 48_000 : 32_000))
        #expect(info.tracks.filter { $0.kind == .audio }.map(\.language) == ["en", "de"])
        var frameCount = 0
        while case .block(let block)? = reader.source.audio.pop(until: Deadline.after(.seconds(60))) {
            frameCount += block.frameCount
        }
        #expect(abs(frameCount - 12 * 48_000) < 4_800, "\(frameCount) frames")
        #expect(server.paths.contains { $0.hasPrefix("/other") } == (audioTrack == 2))
        // Without video, only the first segment of the variants is fetched, in addition to the rendition's segments.
        if audioTrack == 2 { #expect(server.paths.count { $0.hasPrefix("/low") && $0.hasSuffix(".ts") } == 1) }
    }

    @Test("without video and without a rendition, the smallest variant is fetched")
    func unplayedVideoIsFetchedInTheSmallestVariant() throws {
        let server = try Self.server()
        let reader = try MediaReader(server.address + "/stream.m3u8", wantsAudio: true) {
            $0.tracks.selections.video = .off
        }
        reader.source.setAudioFormat(PCMFormat(rate: 48_000, channels: 2))
        while case .block? = reader.source.audio.pop(until: Deadline.after(.seconds(60))) {}
        #expect(server.paths.contains { $0.hasPrefix("/low") } && !server.paths.contains { $0.hasPrefix("/high") })
    }

    @Test("a change to a rendition of another format is audible") func audioRenditionCanBeChanged() throws {
        let server = try Self.server()
        let reader = try MediaReader(server.address + "/two-languages.m3u8", wantsAudio: true)
        reader.source.setAudioFormat(PCMFormat(rate: 48_000, channels: 2))
        let tracks = try reader.outcome().get().tracks.filter { $0.kind == .audio }
        reader.source.selectAtNextSeek(.audio, track: tracks.last?.id)
        reader.source.seek(SeekRequest(time: 5_000_000_000, precision: .exact, generation: 1))
        #expect(try reader.next().flatMap { frameNumber(of: $0) } == 150)
        guard case .block(let block)? = reader.source.audio.pop(until: Deadline.after(.seconds(60))) else {
            throw TestFailure("no audio arrived")
        }
        #expect(abs(block.presentationTime - 5_000_000_000) < 100_000_000)
        // Segments of the variants that were fetched before the change of the rendition are not fetched again.
        #expect(server.paths.count { $0 == "/low2.ts" } == 1, "\(server.paths)")
        #expect(server.paths.contains { $0.hasPrefix("/other") })
    }

    @Test func aStreamThatIsNotMediaIsRefused() throws {
        let server = try Self.server(
            ##"{"rules": [{"path": "low.m3u8", "body": "#EXTM3U\n#EXT-X-TARGETDURATION:4\n#EXT-X-ENDLIST\n"}]}"##)
        let outcome = try MediaReader(server.address + "/low.m3u8").outcome()
        #expect(throws: MediaError(.notMedia, "the playlist lists no segments")) { try outcome.get() }
    }
}
