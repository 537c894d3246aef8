import Testing

@testable import SharedFrames

@Suite struct FrameFormatTests {
    /// Returns a frame format with changed attributes.
    private func format(_ change: (inout PictureAttributes) -> Void) throws -> FrameFormat {
        let gray = try #require(PixelFormat(name: "gray"))
        let layout = try #require(FrameLayout(aligned: gray, width: 100, height: 60))
        var attributes = PictureAttributes()
        change(&attributes)
        return FrameFormat(layout: layout, attributes: attributes)
    }

    @Test func allSamplesAreVisibleWithoutACrop() throws {
        let format = try format { _ in }
        #expect(format.visibleRect == PixelRect(x: 0, y: 0, width: 100, height: 60))
        #expect(format.orientedSize == PixelSize(width: 100, height: 60))
        #expect(format.displaySize == PixelSize(width: 100, height: 60))
    }

    @Test func cropLimitsTheVisibleSamples() throws {
        let format = try format { $0.crop = PictureCrop(left: 4, top: 2, right: 6, bottom: 8) }
        #expect(format.visibleRect == PixelRect(x: 4, y: 2, width: 90, height: 50))
        #expect(format.orientedSize == PixelSize(width: 90, height: 50))
    }

    @Test func aPartOfTheCroppedPictureIsOffsetByTheCrop() throws {
        let format = try format { $0.crop = PictureCrop(left: 4, top: 2, right: 0, bottom: 0) }
        #expect(
            format.decodedRect(of: PixelRect(x: 1, y: 3, width: 5, height: 7))
                == PixelRect(x: 5, y: 5, width: 5, height: 7))
    }

    @Test func aPartOfATransposedPictureHasSwappedSides() throws {
        let format = try format {
            $0.orientation = PictureOrientation(transposes: true, mirrorsX: false, mirrorsY: false)
        }
        #expect(format.orientedSize == PixelSize(width: 60, height: 100))
        #expect(
            format.decodedRect(of: PixelRect(x: 10, y: 20, width: 5, height: 7))
                == PixelRect(x: 20, y: 10, width: 7, height: 5))
    }

    @Test(arguments: 0..<8)
    func wholeOrientedPictureMapsToAllVisibleSamples(_ orientation: UInt8) throws {
        let format = try format {
            $0.orientation = PictureOrientation(rawValue: orientation) ?? .upright
            $0.crop = PictureCrop(left: 3, top: 5, right: 1, bottom: 2)
        }
        let wholePicture = PixelRect(x: 0, y: 0, width: format.orientedSize.width, height: format.orientedSize.height)
        #expect(format.decodedRect(of: wholePicture) == format.visibleRect)
    }
}
