import Foundation
import TestSupport
import Testing

/// Tests which variants of a stream the player requests for the size of the picture on the screen.
///
/// All variants of a test have the same media: one minute in segments of 2 s. Only the multivariant playlist states
/// different sizes.
@Suite("Variants and sizes")
struct StreamSizeTests {
    /// A variant of a stream: the name of its folder, its bit rate in bits per second, and its size; nil if the
    /// playlist states no size.
    private typealias Variant = (name: String, bandwidth: Int, size: String?)

    private static let ladder: [Variant] = [
        ("360", 800_000, "640x360"), ("540", 1_500_000, "960x540"), ("720", 3_000_000, "1280x720"),
        ("1080", 6_000_000, "1920x1080"),
    ]
    /// The duration of a segment in seconds.
    private static let segmentDuration = 2.0

    /// A server of one stream with several variants over a simulated link, and the folder that the server serves.
    private final class LadderServer {
        let server: LinkServer
        private let folder: TemporaryDirectory
        /// The address of the multivariant playlist.
        var address: String { server.address + "/ladder.m3u8" }

        /// Makes the folder, and starts a server of the folder with a link of `rate` megabits per second.
        init(_ variants: [Variant], rate: Double = 20) throws {
            folder = try TemporaryDirectory()
            let mediaFolder = try Fixtures.path("streams")
            var list = "#EXTM3U\n#EXT-X-INDEPENDENT-SEGMENTS\n"
            for (name, bandwidth, size) in variants {
                list += "#EXT-X-STREAM-INF:BANDWIDTH=\(bandwidth)" + (size.map { ",RESOLUTION=\($0)" } ?? "") + "\n"
                list += "\(name)/list.m3u8\n"
                try FileManager.default.createDirectory(
                    atPath: folder.file(name), withIntermediateDirectories: false)
                try FileManager.default.createSymbolicLink(
                    atPath: folder.file(name) + "/media", withDestinationPath: mediaFolder)
                try Self.mediaPlaylist.write(
                    toFile: folder.file(name) + "/list.m3u8", atomically: false, encoding: .utf8)
            }
            try list.write(toFile: folder.file("ladder.m3u8"), atomically: false, encoding: .utf8)
            server = try LinkServer(folder.path, "{\"rate\": \(rate), \"latency\": 0.02}")
        }

        /// Changes the rate of the link, in megabits per second.
        func setRate(_ rate: Double) throws { try server.change("{\"rate\": \(rate)}") }

        /// A media playlist that lists the six segments of the clip five times. A query makes each address different.
        private static var mediaPlaylist: String {
            var text = "#EXTM3U\n#EXT-X-VERSION:3\n#EXT-X-TARGETDURATION:2\n#EXT-X-PLAYLIST-TYPE:VOD\n"
            for number in 0..<30 {
                if number > 0, number % 6 == 0 { text += "#EXT-X-DISCONTINUITY\n" }
                text += "#EXTINF:2,\nmedia/low\(number % 6).ts?\(number)\n"
            }
            return text + "#EXT-X-ENDLIST\n"
        }

        /// The segments that the server has sent so far: the variant's name, the segment's number and the sent bytes.
        var segments: [(variant: String, number: Int, byteCount: Int)] {
            server.requests.compactMap { request in
                let pathComponents = request.path.split(whereSeparator: { "/?".contains($0) })
                guard pathComponents.count == 4, let number = Int(pathComponents[3]) else { return nil }
                return (String(pathComponents[0]), number, request.sent)
            }
        }

        /// Waits until the server has sent `count` segments.
        func waitForSegments(_ count: Int) throws {
            let hasSentSegments = Deadline.poll(for: .seconds(20)) { segments.count >= count ? true : nil }
            guard hasSentSegments == true else { throw TestFailure("only \(segments.count) segments were sent") }
        }
    }

    @Test("the first picture needs one variant's playlist and segment, and the size of the window limits the variant")
    func firstPictureNeedsOneVariant() async throws {
        try await TestEnvironment.runExclusively {
            let ladder = try LadderServer(Self.ladder)
            let player = try RunningPlayer(
                ladder.address,
                options: ["--ao=null", "--geometry=1280x720", "--pause", "--demuxer-readahead-secs=1"])
            try ScreenWatcher().waitForFrame(in: .player)
            // At most four requests: the multivariant playlist, one media playlist, and one or two segments.
            #expect(ladder.server.requests.count <= 4, "\(ladder.server.paths)")
            #expect(Set(ladder.server.paths.map { $0.split(separator: "/")[0] }).count == 2)
            try player.ipc.setProperty("pause", false)
            try ladder.waitForSegments(5)
            #expect(ladder.segments.dropFirst(2).allSatisfy { $0.variant == "720" }, "\(ladder.segments)")
            try player.quit()
        }
    }

