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

    /// Returns a frame of a picture.
    private func frame(_ format: FrameFormat) throws -> VideoFrame {
        VideoFrame(
            id: VideoFrame.makeID(), buffer: try FrameBuffer(unpooledSize: format.layout.requiredSize), format: format,
            presentationTime: 5, duration: 6, streamTime: 7, generation: 8)
    }

    @Test func aFrameWhoseFormatStaysIsReturnedItself() throws {
        let frame = try frame(format(64, 36))
        #expect(frame.displayed(with: PictureTransform()) === frame)
        #expect(frame.displayed(with: PictureTransform(), isNew: true) === frame)
    }

    @Test func transformsOfAFrameReplaceEachOther() throws {
        let frame = try frame(format(64, 36))
        var transform = PictureTransform()
        transform.rotation = .added(quarterTurns: 1)
        let turned = frame.displayed(with: transform)
        #expect(turned.format.orientedSize == PixelSize(width: 36, height: 64) && turned.id == frame.id)
        #expect(turned.displayed(with: transform) === turned, "the rotation is not applied twice")
        #expect(turned.displayed(with: PictureTransform()).format == frame.format)
    }

    @Test func aFrameThatIsShownAgainGetsANewNumberAndKeepsItsTimes() throws {
        let frame = try frame(format(64, 36))
        var transform = PictureTransform()
        transform.aspectRatio = .ratio(2)
        let shownAgain = frame.displayed(with: transform, isNew: true)
        #expect(shownAgain.id > frame.id && shownAgain.buffer === frame.buffer)
        #expect((shownAgain.presentationTime, shownAgain.duration) == (5, 6))
        #expect(shownAgain.streamTime == 7 && shownAgain.generation == 8)
        #expect(shownAgain.decodedFormat == frame.format && shownAgain.format != frame.format)
    }

    @Test(arguments: [Int.min, Int.max, -5, 1_000_001])
    func anyNumberOfQuarterTurnsIsARotation(_ count: Int) {
        let turned = PictureOrientation.upright.rotatedClockwise(quarterTurns: count)
        #expect(turned == PictureOrientation.upright.rotatedClockwise(quarterTurns: ((count % 4) + 4) % 4))
        #expect(turned.transposes == (count % 2 != 0))
    }
}
