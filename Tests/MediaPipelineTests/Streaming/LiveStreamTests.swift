import Foundation
import SystemCalls
import TestSupport
import Testing

@testable import MediaPipeline

/// Tests playback of live streams from a real HTTP server. Segments last half a second, and each picture shows its
/// frame number.
@Suite struct LiveStreamTests {
    /// Starts a server of a live stream whose target duration is 1 s.
    private static func server(_ live: String, list: String = #"["short.m3u8", "short-other.m3u8"]"#) throws
        -> LinkServer
    {
        try LinkServer(try Fixtures.path("streams"), settings(live, list: list))
    }

    private static func settings(_ live: String, list: String = #"["short.m3u8", "short-other.m3u8"]"#) -> String {
        "{\"live\": {\"list\": \(list), \(live)}}"
    }

    /// Returns a reader that reads only `ahead` nanoseconds ahead.
    private func reader(_ server: LinkServer, _ name: String = "short.m3u8", ahead: Int64 = 500_000_000) throws
        -> MediaReader
    {
        var limit = PacketBuffer.Limit.network
        limit.time = ahead
        return try MediaReader(server.address + "/" + name) { $0.packetLimit = limit }
    }

    /// Waits for the first event for which `find` returns a value, and returns that value.
    private func event<Value>(of reader: MediaReader, _ find: (MediaEvent) -> Value?) throws -> Value {
        let deadline = Deadline.after(.seconds(30))
        while let event = reader.source.events.pop(until: deadline) {
            if let found = find(event) { return found }
        }
        throw TestFailure("the event was not reported")
    }

    @Test(
        "playback starts where the playlist or the player prefers it",
        arguments: zip(
            ["#EXT-X-SERVER-CONTROL:HOLD-BACK=4", "#EXT-X-START:TIME-OFFSET=1.7", "#EXT-X-START:TIME-OFFSET=2", ""],
            [(nil, 4.0), (nil, 1.5), (3_500_000_000, 4.5), (nil, 5)] as [(Int64?, Double)]))
    func startFollowsThePreferences(tag: String, preference: (offset: Int64?, start: Double)) throws {
        let server = try Self.server("\"window\": 16, \"start\": 16, \"speed\": 0, \"tags\": [\"\(tag)\"]")
        let reader = try MediaReader(server.address + "/short.m3u8") {
            $0.readingDemand.liveOffset = preference.offset
        }
        let info = try reader.outcome().get()
        #expect(info.start == Int64(preference.start * 1e9) && info.isSeekable && info.duration == nil)
        #expect(try reader.next().flatMap { number(of: $0) } == Int(preference.start * 30))
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
            #expect(number(of: frame) == target % 360 && abs(frame.presentationTime - time) < 34_000_000)
        }
    }

