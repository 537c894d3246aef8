import Testing

@testable import MediaPipeline
@testable import StreamPlaylists

@Suite struct SegmentStoreTests {
    /// Returns the segments of a playlist with `count` segments.
    private func segments(_ count: Int) throws -> [MediaSegment] {
        let lines = (0..<count).map { "#EXTINF:2,\nsegment\($0).ts\n" }.joined()
        let text = "#EXTM3U\n#EXT-X-TARGETDURATION:2\n\(lines)#EXT-X-ENDLIST\n"
        return try MediaPlaylist(Array(text.utf8), address: "http://host/list.m3u8", imports: [:], knownSegments: [])
            .segments
    }

    @Test("a full store drops the least recently used segments") func leastRecentlyUsedSegmentsAreDropped() throws {
        let segments = try segments(4), store = SegmentStore(limit: 300)
        for index in 0..<3 { store.insert([UInt8](repeating: UInt8(index), count: 100), of: segments[index]) }
        #expect(store.content(of: segments[0]) == [UInt8](repeating: 0, count: 100))
        store.insert([UInt8](repeating: 3, count: 100), of: segments[3])
        #expect(segments.map { store.contains($0) } == [true, false, true, true] && store.byteCount == 300)
    }

    @Test("segments that a live stream has removed are dropped") func removedSegmentsAreDropped() throws {
        let segments = try segments(4), store = SegmentStore(limit: 300)
        for segment in segments.prefix(3) { store.insert([1, 2], of: segment) }
        store.keepOnly(segments.dropFirst(2))
        #expect(segments.map { store.contains($0) } == [false, false, true, false] && store.byteCount == 2)
        store.insert([1], of: segments[3])
        #expect(store.byteCount == 3 && store.content(of: segments[2]) == [1, 2])
    }

    @Test("a segment larger than half of the limit is not stored, and no segment is stored twice")
    func largeSegmentsAreNotStored() throws {
        let segments = try segments(2), store = SegmentStore(limit: 300)
        store.insert([UInt8](repeating: 1, count: 151), of: segments[0])
        store.insert([1], of: segments[1])
        store.insert([2], of: segments[1])
        #expect(!store.contains(segments[0]) && store.content(of: segments[1]) == [1] && store.byteCount == 1)
        store.setLimit(0)
        store.insert([1], of: segments[0])
        #expect(store.byteCount == 0 && !store.contains(segments[0]) && !store.contains(segments[1]))
    }

    @Test("the configured limit of a store is its upper bound") func limitIsNeverRaisedAboveTheConfiguredOne() throws {
        let segments = try segments(2), store = SegmentStore(limit: 300)
        store.setLimit(.max)
        #expect(store.limit == 300 && store.segmentLimit == 150)
        store.insert([UInt8](repeating: 1, count: 100), of: segments[0])
        store.insert([UInt8](repeating: 1, count: 100), of: segments[1])
        store.setLimit(150)
        #expect(segments.map { store.contains($0) } == [false, true] && store.segmentLimit == 75)
        store.setLimit(-1)
        #expect(store.limit == 0 && store.byteCount == 0 && SegmentStore(limit: -5).limit == 0)
    }

    @Test("parts of one resource are different segments") func partsOfOneResourceAreDistinct() throws {
        let text = """
            #EXTM3U
            #EXT-X-TARGETDURATION:2
            #EXTINF:2,
            #EXT-X-BYTERANGE:10@0
            all.ts
            #EXTINF:2,
            #EXT-X-BYTERANGE:10
            all.ts
            """
        let segments = try MediaPlaylist(Array(text.utf8), address: "http://host/list.m3u8").segments
        let store = SegmentStore(limit: 300)
        store.insert([1], of: segments[0])
        #expect(store.contains(segments[0]) && !store.contains(segments[1]))
    }
}
