import Testing

@testable import SharedFrames

@Suite struct PictureOrientationTests {
    /// All eight orientations.
    private let allOrientations = (0..<8).compactMap(PictureOrientation.init(rawValue:))

    /// Returns where the sample at (x, y) of a picture of `size` appears after the picture is first transposed and then
    /// mirrored, as ``PictureOrientation`` defines.
    private func displayedPosition(_ x: Int, _ y: Int, _ orientation: PictureOrientation, _ size: PixelSize) -> (
        x: Int, y: Int
    ) {
        let rotatedSize = orientation.transposes ? PixelSize(width: size.height, height: size.width) : size
        var (a, b) = orientation.transposes ? (y, x) : (x, y)
        if orientation.mirrorsX { a = rotatedSize.width - 1 - a }
        if orientation.mirrorsY { b = rotatedSize.height - 1 - b }
        return (a, b)
    }

    @Test func onlyEightOrientationNumbersAreValid() {
        #expect(
            allOrientations.count == 8 && PictureOrientation(rawValue: 8) == nil
                && PictureOrientation(rawValue: 255) == nil)
        #expect(PictureOrientation.upright.rawValue == 0)
    }

    @Test func eachVisiblePixelMapsToItsSample() {
        let size = PixelSize(width: 5, height: 3)
        for orientation in allOrientations {
            for y in 0..<size.height {
                for x in 0..<size.width {
                    let position = displayedPosition(x, y, orientation, size)
                    let sample = orientation.decodedRect(
                        of: PixelRect(x: position.x, y: position.y, width: 1, height: 1), in: size)
                    #expect(sample == PixelRect(x: x, y: y, width: 1, height: 1), "\(orientation.rawValue)")
                }
            }
        }
    }

    @Test(
        arguments: [
            (1, 0, 0, 1, 0), (0, 1, -1, 0, 5), (0, -1, 1, 0, 6), (-1, 0, 0, -1, 3), (-1, 0, 0, 1, 1), (1, 0, 0, -1, 2),
            (0, 1, 1, 0, 4), (0, -1, -1, 0, 7),
        ] as [(Double, Double, Double, Double, UInt8)])
    func aRightAngledMatrixMapsToItsOrientation(
        _ a: Double, _ b: Double, _ c: Double, _ d: Double, _ rawOrientation: UInt8
    ) throws {
        let orientation = PictureOrientation(a: a * 65536, b: b * 65536, c: c * 65536, d: d * 65536)
        #expect(orientation.rawValue == rawOrientation)
        // The orientation moves the corners as the matrix does, apart from a shift back into the picture.
        let size = PixelSize(width: 4, height: 2)
        let corners = [(0, 0), (3, 0), (0, 1), (3, 1)]
        let movedCorners = corners.map { (a * Double($0.0) + c * Double($0.1), b * Double($0.0) + d * Double($0.1)) }
        let left = movedCorners.map(\.0).min() ?? 0, top = movedCorners.map(\.1).min() ?? 0
        for (corner, target) in zip(corners, movedCorners) {
            let position = displayedPosition(corner.0, corner.1, orientation, size)
            #expect(Double(position.x) == target.0 - left && Double(position.y) == target.1 - top)
        }
    }

    @Test func aTiltedMatrixMapsToTheNearestOrientation() {
        #expect(PictureOrientation(a: 0.9, b: 0.4, c: -0.4, d: 0.9).rawValue == 0)
        #expect(PictureOrientation(a: 0.4, b: 0.9, c: -0.9, d: 0.4).rawValue == 5)
    }

    /// Returns a frame format of 720 x 576 samples with the given orientation, crop and sample aspect ratio.
    private func format(_ orientation: UInt8, _ crop: PictureCrop = PictureCrop(), aspect: (Int32, Int32) = (1, 1))
        throws -> FrameFormat
    {
        let gray = try #require(PixelFormat(name: "gray"))
        let layout = try #require(
            FrameLayout(pixelFormat: gray, width: 720, height: 576, planes: [.init(offset: 0, stride: 720)]))
        var attributes = PictureAttributes()
        attributes.orientation = try #require(PictureOrientation(rawValue: orientation))
        (attributes.crop, attributes.sampleAspectNumerator, attributes.sampleAspectDenominator) = (
            crop, aspect.0, aspect.1
        )
        return FrameFormat(layout: layout, attributes: attributes)
    }

    @Test func displaySizeIsCroppedStretchedAndRotated() throws {
        #expect(try format(3).displaySize == PixelSize(width: 720, height: 576))
        #expect(try format(5).displaySize == PixelSize(width: 576, height: 720))
        #expect(try format(5, aspect: (64, 45)).displaySize == PixelSize(width: 576, height: 1024))
        let croppedFormat = try format(6, PictureCrop(left: 8, top: 1, right: 12, bottom: 5), aspect: (64, 45))
        #expect(croppedFormat.visibleRect == PixelRect(x: 8, y: 1, width: 700, height: 570))
        #expect(croppedFormat.orientedSize == PixelSize(width: 570, height: 700))
        #expect(croppedFormat.displaySize == PixelSize(width: 570, height: 996))
        // Orientation 6 rotates anticlockwise: the upper left of the visible picture is the upper right of the samples.
        #expect(
            croppedFormat.decodedRect(of: PixelRect(x: 0, y: 0, width: 10, height: 20))
                == PixelRect(x: 688, y: 1, width: 20, height: 10))
    }

    @Test func aCropThatLeavesNoSamplesIsIgnored() throws {
        let format = try format(0, PictureCrop(left: 400, top: 0, right: 320, bottom: 0))
        #expect(format.displaySize == PixelSize(width: 720, height: 576))
    }
}
