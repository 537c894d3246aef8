import Foundation
import SystemCalls
import TestSupport
import Testing

/// Tests streams with several variants, and files behind slow or broken links, by the requests that a server receives.
@Suite("Streaming")
struct StreamingTests {
    private static let silentOptions = ["--vo=null", "--ao=null", "--untimed"]

    private func startServer(_ settings: String = "{}") throws -> LinkServer {
        try LinkServer(try Fixtures.path("streams"), settings)
    }

    @Test("after the start of Picture-in-Picture, the variant that fits the floating window is fetched")
    func smallVariantIsFetchedForPictureInPicture() async throws {
        try await TestEnvironment.runExclusively {
            let server = try startServer()
            // The player reads only one second ahead, so that it still has segments to request after Picture-in-Picture
            // has started.
            let player = try RunningPlayer(
                server.address + "/stream.m3u8",
                options: ["--ao=null", "--geometry=1000x562", "--demuxer-readahead-secs=1", "--pause"])
            let watcher = try ScreenWatcher()
            try watcher.waitForFrame(in: .player)
            #expect(server.paths.contains { $0.hasPrefix("/high") })
            try player.enterPictureInPicture()
            try watcher.waitForFrame(in: .pictureInPicture)
            let earlierSegments = server.paths.filter { $0.hasSuffix(".ts") }
            try player.ipc.setProperty("pause", false)
            let newSegment = Deadline.poll(for: .seconds(20)) { () -> String? in
                let segments = server.paths.filter { $0.hasSuffix(".ts") }
                return segments.count > earlierSegments.count + 1 ? segments.last : nil
            }
            #expect(newSegment?.hasPrefix("/low") == true, "\(server.paths)")
            // Playback continues with the segments of both variants.
            try watcher.waitForFrame(in: .pictureInPicture) { $0 > 300 }
            try player.quit()
        }
    }

    @Test("a segment whose download would end too late is replaced by the smaller one", .measuresTime)
    func lateSegmentIsReplaced() async throws {
        try await TestEnvironment.runExclusively {
            // The large variant needs 2 Mb/s. With the request for a later segment, the rate of the link falls to
            // 0.45 Mb/s.
            let server = try startServer(
                #"{"rate": 5, "latency": 0.02, "rules": [{"path": "/high[2-5][.]ts", "rate": 0.45}]}"#)
            let player = try RunningPlayer(
                server.address + "/stream.m3u8",
                options: ["--vo=null", "--ao=null", "--demuxer-readahead-secs=4", "--end=7"])
            #expect(try player.child.waitForExit(within: .seconds(60)).isSuccess, "\(player.child.errors.text)")
            #expect(player.child.output.text.contains("210 frames shown, 0 dropped"), "\(player.child.output.text)")
            server.stop()
            let segments = server.requests.filter { $0.path.hasSuffix(".ts") }
            // The first segment does not count: its download may be abandoned because the buffer is still empty.
            let abandonedRequest = try #require(segments.last { $0.path.hasPrefix("/high") }, "\(server.paths)")
            #expect(
                abandonedRequest.sent < abandonedRequest.asked ?? 0 && abandonedRequest.path != "/high0.ts",
                "\(server.paths)")
            #expect(abandonedRequest.end - abandonedRequest.start < 2.5 && abandonedRequest.sent < 1_300_000)
            let replacement = abandonedRequest.path.replacing("/high", with: "/low")
            #expect(segments.contains { $0.path == replacement && $0.sent == $0.asked }, "\(server.paths)")
        }
    }

    @Test("the audio of a stream has no gap between its segments", .measuresTime)
    func audioHasNoGapBetweenSegments() async throws {
        try await TestEnvironment.runExclusively {
            let server = try startServer(), recorder = try AudioRecorder()
            let player = try RunningPlayer(server.address + "/low.m3u8", options: ["--vo=null", "--end=5"])
            #expect(try player.child.waitForExit(within: .seconds(30)).isSuccess, "\(player.child.errors.text)")
            try recorder.wait(until: MonotonicTime.now)
            let recording = recorder.stopRecording().trimmed()
            let gaps = recording.silentGaps()
            #expect(gaps.isEmpty && recording.duration > 4.9, "\(recording.duration) s, \(gaps)")
        }
    }

    @Test("--hls-bitrate fixes the variant", arguments: [("min", "/low"), ("max", "/high"), ("400000", "/low")])
    func optionFixesTheVariant(value: String, prefix: String) async throws {
        try await TestEnvironment.runExclusively {
            let server = try startServer()
            let player = try RunningPlayer(
                server.address + "/stream-mp4.m3u8", options: Self.silentOptions + ["--hls-bitrate=\(value)"])
            #expect(try player.child.waitForExit(within: .seconds(60)).isSuccess, "\(player.child.errors.text)")
            #expect(player.child.output.text.contains("played 1 of 1: 360 frames"), "\(player.child.output.text)")
            server.stop()
            #expect(server.paths.filter { $0.hasSuffix(".m4s") }.allSatisfy { $0.hasPrefix(prefix) }, "\(server.paths)")
        }
    }

