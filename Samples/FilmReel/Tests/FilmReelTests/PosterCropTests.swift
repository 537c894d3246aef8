import Testing

@testable import FilmReel

@Suite struct PosterCropTests {
    private let tile = PixelSize(width: 300, height: 450)

    @Test("the part has the poster's shape, and fills the picture in one direction")
    func partHasTheShapeOfThePoster() {
        for (width, height) in [(800, 450), (300, 450), (450, 450), (100, 900), (1, 1), (4000, 3)] {
            let source = PixelSize(width: width, height: height), part = PosterCrop(source: source, tile: tile).part
            #expect(part.width <= width && part.height <= height)
            #expect(part.width == width || part.height == height)
            #expect(part.width >= 1 && part.height >= 1)
            #expect(abs(part.width * 3 - part.height * 2) <= 3 || part.width == 1 || part.height == 1)
        }
        #expect(PosterCrop(source: PixelSize(width: 800, height: 450), tile: tile).part == tile)
    }

    @Test("wide samples give a narrower part, and narrow samples a lower part")
    func partDependsOnTheSampleAspectRatio() {
        let source = PixelSize(width: 720, height: 576)
        let wideSampleCrop = PosterCrop(source: source, tile: tile, sampleAspect: PixelSize(width: 16, height: 15))
        #expect(wideSampleCrop.part == PixelSize(width: 360, height: 576))
        let narrowSampleCrop = PosterCrop(source: source, tile: tile, sampleAspect: PixelSize(width: 1, height: 4))
        #expect(narrowSampleCrop.part == PixelSize(width: 720, height: 270))
    }

    @Test func pixelsComeFromTheMiddle() {
        // A picture of 9x3 pixels whose values are their columns, in rows with padding.
        let source = PixelSize(width: 9, height: 3), bytesPerRow = 40
        var bytes = [UInt8](repeating: 0xee, count: bytesPerRow * 3)
        for row in 0..<3 { for column in 0..<9 { bytes[row * bytesPerRow + column * 4] = UInt8(column * 10 + row) } }
        let crop = PosterCrop(source: source, tile: PixelSize(width: 3, height: 3))
        let pixels = bytes.withUnsafeBytes { crop.pixels(of: $0, bytesPerRow: bytesPerRow) }
        #expect(pixels.count == 36)
        #expect(stride(from: 0, to: 36, by: 4).map { pixels[$0] } == [30, 40, 50, 31, 41, 51, 32, 42, 52])
    }
}
