import Testing

@testable import MediaPipeline
@testable import StreamPlaylists

@Suite struct CodecStringTests {
    @Test(
        "codecs are recognised by their codes, and unknown codecs are treated as decodable",
        arguments: [
            ("avc1.640028", true, true), ("MP4A.40.2", false, true), ("hvc1.1.6.L93.B0", true, true),
            ("stpp.ttml.im1t", false, true), ("", false, true),
        ])
    func codecsAreRecognised(text: String, isVideo: Bool, isDecodable: Bool) {
        #expect(CodecString(text).isVideo == isVideo && CodecString(text).isDecodable == isDecodable)
    }

    @Test func aVariantBecomesACandidate() throws {
        let text = """
            #EXTM3U
            #EXT-X-STREAM-INF:BANDWIDTH=900000,AVERAGE-BANDWIDTH=800000,RESOLUTION=640x360,CODECS="avc1.42c01e,mp4a.40.2"
            https://b.example:8443/v.m3u8
            #EXT-X-STREAM-INF:BANDWIDTH=64000,CODECS="mp4a.40.2"
            a.m3u8
            """
        let playlist = try MultivariantPlaylist(Array(text.utf8), address: "https://a.example/m.m3u8")
        let candidates = playlist.variants.enumerated().map { VariantCandidate($0.element, index: $0.offset) }
        #expect(
            candidates[0].bandwidth == 900_000 && candidates[0].averageBandwidth == 800_000 && candidates[0].hasVideo)
        #expect(candidates[0].size?.width == 640 && candidates[0].host == "b.example:8443")
        #expect(!candidates[1].hasVideo && candidates[1].host == "a.example")
    }
}
