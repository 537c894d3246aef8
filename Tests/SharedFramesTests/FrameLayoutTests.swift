import TestSupport
import Testing

@testable import SharedFrames

@Suite struct FrameLayoutTests {
    private let grayFormat: PixelFormat
    private let planarFormat: PixelFormat
    private let paletteFormat: PixelFormat

    init() throws {
        grayFormat = try #require(PixelFormat(name: "gray"))
        planarFormat = try #require(PixelFormat(name: "yuv420p"))
        paletteFormat = try #require(PixelFormat(name: "pal8"))
    }

    /// Returns a layout whose planes have the given offsets and strides; nil if it is invalid.
    private func layout(_ format: PixelFormat, _ width: Int, _ height: Int, _ planes: [(Int, Int)]) -> FrameLayout? {
        FrameLayout(
            pixelFormat: format, width: width, height: height, planes: planes.map { .init(offset: $0.0, stride: $0.1) })
    }

    @Test func theRequiredSizeEndsWithTheLastVisibleByte() {
        #expect(layout(grayFormat, 10, 4, [(100, 32)])?.requiredSize == 100 + 3 * 32 + 10)
        #expect(layout(planarFormat, 5, 3, [(0, 8), (24, 4), (32, 4)])?.requiredSize == 32 + 4 + 3)
        #expect(layout(paletteFormat, 4, 4, [(0, 4), (16, 0)])?.requiredSize == 16 + 1024)
    }

    @Test(arguments: [0, -1, 16_385, Int.max, Int.min]) func widthOrHeightOutOfRangeIsRefused(_ invalidValue: Int) {
        #expect(layout(grayFormat, 16_384, 1, [(0, 16_384)]) != nil && layout(grayFormat, 1, 16_384, [(0, 1)]) != nil)
        #expect(layout(grayFormat, invalidValue, 1, [(0, 1 << 18)]) == nil)
        #expect(layout(grayFormat, 1, invalidValue, [(0, 1 << 18)]) == nil)
    }

    @Test func layoutNeedsExactlyThePlanesOfItsFormat() {
        #expect(layout(grayFormat, 4, 4, []) == nil)
        #expect(layout(grayFormat, 4, 4, [(0, 4), (16, 4)]) == nil)
        #expect(layout(planarFormat, 4, 4, [(0, 4), (16, 2)]) == nil)
        #expect(layout(paletteFormat, 4, 4, [(0, 4)]) == nil)
    }

    @Test func rowsMayNotOverlap() {
        #expect(layout(grayFormat, 10, 2, [(0, 10)]) != nil)
        #expect(layout(grayFormat, 10, 2, [(0, 9)]) == nil)
        #expect(layout(planarFormat, 10, 2, [(0, 10), (20, 4), (30, 5)]) == nil)
        #expect(layout(grayFormat, 10, 2, [(0, FrameLayout.maximumStride + 1)]) == nil)
        for stride in [0, -1, Int.min, Int.max] {
            #expect(layout(grayFormat, 10, 2, [(0, stride)]) == nil, "\(stride)")
        }
    }

    @Test func aLayoutBeyondTheMemoryLimitIsRefused() {
        let limit = FrameLayout.maximumBytes
        #expect(layout(grayFormat, 10, 1, [(limit - 10, 10)])?.requiredSize == limit)
        #expect(layout(grayFormat, 10, 1, [(limit - 9, 10)]) == nil)
        #expect(layout(paletteFormat, 1, 1, [(0, 1), (limit - 1023, 0)]) == nil)
        #expect(layout(grayFormat, 16_384, 16_384, [(0, FrameLayout.maximumStride)]) == nil)
        for offset in [-1, Int.min, Int.max, limit + 1] {
            #expect(layout(grayFormat, 10, 1, [(offset, 10)]) == nil, "\(offset)")
        }
    }

    @Test func requiredSizeOfAnAcceptedLayoutCoversAllPlanes() throws {
        var random = SeededGenerator.printingSeed()
        var acceptedCount = 0
        for _ in 0..<50_000 {
            let format = try #require(
                PixelFormat(rawValue: UInt16.random(in: 0..<UInt16(PixelFormat.descriptors.count), using: &random)))
            let width = Int.random(in: 1...300, using: &random), height = Int.random(in: 1...200, using: &random)
            let planes = (0..<(format.planeCount + (format.hasPalette ? 1 : 0))).map { _ in
                FrameLayout.Plane(
                    offset: Int.random(in: -2...100_000, using: &random),
                    stride: Int.random(in: 0...3000, using: &random))
            }
            guard let layout = FrameLayout(pixelFormat: format, width: width, height: height, planes: planes) else {
                continue
            }
            acceptedCount += 1
            var requiredEnd = 0
            for index in 0..<format.planeCount {
                let rows = format.rows(plane: index, height: height)
                let planeEnd =
                    planes[index].offset + (rows - 1) * planes[index].stride
                    + format.rowBytes(plane: index, width: width)
                requiredEnd = max(requiredEnd, planeEnd)
                #expect(
                    planes[index].offset >= 0 && planes[index].stride >= format.rowBytes(plane: index, width: width))
            }
            if format.hasPalette { requiredEnd = max(requiredEnd, planes[1].offset + 1024) }
            #expect(requiredEnd == layout.requiredSize && requiredEnd <= FrameLayout.maximumBytes, "\(layout)")
        }
        #expect(acceptedCount > 5000)
    }

    @Test func sampleAspectRatioStretchesAndNeverShrinksTheDisplaySize() throws {
        let layout = try #require(self.layout(grayFormat, 720, 576, [(0, 720)]))
        var attributes = PictureAttributes()
        #expect(FrameFormat(layout: layout, attributes: attributes).displaySize == PixelSize(width: 720, height: 576))
        (attributes.sampleAspectNumerator, attributes.sampleAspectDenominator) = (16, 11)
        #expect(FrameFormat(layout: layout, attributes: attributes).displaySize == PixelSize(width: 1047, height: 576))
        (attributes.sampleAspectNumerator, attributes.sampleAspectDenominator) = (8, 9)
        #expect(FrameFormat(layout: layout, attributes: attributes).displaySize == PixelSize(width: 720, height: 648))
        for invalidValue: (Int32, Int32) in [(0, 1), (1, 0), (-1, 1), (.max, 1), (1, .min)] {
            (attributes.sampleAspectNumerator, attributes.sampleAspectDenominator) = invalidValue
            #expect(
                FrameFormat(layout: layout, attributes: attributes).displaySize == PixelSize(width: 720, height: 576),
                "\(invalidValue)")
        }
    }
}
