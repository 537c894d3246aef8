import SharedFrames
import TestSupport
import Testing

@testable import MediaPipeline

@Suite struct WavefrontCodingTests {
    /// Picture parameter sets of x265 with and without wavefronts.
    private static let withWavefronts: [UInt8] = [0x44, 0x01, 0xc0, 0x73, 0xc1, 0x89]
    private static let withoutWavefronts: [UInt8] = [0x44, 0x01, 0xc0, 0x73, 0xc0, 0x89]
    /// A parameter set with tiles as well.
    private static let withTiles: [UInt8] = [0x44, 0x01, 0xc0, 0x73, 0xc3, 0x89]
    private static let sequenceParameterSet: [UInt8] = [0x42, 0x01, 0x01]

    private func isUsed(_ header: [UInt8]) -> Bool { header.withUnsafeBufferPointer { WavefrontCoding.isUsed(in: $0) } }

    /// Returns a configuration record with one array for each NAL unit.
    private func record(_ units: [[UInt8]]) -> [UInt8] {
        [1] + [UInt8](repeating: 0, count: 21) + [UInt8(units.count)]
            + units.flatMap { [$0[0] >> 1, 0, 1, 0, UInt8($0.count)] + $0 }
    }

    private func startCodes(_ units: [[UInt8]]) -> [UInt8] { units.flatMap { [0, 0, 0, 1] + $0 } }

    private static let headers: [([[UInt8]], Bool)] = [
        ([sequenceParameterSet, withWavefronts], true), ([sequenceParameterSet, withoutWavefronts], false),
        ([withWavefronts, withTiles], false), ([withWavefronts, withoutWavefronts], false),
        ([withWavefronts, withWavefronts], true), ([sequenceParameterSet], false), ([], false),
    ]

    @Test(arguments: headers)
    func allPictureParameterSetsDecide(units: [[UInt8]], isWavefront: Bool) {
        #expect(isUsed(record(units)) == isWavefront && isUsed(startCodes(units)) == isWavefront)
    }

    @Test func truncatedHeadersAreRead() {
        let whole = record([Self.sequenceParameterSet, Self.withWavefronts])
        for count in 0..<whole.count - 1 { #expect(!isUsed(Array(whole.prefix(count)))) }
        #expect(isUsed(whole))
    }

    @Test func randomHeadersAreRead() {
        var generator = SeededGenerator.printingSeed()
        for _ in 0..<2000 {
            var bytes = record([Self.sequenceParameterSet, Self.withWavefronts])
            for _ in 0..<3 {
                bytes[Int.random(in: 0..<bytes.count, using: &generator)] = .random(in: 0...255, using: &generator)
            }
            // Without the type of a picture parameter set in any byte, none can be found.
            if isUsed(bytes) { #expect(bytes.contains { $0 >> 1 & 0x3f == 34 }) }
        }
    }

    @Test func threadsThatShareAPictureDecodeTheSamePictures() throws {
        #expect(try pictures(of: "hevc-wavefronts.mkv", DecoderThreading(count: 1)).count == 30)
        for name in ["hevc-wavefronts.mkv", "hevc.mkv"] {
            let expected = try pictures(of: name, DecoderThreading(count: 1))
            #expect(try pictures(of: name, DecoderThreading(count: 3, dividesPictures: true)) == expected)
        }
    }

    /// Returns the checksums of a file's pictures, decoded with some threads.
    private func pictures(of name: String, _ threading: DecoderThreading) throws -> [DecodedPicture] {
        let demuxer = try Demuxer(
            location: try Fixtures.path(name), opener: try MediaOpener(policy: OpenPolicy()), choice: TrackChoice(),
            readsOtherTracks: false)
        let stream = try #require(demuxer.video)
        demuxer.select(video: Int(stream.pointee.index), audio: nil)
        let parameters = try #require(CodecParameters(stream: stream))
        #expect(parameters.hasWavefronts == name.contains("wavefronts"))
        var decoder = try VideoDecoder(
            parameters: parameters, origin: demuxer.origin, pool: FramePool(), threading: threading,
            checksumHash: .md5)
        var pictures: [DecodedPicture] = []
        func append(_ item: DecodedVideo, _: UInt32) -> Bool {
            if case .frame(let frame) = item { pictures += frame.decodedPictures }
            return true
        }
        while true {
            let packet = try #require(Packet())
            guard try demuxer.read(into: packet) else { break }
            try decoder.decode(packet, isWanted: { _ in true }, deliver: append)
        }
        try decoder.decode(nil, isWanted: { _ in true }, deliver: append)
        return pictures
    }
}
