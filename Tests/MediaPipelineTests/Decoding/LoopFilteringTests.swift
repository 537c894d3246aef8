import SharedFrames
import TestSupport
import Testing

@testable import MediaPipeline

@Suite struct LoopFilteringTests {
    private static let film = PixelSize(width: 1280, height: 720)

    @Test(arguments: [
        (1280, 720, LoopFiltering.all), (641, 361, .all), (640, 360, .referencesOnly), (480, 270, .referencesOnly),
        (1280, 100, .referencesOnly), (0, 0, .referencesOnly),
    ])
    func smallPicturesNeedLessSmoothing(width: Int, height: Int, expected: LoopFiltering) {
        let size = PixelSize(width: width, height: height)
        #expect(LoopFiltering.needed(for: Self.film, in: VideoViewGeometry(size: size)) == expected)
        let filled = LoopFiltering.needed(for: Self.film, in: VideoViewGeometry(size: size, gravity: .aspectFill))
        #expect(filled == (width == 1280 ? .all : expected))
    }

    @Test func charactersNeedNoSmoothingAndUnknownPicturesAll() {
        let view = VideoViewGeometry(size: Self.film)
        #expect(LoopFiltering.needed(for: Self.film, in: view, isDrawnWithCharacters: true) == .none)
        #expect(LoopFiltering.needed(for: PixelSize(width: 0, height: 0), in: view) == .all)
    }

    /// Decodes 240 frames with a keyframe every 60 frames.
    ///
    /// - Parameter filtering: Applied from about frame 70 to about frame 140.
    /// - Returns: the checksums of the frames.
    private func checksums(_ filtering: LoopFiltering) throws -> [String] {
        let reader = try MediaReader(try Fixtures.path("count30.mp4")) {
            ($0.checksumHash, $0.frameLimit) = (.md5, 1)
        }
        var checksums: [String] = [], demand = DecodingDemand()
        while checksums.count < 240, let frame = try reader.next() {
            checksums += frame.decodedPictures.map(\.checksum)
            if checksums.count == 70 { demand.loopFiltering = filtering }
            if checksums.count == 140 { demand.loopFiltering = .all }
            reader.source.setDecodingDemand(demand)
        }
        return checksums
    }

    @Test func onlyPicturesWithoutReferencesDifferWhenReferencesAreSmoothed() throws {
        let exact = try checksums(.all), reduced = try checksums(.referencesOnly)
        let differing = exact.indices.filter { exact[$0] != reduced[$0] }
        #expect(differing.count >= 15 && differing.count <= 60, "\(differing)")
        // No error adds up: pictures before, between and after the differing ones are exact.
        #expect(differing.allSatisfy { (70..<150).contains($0) })
    }

    @Test func errorsWithoutSmoothingEndAtTheNextKeyframe() throws {
        let exact = try checksums(.all), unfiltered = try checksums(.none)
        let differing = exact.indices.filter { exact[$0] != unfiltered[$0] }
        #expect(differing.count > 60, "\(differing)")
        #expect(differing.allSatisfy { (70..<180).contains($0) })
    }
}
