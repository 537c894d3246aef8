import SharedFrames
import Testing

@testable import SwiftPlayCLI

@Suite struct PictureOptionsTests {
    private func transform(_ arguments: String...) throws -> PictureTransform {
        try PlayOptions.parse(MPVArguments.normalised(arguments + ["a.mp4"])).settings().window.pictureTransform
    }

    @Test func withoutOptionsPicturesAreShownAsTheFileStates() throws { #expect(try transform() == PictureTransform()) }

    @Test(
        arguments: [
            ("0", .added(quarterTurns: 0)), ("90", .added(quarterTurns: 1)), ("180", .added(quarterTurns: 2)),
            ("270", .added(quarterTurns: 3)), ("no", .ignored),
        ] as [(String, PictureTransform.Rotation)])
    func theRotationIsInDegrees(_ text: String, _ rotation: PictureTransform.Rotation) throws {
        #expect(try transform("--video-rotate=\(text)").rotation == rotation)
        // A client can set the value that it reads.
        #expect(PictureTransform.Rotation(parsing: rotation.propertyValue.propertyString) == rotation)
    }

    @Test(
        arguments: [
            ("16:9", .ratio(16.0 / 9)), ("4/3", .ratio(4.0 / 3)), ("2.35", .ratio(2.35)), ("10", .ratio(10)),
            ("0.1", .ratio(0.1)), ("no", .squareSamples), ("0", .squareSamples), ("-1", .stated),
        ] as [(String, PictureTransform.AspectRatio)])
    func theAspectRatioIsANumberOrAFraction(_ text: String, _ ratio: PictureTransform.AspectRatio) throws {
        #expect(try transform("--video-aspect-override=\(text)").aspectRatio == ratio)
    }

    @Test func theNegatedOptionsIgnoreTheFile() throws {
        let transform = try transform("--no-video-rotate", "--no-video-aspect-override")
        #expect(transform.rotation == .ignored && transform.aspectRatio == .squareSamples)
    }

    @Test(arguments: [
        "--video-rotate=45", "--video-rotate=360", "--video-rotate=-90", "--video-rotate=left", "--video-rotate=",
        "--video-aspect-override=wide", "--video-aspect-override=16:", "--video-aspect-override=16:9:1",
        "--video-aspect-override=4:0", "--video-aspect-override=0:0", "--video-aspect-override=nan",
        "--video-aspect-override=-2", "--video-aspect-override=10.5", "--video-aspect-override=0.05",
        "--video-aspect-override=",
    ])
    func invalidValuesAreRejected(_ argument: String) {
        #expect(throws: (any Error).self) { try transform(argument) }
    }
}