    @Test("a change of hls-bitrate between the opening of the next item and its start applies to that item")
    func bitrateChangeBeforeTheNextItemStartsAppliesToThatItem() async throws {
        try await TestEnvironment.runExclusively {
            // The player opens the next item 5 s before its start. In this time, the link transfers only part of it.
            let server = try startServer(#"{"rate": 3}"#)
            let player = try RunningPlayer(
                files: [server.address + "/stream.m3u8", server.address + "/stream-mp4.m3u8"],
                ["--vo=null", "--ao=null", "--hls-bitrate=max"], nil, [:])
            try player.ipc.waitForProperty("duration") { ($0.number ?? 0) > 4 }
            let duration = try #require(try player.ipc.property("duration").number)
            try player.ipc.setProperty("time-pos", .number(duration - 4))
            let highRequest = Deadline.poll(for: .seconds(20)) { server.paths.first { $0 == "/high-0.m4s" } }
            #expect(highRequest != nil, "\(server.paths)")
            try player.ipc.setProperty("hls-bitrate", "min")
            try player.ipc.waitForProperty("playlist-pos") { $0 == 1 }
            let lowRequest = Deadline.poll(for: .seconds(20)) { server.paths.first { $0.hasPrefix("/low-") } }
            #expect(lowRequest != nil, "\(server.paths)")
            try player.quit()
        }
    }

    @Test("options become header fields of every request") func optionsBecomeHeaderFields() async throws {
        try await TestEnvironment.runExclusively {
            let server = try startServer()
            let player = try RunningPlayer(
                server.address + "/low.m3u8",
                options: Self.silentOptions + [
                    "--http-header-fields=X-Token: abc,X-Other: d", "--user-agent=Mine/1", "--referrer=http://from/",
                ])
            #expect(try player.child.waitForExit(within: .seconds(60)).isSuccess, "\(player.child.errors.text)")
            server.stop()
            let requests = server.requests
            #expect(requests.count == 7)
            for request in requests {
                #expect(request.fields["x-token"] == "abc" && request.fields["x-other"] == "d")
                #expect(request.fields["user-agent"] == "Mine/1" && request.fields["referer"] == "http://from/")
            }
        }
    }

    @Test("a server that accepts a request and never replies does not delay the exit", arguments: ["m3u8", "ts"])
    func unresponsiveServerDoesNotDelayTheExit(kind: String) async throws {
        try await TestEnvironment.runExclusively {
            let server = try startServer("{\"rules\": [{\"path\": \"[.]\(kind)\", \"hang\": true}]}")
            let player = try RunningPlayer(server.address + "/low.m3u8", options: ["--vo=null", "--ao=null"])
            _ = try player.ipc.property("pause")
            try player.ipc.command(["quit"])
            _ = try player.child.waitForExit(within: .seconds(5))
        }
    }

    @Test(
        "an audio rendition that cannot be fetched does not end the film, and the warning names its address",
        arguments: ["/other.m3u8", "/other[1-5].ts"])
    func failingAudioRenditionDoesNotEndTheFilm(path: String) async throws {
        try await TestEnvironment.runExclusively {
            let server = try startServer("{\"rules\": [{\"path\": \"\(path)\", \"status\": 404}]}")
            let player = try RunningPlayer(
                server.address + "/two-languages.m3u8", options: ["--vo=null", "--ao=null", "--speed=4", "--aid=2"])
            #expect(try player.child.waitForExit(within: .seconds(60)).isSuccess, "\(player.child.errors.text)")
            let counts = player.child.output.text.matches(of: /([0-9]+) (?:frames shown|dropped)/)
            #expect(counts.compactMap { Int($0.1) }.reduce(0, +) == 360, "\(player.child.output.text)")
            let warnings = player.child.errors.text
            #expect(warnings.contains("\(server.address)/other") && warnings.contains("404"), "\(warnings)")
        }
    }

    @Test("a film over a link that breaks again and again is played completely")
    func filmOverABreakingLinkIsPlayedCompletely() async throws {
        try await TestEnvironment.runExclusively {
            let server = try LinkServer(Fixtures.directory, #"{"rate": 12, "cutEvery": 0.4}"#)
            let scratch = try TemporaryDirectory()
            let film = try Fixtures.path("count30.mkv")
            for (address, name) in [(server.address + "/count30.mkv", "remote"), (film, "local")] {
                let player = try RunningPlayer(
                    files: [address], Self.silentOptions + ["--frame-checksums=\(scratch.file(name))"], nil, [:])
                #expect(try player.child.waitForExit(within: .seconds(60)).isSuccess, "\(player.child.errors.text)")
            }
            #expect(try scratch.text("remote") == scratch.text("local"))
            #expect(server.requests.count > 2)
        }
    }
}
