import Testing

@testable import MediaPipeline

@Suite struct FFmpegInformationTests {
    @Test("the formats and decoders that the player needs are listed")
    func neededFormatsAndDecodersAreListed() {
        let demuxers = FFmpegInformation.demuxers.flatMap { $0.split(separator: ",").map(String.init) }
        #expect(Set(["mp4", "matroska", "webm", "mpegts", "hls", "mp3", "srt"]).isSubset(of: Set(demuxers)))
        let codecs = Set(FFmpegInformation.decoders.map(\.codec))
        #expect(Set(["h264", "hevc", "vp9", "aac", "opus", "subrip", "ass"]).isSubset(of: codecs))
    }

    @Test("decoders have distinct names, and encoders are not listed")
    func decodersHaveDistinctNames() {
        let names = FFmpegInformation.decoders.map(\.name)
        #expect(Set(names).count == names.count && !names.contains("libx264") && names.allSatisfy { !$0.isEmpty })
        #expect(FFmpegInformation.version.first?.isNumber == true || FFmpegInformation.version.hasPrefix("n"))
    }
}