    @Test("a reader behind the window reports where to continue") func readerFallsBehindTheWindow() throws {
        let live = #""window": 16, "start": 16, "loop": true"#
        let server = try Self.server(live + #", "speed": 0"#)
        let reader = try reader(server)
        _ = try #require(try reader.next())
        // The window moves on while the test takes no frames: all following segments are removed.
        try server.change(Self.settings(live + #", "speed": 0, "skip": 40"#))
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
    func pausedReaderFallsBehindAtOnce() throws {
        let live = #""window": 16, "start": 16, "loop": true"#
        let server = try Self.server(live + #", "speed": 0"#)
        let reader = try reader(server)
        _ = try #require(try reader.next())
        var demand = ReadingDemand()
        demand.followsLiveStream = false
        reader.source.setReadingDemand(demand)
        let start = MonotonicTime.now, loads = server.paths.count { $0.hasSuffix("m3u8") }
        try server.change(Self.settings(live + #", "speed": 0, "skip": 40"#))
        // Wait until at least two reloads of the playlist were omitted, which counts as a long pause.
        _ = Deadline.poll(for: .seconds(20)) { MonotonicTime.now - start > 2_500_000_000 ? true : nil }
        // One reload may have been running when the pause began.
        #expect(server.paths.count { $0.hasSuffix("m3u8") } <= loads + 1)
        demand.followsLiveStream = true
        reader.source.setReadingDemand(demand)
        #expect(try event(of: reader) { if case .fellBehind(_, let isImmediate) = $0 { isImmediate } else { nil } })
    }

    @Test("the window is kept up to date while the buffer is full")
    func windowIsFollowedWhileTheBufferIsFull() throws {
        let server = try Self.server(
            ##""start": 20, "event": true, "tags": ["#EXT-X-START:TIME-OFFSET=0"]"##)
        let reader = try reader(server)
        _ = try #require(try reader.next())
        let first = try #require(reader.source.segmentWindow)
        let grown = Deadline.poll(for: .seconds(20)) {
            reader.source.segmentWindow.flatMap { $0.end > first.end + 500_000_000 ? $0 : nil }
        }
        #expect(try #require(grown).start == 0)
        #expect(server.paths.count { $0.hasSuffix(".ts") } < 8)
    }

    @Test("a stream that does not continue ends with an error, after the other variant was tried")
    func stuckStreamEndsWithAnError() throws {
        let server = try Self.server(#""window": 16, "start": 16, "speed": 0"#)
        let reader = try reader(server, "short-ladder.m3u8", ahead: 10_000_000_000)
        while try reader.next() != nil {}
        let message = try event(of: reader) { if case .readingStopped(let error) = $0 { error.message } else { nil } }
        #expect(message.contains("the live stream has not continued for 3 s"))
        server.stop()
        #expect(Set(server.paths).isSuperset(of: ["/short.m3u8", "/short-other.m3u8"]))
        // The second variant inherits the time without new segments, so it does not wait for that time again.
        let loads = ["/short.m3u8", "/short-other.m3u8"].map { name in server.paths.count { $0 == name } }
        #expect((loads.min() ?? 0) <= 3 && (loads.max() ?? 0) > 4, "\(loads)")
    }

    @Test("the warning that a stream does not continue contains the reason why its playlist does not load")
    func warningContainsTheFailureOfThePlaylist() throws {
        let live = #""window": 16, "start": 16, "loop": true"#
        let server = try Self.server(live)
        let reader = try reader(server)
        _ = try #require(try reader.next())
        let faulty = String(Self.settings(live).dropLast()) + #", "rules": [{"path": "m3u8", "status": 503}]}"#
        try server.change(faulty)
        while try reader.next() != nil {}
        let message = try event(of: reader) { if case .warning(let error) = $0 { error.message } else { nil } }
        #expect(message.contains("the live stream has not continued for 2 s") && message.contains("503"), "\(message)")
    }

    @Test("the end of a live stream is its duration, and reloads stop") func endOfALiveStreamIsItsDuration() throws {
        let server = try Self.server(#""window": 12, "start": 12, "endAfter": 1.5"#)
        let reader = try reader(server, ahead: 10_000_000_000)
        var numbers: [Int?] = []
        while let frame = try reader.next() { numbers.append(number(of: frame)) }
        let length = try event(of: reader) { if case .durationKnown(let length) = $0 { length } else { nil } }
        #expect(numbers.first == 90 && numbers == Array(90..<90 + numbers.count))
        #expect(length == Int64(90 + numbers.count) * 1_000_000_000 / 30)
        #expect(reader.source.segmentWindow?.playlist.isComplete == true)
    }

    @Test("a server that starts its numbers again is followed") func restartedServerIsFollowed() throws {
        let live = #""window": 8, "start": 8, "loop": true"#
        let server = try Self.server(live + #", "shift": 1000"#)
        let reader = try reader(server, ahead: 10_000_000_000)
        _ = try #require(try reader.next())
        try server.change(Self.settings(live))
        var last: Int64 = 0, count = 0
        // At most 3 s of segments with the old numbers are read ahead; 180 frames last 6 s.
        while count < 180, let frame = try reader.next() {
            #expect(frame.presentationTime > last)
            (last, count) = (frame.presentationTime, count + 1)
        }
        #expect(count == 180)
    }
}
