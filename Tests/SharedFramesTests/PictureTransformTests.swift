import Testing

@testable import SharedFrames

@Suite struct PictureTransformTests {
    /// Returns a frame format of a picture.
    private func format(
        _ width: Int, _ height: Int, _ change: (inout PictureAttributes) -> Void = { _ in }
    ) throws -> FrameFormat {
        let gray = try #require(PixelFormat(name: "gray"))
        let layout = try #require(FrameLayout(aligned: gray, width: width, height: height))
        var attributes = PictureAttributes()
        change(&attributes)
        return FrameFormat(layout: layout, attributes: attributes)
    }

    /// Returns the size at which a picture is displayed after the user has set a rotation and an aspect ratio.
    private func displaySize(
        _ format: FrameFormat, _ rotation: PictureTransform.Rotation = .added(quarterTurns: 0),
        _ aspectRatio: PictureTransform.AspectRatio = .stated
    ) -> [Int] {
        var transform = PictureTransform()
        (transform.rotation, transform.aspectRatio) = (rotation, aspectRatio)
        let size = transform.displayedFormat(of: format).displaySize
        return [size.width, size.height]
    }

    @Test func theDefaultTransformKeepsTheFormat() throws {
        let format = try format(64, 36) { attributes in
            attributes.orientation = PictureOrientation(transposes: true, mirrorsX: true, mirrorsY: false)
            (attributes.sampleAspectNumerator, attributes.sampleAspectDenominator) = (4, 3)
        }
        #expect(PictureTransform().displayedFormat(of: format) == format)
    }

    @Test func aQuarterTurnMovesTheUpperLeftCornerToTheUpperRight() {
        let turn = PictureOrientation.upright.rotatedClockwise(quarterTurns: 1)
        let upperRight = turn.decodedRect(
            of: PixelRect(x: 2, y: 0, width: 1, height: 1), in: PixelSize(width: 5, height: 3))
        #expect(upperRight == PixelRect(x: 0, y: 0, width: 1, height: 1))
    }

    @Test(arguments: 0..<8)
    func turnsAddUp(_ rawValue: UInt8) throws {
        let orientation = try #require(PictureOrientation(rawValue: rawValue))
        var turned = orientation
        for count in 0..<9 {
            #expect(orientation.rotatedClockwise(quarterTurns: count) == turned)
            turned = turned.rotatedClockwise(quarterTurns: 1)
        }
        #expect(orientation.rotatedClockwise(quarterTurns: -1) == orientation.rotatedClockwise(quarterTurns: 3))
        #expect(orientation.rotatedClockwise(quarterTurns: 4) == orientation)
    }

    @Test func aRotationFollowsTheRotationOfTheFile() throws {
        let rotated = try format(64, 36) {
            $0.orientation = PictureOrientation.upright.rotatedClockwise(quarterTurns: 1)
        }
        #expect(displaySize(rotated) == [36, 64])
        #expect(displaySize(rotated, .added(quarterTurns: 1)) == [64, 36])
        #expect(displaySize(rotated, .added(quarterTurns: 2)) == [36, 64])
        #expect(displaySize(rotated, .ignored) == [64, 36])
        var transform = PictureTransform()
        transform.rotation = .added(quarterTurns: 3)
        #expect(transform.displayedFormat(of: rotated).attributes.orientation == .upright)
    }

    /// A picture, the ratio of width to height that the user sets, and the displayed size.
    private static let ratios: [(picture: [Int], ratio: Double, size: [Int])] = [
        ([320, 180], 1.7777778, [320, 180]), ([320, 180], 1.5, [320, 213]), ([320, 180], 2.35, [423, 180]),
        ([720, 576], 1.7777778, [1024, 576]), ([1920, 1080], 1.3333333, [1920, 1440]), ([1, 1], 10, [10, 1]),
        ([8, 8], 0.1, [8, 80]), ([8, 8], 1e9, [80, 8]), ([8, 8], -Double.infinity, [8, 8]),
    ]

    @Test(arguments: ratios)
    func aRatioDeterminesTheSize(_ picture: [Int], _ ratio: Double, _ size: [Int]) throws {
        #expect(displaySize(try format(picture[0], picture[1]), .added(quarterTurns: 0), .ratio(ratio)) == size)
    }

    @Test func theRatioIsThatOfTheVisiblePictureBeforeRotation() throws {
        let cropped = try format(320, 200) { $0.crop = PictureCrop(left: 0, top: 20, right: 0, bottom: 0) }
        #expect(displaySize(cropped, .added(quarterTurns: 1), .ratio(1.5)) == [213, 320])
    }

    @Test func theSampleAspectRatioOfTheFileCanBeIgnored() throws {
        let wide = try format(64, 64) {
            ($0.sampleAspectNumerator, $0.sampleAspectDenominator) = (16, 9)
        }
        #expect(displaySize(wide) == [114, 64])
        #expect(displaySize(wide, .added(quarterTurns: 0), .squareSamples) == [64, 64])
        #expect(displaySize(wide, .added(quarterTurns: 0), .ratio(1)) == [64, 64])
    }
}