    @Test("after the return from Picture-in-Picture, buffered segments of the small variant are replaced soon")
    func returnFromPictureInPictureReplacesSmallSegments() async throws {
        try await TestEnvironment.runExclusively {
            // The link starts at 1 Mb/s, so that the player loads no larger variant before Picture-in-Picture has
            // started.
            let ladder = try LadderServer(Self.ladder, rate: 1)
            let player = try RunningPlayer(
                ladder.address, options: ["--ao=null", "--geometry=1280x720", "--pip"])
            try player.ipc.waitForProperty("picture-in-picture") { $0 == true }
            // The player reacts to the smaller view after one second, in which this link transfers one segment.
            try ladder.waitForSegments(ladder.segments.count + 4)
            try ladder.setRate(20)
            try player.ipc.waitForProperty("demuxer-cache-duration", within: .seconds(20)) { ($0.number ?? 0) > 20 }
            let smallVariant = ladder.segments.last?.variant
            #expect(smallVariant == "360" || smallVariant == "540", "\(ladder.segments)")
            // Taken before the return, after which the next segment is requested in the large variant.
            let lastBufferedNumber = ladder.segments.map(\.number).max() ?? 0
            try player.leavePictureInPicture()
            let position = try #require(try player.ipc.property("time-pos").number)
            // The player may request the next segment in the large variant before it counts the link as fast enough for
            // replacing buffered segments, so wait until the server has sent a segment in the large variant that was
            // buffered in a small one.
            let sentSegment = Deadline.poll(for: .seconds(20)) {
                ladder.segments.first { $0.variant == "720" && $0.number <= lastBufferedNumber }
            }
            let largeSegment = try #require(sentSegment, "\(ladder.segments)")
            let requestPosition = try #require(try player.ipc.property("time-pos").number)
            // The player starts to replace segments within two segment durations after the return. It keeps the next
            // 4 s of media, and the segment in which these 4 s end.
            #expect(requestPosition <= position + 2 * Self.segmentDuration)
            #expect(
                Double(largeSegment.number) * Self.segmentDuration <= requestPosition + 4 + Self.segmentDuration,
                "\(requestPosition)")
            // At most 15 % of a minute in the large variant is downloaded without being played.
            #expect(
                ladder.segments.filter { $0.number >= largeSegment.number }.map(\.byteCount).reduce(0, +) < 3_400_000)
            #expect(try player.ipc.property("paused-for-cache") == false)
            try player.quit()
        }
    }

    @Test("a window that is dragged through many sizes changes the variant twice at most")
    func draggedWindowChangesTheVariantRarely() async throws {
        try await TestEnvironment.runExclusively {
            let ladder = try LadderServer(Self.ladder)
            let player = try RunningPlayer(
                ladder.address, options: ["--ao=null", "--geometry=640x360", "--demuxer-readahead-secs=16"])
            let watcher = try ScreenWatcher()
            try watcher.waitForFrame(in: .player)
            let window = try #require(watcher.window(.player))
            // Wait until the player has buffered 16 s. Segments of larger variants then replace the buffered segments
            // while the size of the window keeps changing.
            try ladder.waitForSegments(9)
            let earlierCount = ladder.segments.count
            let widths = (0..<30).map { $0 % 2 == 0 ? 1900 - 50 * ($0 / 2) : 300 + 50 * ($0 / 2) }
            try run(
                "xdotool",
                widths.flatMap {
                    ["windowsize", "\(window.id)", "\($0)", "\($0 * 9 / 16)", "sleep", "0.16"]
                }, within: .seconds(30))
            try ladder.waitForSegments(earlierCount + 6)
            let segments = ladder.segments
            let variants = segments.map(\.variant)
            let changeCount = zip(variants, variants.dropFirst()).dropFirst(max(earlierCount - 1, 0)).count { $0 != $1 }
            #expect(changeCount <= 2, "\(variants)")
            let replacedSegmentSizes = Dictionary(grouping: segments, by: \.number).values.flatMap { $0.dropLast() }
                .map(\.byteCount)
            #expect(replacedSegmentSizes.reduce(0, +) <= 1_000_000)
            try player.quit()
        }
    }

    @Test(
        "the size of a portrait or cropped picture within the window selects the variant",
        arguments: [
            ("portrait", ["270x480", "406x720", "720x1280", "1080x1920"], "406x720"),
            ("cropped", ["640x266", "1280x534", "1920x800"], "1280x534"),
        ])
    func pictureSizeWithinTheWindowSelectsTheVariant(name: String, sizes: [String], variant: String) async throws {
        try await TestEnvironment.runExclusively {
            let ladder = try LadderServer(sizes.enumerated().map { ($1, 800_000 * ($0 + 1), $1) })
            let player = try RunningPlayer(ladder.address, options: ["--ao=null", "--geometry=1280x720"])
            // The first two segments measure the link. Until the window is on screen, its size is not known, and then
            // one request may be under way.
            try ScreenWatcher().waitForFrame(in: .player)
            let earlierCount = max(2, ladder.segments.count + 1)
            try ladder.waitForSegments(earlierCount + 4)
            #expect(ladder.segments.dropFirst(earlierCount).allSatisfy { $0.variant == variant }, "\(ladder.segments)")
            try player.quit()
        }
    }

    @Test(
        "in Picture-in-Picture, variants without a stated size are chosen by the link; the smallest is always allowed",
        arguments: [
            ([("low", 800_000, nil), ("high", 3_000_000, nil)], "high"),
            ([("720", 3_000_000, "1280x720"), ("1080", 6_000_000, "1920x1080")], "720"),
        ] as [([(String, Int, String?)], String)])
    func pictureInPictureNeverExcludesAllVariants(variants: [(String, Int, String?)], variant: String) async throws {
        try await TestEnvironment.runExclusively {
            let ladder = try LadderServer(variants.map { ($0.0, $0.1, $0.2) })
            let player = try RunningPlayer(
                ladder.address, options: ["--ao=null", "--geometry=1280x720", "--pip"])
            try player.ipc.waitForProperty("picture-in-picture") { $0 == true }
            try ladder.waitForSegments(12)
            #expect(ladder.segments.dropFirst(6).allSatisfy { $0.variant == variant }, "\(ladder.segments)")
            try player.quit()
        }
    }
}
