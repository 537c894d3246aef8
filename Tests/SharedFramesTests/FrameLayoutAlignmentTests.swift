import Testing

@testable import SharedFrames

@Suite struct FrameLayoutAlignmentTests {
    /// Returns the aligned layout of a picture whose format has the given name.
    private func layout(_ name: String, _ width: Int, _ height: Int) throws -> FrameLayout {
        let format = try #require(PixelFormat(name: name))
        return try #require(FrameLayout(aligned: format, width: width, height: height))
    }

    /// The picture sizes for the tests: width and height in samples.
    private static let sizes = [
        (1, 1), (2, 2), (17, 9), (640, 360), (1920, 1080), (4096, 2160), (8192, 8192), (16_384, 1),
    ]

    @Test(arguments: ["yuv420p", "nv12", "bgr0", "yuv444p10le", "pal8"], FrameLayoutAlignmentTests.sizes)
    func rowsStartAtMultiplesOf64Bytes(_ name: String, _ size: (Int, Int)) throws {
        let layout = try layout(name, size.0, size.1)
        for plane in layout.planes.prefix(layout.pixelFormat.planeCount) {
            #expect(plane.stride % 64 == 0 && plane.offset % 64 == 0)
            #expect(plane.stride % 4096 != 0, "every row would lie on the same cache sets")
        }
    }

    @Test(arguments: ["yuv420p", "nv12", "yuv444p10le"], FrameLayoutAlignmentTests.sizes)
    func planesDoNotOverlap(_ name: String, _ size: (Int, Int)) throws {
        let layout = try layout(name, size.0, size.1)
        for (index, plane) in layout.planes.enumerated().dropLast() {
            let endOffset = plane.offset + plane.stride * layout.pixelFormat.rows(plane: index, height: size.1)
            #expect(
                endOffset + FrameLayout.overreadPadding <= layout.planes[index + 1].offset,
                "a scaler reads beyond a row's end")
        }
    }

    @Test func paletteFollowsThePicturePlane() throws {
        let layout = try layout("pal8", 100, 10)
        #expect(layout.planes.count == 2 && layout.planes[1].stride == 0)
        #expect(layout.requiredSize == layout.planes[1].offset + FrameLayout.paletteBytes)
    }

    @Test(arguments: [(0, 1), (1, 0), (-1, 5), (16_385, 1), (1, 16_385), (.max, .max)])
    func anInvalidPictureSizeIsRefused(_ width: Int, _ height: Int) throws {
        let format = try #require(PixelFormat(name: "bgr0"))
        #expect(FrameLayout(aligned: format, width: width, height: height) == nil)
    }

    @Test func theVisibleRectangleExcludesTheCrop() {
        let size = PixelSize(width: 720, height: 576)
        #expect(
            PictureCrop(left: 8, top: 2, right: 8, bottom: 4).visibleRect(in: size)
                == PixelRect(x: 8, y: 2, width: 704, height: 570))
        #expect(PictureCrop().visibleRect(in: size) == PixelRect(x: 0, y: 0, width: 720, height: 576))
    }

    @Test(
        arguments: [(720, 0, 0, 0), (360, 0, 360, 0), (0, 576, 0, 0), (0, 300, 0, 300), (.max, .max, .max, .max)]
            as [(UInt16, UInt16, UInt16, UInt16)])
    func aCropThatLeavesNoSamplesHasNoVisibleRectangle(_ left: UInt16, _ top: UInt16, _ right: UInt16, _ bottom: UInt16)
    {
        let crop = PictureCrop(left: left, top: top, right: right, bottom: bottom)
        #expect(crop.visibleRect(in: PixelSize(width: 720, height: 576)) == nil)
    }
}
