import Foundation
import SystemCalls
import TestSupport
import Testing

@testable import MediaPipeline

/// Tests playback of live streams from a real HTTP server. Segments last half a second, and each picture shows its
/// frame number.
@Suite struct LiveStreamTests {
    /// Starts a server of a live stream whose target duration is 1 s.
    private static func server(_ liveSettings: String, list: String = #"["short.m3u8", "short-other.m3u8"]"#) throws
        -> LinkServer
    {
        try LinkServer(try Fixtures.path("streams"), settings(liveSettings, list: list))
    }

    /// Returns the settings of a server of a live stream.
    private static func settings(
        _ liveSettings: String, list: String = #"["short.m3u8", "short-other.m3u8"]"#
    ) -> String {
        "{\"live\": {\"list\": \(list), \(liveSettings)}}"
    }

    /// Returns a reader of a playlist of the server.
    ///
    /// - Parameter readAhead: The duration of the media that is read ahead, in nanoseconds.
    private func reader(_ server: LinkServer, _ name: String = "short.m3u8", readAhead: Int64 = 500_000_000) throws
        -> MediaReader
    {
        var limit = PacketBuffer.Limit.network
        limit.time = readAhead
        return try MediaReader(server.address + "/" + name) { $0.packetLimit = limit }
    }

    /// Waits for the first event from which `extract` returns a value, and returns this value.
    private func event<Value>(of reader: MediaReader, _ extract: (MediaEvent) -> Value?) throws -> Value {
        let deadline = Deadline.after(.seconds(30))
        while let event = reader.source.events.pop(until: deadline) {
            if let value = extract(event) { return value }
        }
        throw TestFailure("the event was not reported")
    }

    @Test(
        "playback starts at the position that the playlist or the player prefers",
        arguments: zip(
            ["#EXT-X-SERVER-CONTROL:HOLD-BACK=4", "#EXT-X-START:TIME-OFFSET=1.7", "#EXT-X-START:TIME-OFFSET=2", ""],
            [(nil, 4.0), (nil, 1.5), (3_500_000_000, 4.5), (nil, 5)] as [(Int64?, Double)]))
    func startFollowsThePreferences(tag: String, expected: (offset: Int64?, start: Double)) throws {
        let server = try Self.server("\"window\": 16, \"start\": 16, \"speed\": 0, \"tags\": [\"\(tag)\"]")
        let reader = try MediaReader(server.address + "/short.m3u8") {
            $0.readingDemand.liveOffset = expected.offset
        }
        let info = try reader.outcome().get()
        #expect(info.start == Int64(expected.start * 1e9) && info.isSeekable && info.duration == nil)
        #expect(try reader.next().flatMap { frameNumber(of: $0) } == Int(expected.start * 30))
    }

    @Test("seeks in the window land on the sought frame, also across the repetition of the clip")
    func seeksInTheWindowAreExact() throws {
        let server = try Self.server(#""window": 40, "start": 40, "speed": 0, "loop": true"#)
        let reader = try reader(server)
        _ = try reader.outcome().get()
        #expect(reader.source.segmentWindow?.seekableRange == 0..<17_000_000_000)
        for (generation, target) in [10, 500, 200, 400].enumerated() {
            let time = Int64(target) * 1_000_000_000 / 30 + 16_000_000
            reader.source.seek(SeekRequest(time: time, precision: .exact, generation: UInt32(generation + 1)))
            let frame = try #require(try reader.next())
            #expect(frameNumber(of: frame) == target % 360 && abs(frame.presentationTime - time) < 34_000_000)
        }
    }

    @Test("a reader that falls behind the window reports the position at which to continue")
    func readerFallsBehindTheWindow() throws {
        let liveSettings = #""window": 16, "start": 16, "loop": true"#
        let server = try Self.server(liveSettings + #", "speed": 0"#)
        let reader = try reader(server)
        _ = try #require(try reader.next())
        // The window advances while the test takes no frames: the server removes all segments that follow.
        try server.change(Self.settings(liveSettings + #", "speed": 0, "skip": 40"#))
        while try reader.next() != nil {}
        let (time, isImmediate) = try event(of: reader) {
            if case .fellBehind(let time, let isImmediate) = $0 { (time, isImmediate) } else { nil }
        }
        #expect(!isImmediate)
        let window = try #require(reader.source.segmentWindow)
        #expect(time == window.rejoinPosition && time >= window.start && time <= window.livePosition())
        reader.source.seek(SeekRequest(time: time, precision: .keyframe, generation: 1))
        #expect(try reader.next()?.presentationTime == time)
    }

    @Test("a paused reader does not load the playlist, and reports at once after the pause that it fell behind")
    func pausedReaderReportsThatItFellBehind() throws {
        let liveSettings = #""window": 16, "start": 16, "loop": true"#
        let server = try Self.server(liveSettings + #", "speed": 0"#)
        let reader = try reader(server)
        _ = try #require(try reader.next())
        var demand = ReadingDemand()
        demand.followsLiveStream = false
        reader.source.setReadingDemand(demand)
        let start = MonotonicTime.now, loadCount = server.paths.count { $0.hasSuffix("m3u8") }
        try server.change(Self.settings(liveSettings + #", "speed": 0, "skip": 40"#))
        // Wait until at least two reloads of the playlist were omitted, which is treated as a long pause.
        _ = Deadline.poll(for: .seconds(20)) { MonotonicTime.now - start > 2_500_000_000 ? true : nil }
        // One reload may have been running when the pause began.
        #expect(server.paths.count { $0.hasSuffix("m3u8") } <= loadCount + 1)
        demand.followsLiveStream = true
        reader.source.setReadingDemand(demand)
        #expect(try event(of: reader) { if case .fellBehind(_, let isImmediate) = $0 { isImmediate } else { nil } })
    }

    @Test("the window is kept up to date while the buffer is full")
    func windowIsUpdatedWhileTheBufferIsFull() throws {
        let server = try Self.server(
            ##""start": 20, "event": true, "tags": ["#EXT-X-START:TIME-OFFSET=0"]"##)
        let reader = try reader(server)
        _ = try #require(try reader.next())
        let firstWindow = try #require(reader.source.segmentWindow)
        let grownWindow = Deadline.poll(for: .seconds(20)) {
            reader.source.segmentWindow.flatMap { $0.end > firstWindow.end + 500_000_000 ? $0 : nil }
        }
        #expect(try #require(grownWindow).start == 0)
        #expect(server.paths.count { $0.hasSuffix(".ts") } < 8)
    }

    @Test("a live stream without new segments ends with an error, after the other variant was tried")
    func stuckStreamEndsWithAnError() throws {
        let server = try Self.server(#""window": 16, "start": 16, "speed": 0"#)
        let reader = try reader(server, "short-ladder.m3u8", readAhead: 10_000_000_000)
        while try reader.next() != nil {}
        let message = try event(of: reader) { if case .readingStopped(let error) = $0 { error.message } else { nil } }
        #expect(message.contains("the live stream has not continued for 3 s"))
        server.stop()
        #expect(Set(server.paths).isSuperset(of: ["/short.m3u8", "/short-other.m3u8"]))
        // The second variant inherits the time without new segments, so it does not wait for that time again.
        let loadCounts = ["/short.m3u8", "/short-other.m3u8"].map { name in server.paths.count { $0 == name } }
        #expect((loadCounts.min() ?? 0) <= 3 && (loadCounts.max() ?? 0) > 4, "\(loadCounts)")
    }

    @Test("the warning about missing new segments contains the reason why the playlist cannot be loaded")
    func warningContainsTheFailureOfThePlaylist() throws {
        let liveSettings = #""window": 16, "start": 16, "loop": true"#
        let server = try Self.server(liveSettings)
        let reader = try reader(server)
        _ = try #require(try reader.next())
        let settingsWithFailures =
            String(Self.settings(liveSettings).dropLast()) + #", "rules": [{"path": "m3u8", "status": 503}]}"#
        try server.change(settingsWithFailures)
        while try reader.next() != nil {}
        let message = try event(of: reader) { if case .warning(let error) = $0 { error.message } else { nil } }
        #expect(message.contains("the live stream has not continued for 2 s") && message.contains("503"), "\(message)")
    }

    @Test("the end of a live stream is its duration, and reloads stop") func endOfALiveStreamIsItsDuration() throws {
        let server = try Self.server(#""window": 12, "start": 12, "endAfter": 1.5"#)
        let reader = try reader(server, readAhead: 10_000_000_000)
        var numbers: [Int?] = []
        while let frame = try reader.next() { numbers.append(frameNumber(of: frame)) }
        let length = try event(of: reader) { if case .durationKnown(let length) = $0 { length } else { nil } }
        #expect(numbers.first == 90 && numbers == Array(90..<90 + numbers.count))
        #expect(length == Int64(90 + numbers.count) * 1_000_000_000 / 30)
        #expect(reader.source.segmentWindow?.playlist.isComplete == true)
    }

    @Test("playback continues if the server restarts its segment numbers")
    func playbackContinuesAfterARestartOfTheServer() throws {
        let liveSettings = #""window": 8, "start": 8, "loop": true"#
        let server = try Self.server(liveSettings + #", "shift": 1000"#)
        let reader = try reader(server, readAhead: 10_000_000_000)
        _ = try #require(try reader.next())
        try server.change(Self.settings(liveSettings))
        var previousTime: Int64 = 0, frameCount = 0
        // At most 3 s of segments with the old numbers are read ahead; 180 frames last 6 s.
        while frameCount < 180, let frame = try reader.next() {
            #expect(frame.presentationTime > previousTime)
            (previousTime, frameCount) = (frame.presentationTime, frameCount + 1)
        }
        #expect(frameCount == 180)
    }
}
