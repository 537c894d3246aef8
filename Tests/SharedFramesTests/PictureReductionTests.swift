import Testing

@testable import SharedFrames

@Suite struct PictureReductionTests {
    private let pool = FramePool()

    /// Returns a grey picture of 8-bit 4:2:0 and its format.
    private func picture(
        _ width: Int, _ height: Int, configure: (inout PictureAttributes) -> Void = { _ in }
    ) throws -> (FrameBuffer, FrameFormat) {
        let pixelFormat = try #require(PixelFormat(name: "yuv420p"))
        let layout = try #require(FrameLayout(aligned: pixelFormat, width: width, height: height))
        var attributes = PictureAttributes()
        configure(&attributes)
        let buffer = try pool.acquire(size: layout.requiredSize + FrameLayout.overreadPadding)
        buffer.base.initializeMemory(as: UInt8.self, repeating: 100, count: layout.requiredSize)
        return (buffer, FrameFormat(layout: layout, attributes: attributes))
    }

    private func reduced(
        _ picture: (FrameBuffer, FrameFormat), _ width: Int, _ height: Int
    ) throws -> (FrameBuffer, FrameFormat)? {
        try VideoFrame.reduced(picture.0, picture.1, to: PixelSize(width: width, height: height)) {
            try pool.acquire(size: $0)
        }
    }

    @Test(arguments: [(1920, 1080, 480, 270), (3840, 2160, 960, 270), (1920, 800, 480, 200)])
    func reducedPictureKeepsItsSizesAndItsShape(width: Int, height: Int, columns: Int, rows: Int) throws {
        let whole = try picture(width, height)
        let (buffer, format) = try #require(try reduced(whole, 480, 270 * height / 1080 * 1920 / width))
        #expect((format.layout.width, format.layout.height) == (columns, rows))
        #expect(format.codedSize == PixelSize(width: width, height: height))
        #expect(format.codedPixelFormat.name == "yuv420p" && format.layout.pixelFormat.name == "yuv422p")
        #expect(format.displaySize == whole.1.displaySize && format.orientedSize == whole.1.orientedSize)
        #expect(format.visibleSamples == PixelRect(x: 0, y: 0, width: columns, height: rows))
        let quarter = PixelRect(x: width / 2, y: height / 2, width: width / 2, height: height / 2)
        #expect(
            format.decodedRect(of: quarter)
                == PixelRect(x: columns / 2, y: rows / 2, width: columns / 2, height: rows / 2))
        let sent = format.withoutReduction
        #expect(sent.displaySize.width * height == sent.displaySize.height * width && sent.attributes.reduction == nil)
        #expect(sent.attributes.matrix == .bt709, "the receiver would guess from the reduced size")
        #expect(buffer.slot.size * 8 < whole.0.slot.size)
        let frame = VideoFrame(
            id: 1, buffer: buffer, format: format, presentationTime: 0, duration: 0, streamTime: nil, generation: 0)
        #expect(frame.wholeByteCount == width * height * 3 / 2)
        #expect(frame.withPicture { $0.plane(0).load(fromByteOffset: columns - 1, as: UInt8.self) } == 100)
        #expect(frame.withoutReduction.format == sent)
    }

    @Test func cropRotationAndRangeAreKept() throws {
        let whole = try picture(1920, 1088) {
            $0.crop = PictureCrop(left: 0, top: 0, right: 0, bottom: 8)
            $0.orientation = PictureOrientation(transposes: true, mirrorsX: true, mirrorsY: false)
            $0.isFullRange = true
        }
        let (_, format) = try #require(try reduced(whole, 480, 270))
        #expect(
            format.displaySize == whole.1.displaySize && format.orientedSize == PixelSize(width: 1080, height: 1920))
        #expect(format.visibleSamples.size == PixelSize(width: 480, height: 270))
        #expect(
            format.attributes.isFullRange && format.withoutReduction.displaySize == PixelSize(width: 270, height: 480))
    }

    @Test func smallAndReducedPicturesStay() throws {
        let whole = try picture(640, 360)
        #expect(try reduced(whole, 480, 270) == nil)
        let small = try #require(try reduced(whole, 160, 90))
        #expect(try reduced(small, 40, 20) == nil)
        #expect(whole.1.withoutReduction == whole.1)
    }
}
