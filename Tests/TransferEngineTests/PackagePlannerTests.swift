import BackgroundProtocol
import SystemCalls
import TestSupport
import Testing

@testable import TransferEngine

/// Plans of packages by an engine on a thread of the test.
@Suite struct PackagePlannerTests {
    private let engine: EngineFixture
    private let directory: TemporaryDirectory

    init() throws { (engine, directory) = (try EngineFixture(), try TemporaryDirectory()) }

    /// Plans a playlist and returns the resources, the last event and the playlist of the copy.
    private func plan(
        _ playlist: [UInt8], prefix: String? = nil, change: (inout PlanOrder) -> Void = { _ in }
    ) throws -> (resources: [PlannedResource], end: EngineEvent, text: String) {
        let folder = try DirectoryDescriptor(opening: directory.path)
        try folder.remove("in")
        try folder.remove("out")
        let input = try folder.create("in"), output = try folder.create("out")
        var failure: SystemCallError?
        playlist.withUnsafeBytes { bytes in
            do throws(SystemCallError) { try input.write(bytes, at: 0) } catch { failure = error }
        }
        if let failure { throw failure }
        var order = PlanOrder(
            transfer: 3, address: "https://example.org/film/master.m3u8", prefix: prefix, isMain: true,
            preferences: StreamPreferences())
        change(&order)
        try engine.send(.plan(order), [output.raw, input.raw])
        var resources: [PlannedResource] = []
        while true {
            let event = try engine.nextEvent()
            guard case .planned(3, let planned) = event else {
                return (resources, event, try directory.text("out"))
            }
            resources += planned
        }
    }

    private func plan(_ lines: String, prefix: String? = nil) throws -> (
        resources: [PlannedResource], end: EngineEvent, text: String
    ) { try plan(Array("#EXTM3U\n\(lines)".utf8), prefix: prefix) }

    @Test func aMasterPlaylistGivesThePlaylistsOfTheChosenVariant() throws {
        let variants = """
            #EXT-X-STREAM-INF:BANDWIDTH=1,RESOLUTION=640x360
            small.m3u8
            #EXT-X-STREAM-INF:BANDWIDTH=2,RESOLUTION=1280x720
            large.m3u8
            """
        let best = try plan(variants)
        #expect(
            best.resources == [
                PlannedResource(
                    isPlaylist: true, address: "https://example.org/film/large.m3u8", name: "video.m3u8")
            ])
        let small = try plan(Array("#EXTM3U\n\(variants)".utf8)) { $0.preferences.maximumHeight = 400 }
        #expect(small.resources.map(\.address) == ["https://example.org/film/small.m3u8"])
        #expect(small.text.contains("RESOLUTION=640x360"))
    }

    @Test func theEndStatesTheLengthOfThePlaylistOfTheCopy() throws {
        let result = try plan("#EXT-X-TARGETDURATION:2\n#EXTINF:2,\n1.ts\n#EXT-X-ENDLIST", prefix: "video")
        #expect(result.end == .finished(transfer: 3, length: Int64(result.text.utf8.count), status: 200))
        #expect(result.resources.map(\.name) == ["video-0.ts"] && result.resources[0].duration == 2_000_000_000)
        #expect(result.text.hasPrefix("#EXTM3U\n") && result.text.contains("\nvideo-0.ts\n"))
    }

    @Test func manySegmentsArriveInSeveralMessages() throws {
        let count = 3 * PlannedResource.messageLimit + 1
        let query = String(repeating: "q", count: 300)
        let lines = (0..<count).map { "#EXTINF:2,\n\($0).ts?\(query)\n" }.joined()
        let result = try plan("#EXT-X-TARGETDURATION:2\n\(lines)#EXT-X-ENDLIST", prefix: "video")
        #expect(result.resources.map(\.name) == (0..<count).map { "video-\($0).ts" })
    }

    @Test(arguments: [
        ("#EXT-X-TARGETDURATION:2\n#EXTINF:2,\n1.ts", "the stream is live"),
        ("no playlist", "is not an HLS playlist"),
        ("#EXT-X-TARGETDURATION:2\n#EXT-X-KEY:METHOD=SAMPLE-AES,URI=\"k\"\n#EXTINF:2,\n1.ts\n#EXT-X-ENDLIST", "DRM"),
    ])
    func aStreamThatCannotBeDownloadedFailsWithTheReason(_ lines: String, _ reason: String) throws {
        let result = try plan(lines)
        guard case .failed(3, let failure) = result.end else { throw TestFailure("\(result.end)") }
        #expect(failure.kind == .unsupportedStream && failure.message.contains(reason), "\(failure)")
        #expect(result.resources.isEmpty && result.text.isEmpty)
    }

    @Test func randomBytesFailAndTheEngineGoesOn() throws {
        var random = SeededGenerator.printingSeed()
        for _ in 0..<20 {
            let bytes = (0..<500).map { _ in UInt8.random(in: 0...255, using: &random) }
            guard case .failed(3, _) = try plan(bytes).end else { throw TestFailure("accepted") }
        }
        #expect(try plan("#EXT-X-TARGETDURATION:2\n#EXTINF:2,\n1.ts\n#EXT-X-ENDLIST").resources.count == 1)
    }

    @Test("a resource that the ledger would reject fails its plan, and the engine goes on")
    func anInvalidResourceIsNotSent() throws {
        let lines = "#EXT-X-TARGETDURATION:2\n#EXTINF:2,\n1.ts\n#EXT-X-ENDLIST"
        // With the number of the segment, the name has more bytes than a name may have.
        let result = try plan(lines, prefix: String(repeating: "v", count: PlanOrder.nameBytes))
        guard case .failed(3, let failure) = result.end else { throw TestFailure("\(result.end)") }
        #expect(failure.kind == .badResponse && result.resources.isEmpty)
        #expect(try plan(lines, prefix: "video").resources.count == 1)
    }

    @Test func anOlderPlaylistOfTheCopyIsReplaced() throws {
        let folder = try DirectoryDescriptor(opening: directory.path)
        let long = try plan("#EXT-X-TARGETDURATION:2\n#EXTINF:2,\n1.ts\n#EXT-X-ENDLIST").text
        let output = try folder.open("out", flags: 2), input = try folder.create("in2")
        let text = Array("#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\nv.m3u8".utf8)
        text.withUnsafeBytes { try? input.write($0, at: 0) }
        let order = PlanOrder(
            transfer: 4, address: "https://example.org/a.m3u8", prefix: nil, isMain: true,
            preferences: StreamPreferences())
        try engine.send(.plan(order), [output.raw, input.raw])
        guard case .planned(4, _) = try engine.nextEvent(), case .finished(4, let length, 200) = try engine.nextEvent()
        else { throw TestFailure("no plan") }
        let new = try directory.text("out")
        #expect(Int64(new.utf8.count) == length && new != long && new.hasSuffix("video.m3u8\n"))
    }
}
