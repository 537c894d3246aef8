import SharedFrames
import SwiftPlayKit
import Testing

@testable import SwiftPlayCLI

/// Tests the properties of the rotation and the aspect ratio that the user sets.
@Suite struct PropertiesPictureTests {
    private let player: Player
    private let target: PlayerTarget

    init() throws {
        var configuration = Player.Configuration()
        configuration.audioOutput = .none
        player = try Player(configuration: configuration)
        target = PlayerTarget(player: player, layer: nil, settings: try PlayOptions.parse(["film.mkv"]).settings())
    }

    private static let rotations: [(JSONValue, JSONValue)] = [
        (90, 90), ("270", 270), ("no", false), (false, false), (180.0, 180), (0, 0),
    ]

    @Test(arguments: rotations)
    func theRotationCanBeSetAndRead(_ value: JSONValue, _ result: JSONValue) throws {
        try target.setProperty("video-rotate", value)
        #expect(try target.getProperty("video-rotate") == result)
    }

    private static let aspectRatios: [(JSONValue, JSONValue)] = [
        ("4:3", .double(4.0 / 3)), (2.35, 2.35), (1, 1.0), ("no", 0.0), (0, 0.0), (-1, -1.0), ("-1.0", -1.0),
    ]

    @Test(arguments: aspectRatios)
    func theAspectRatioCanBeSetAndRead(_ value: JSONValue, _ result: JSONValue) throws {
        try target.setProperty("video-aspect-override", value)
        #expect(try target.getProperty("video-aspect-override") == result)
    }

    private static let invalidValues: [(String, JSONValue)] = [
        ("video-rotate", 45), ("video-rotate", 360), ("video-rotate", true), ("video-rotate", [90]),
        ("video-aspect-override", "wide"), ("video-aspect-override", 11), ("video-aspect-override", .null),
    ]

    @Test(arguments: invalidValues)
    func anInvalidValueChangesNothing(_ name: String, _ value: JSONValue) throws {
        try target.setProperty("video-rotate", 90)
        try target.setProperty("video-aspect-override", 2)
        #expect(throws: IPCError.propertyFormat) { try target.setProperty(name, value) }
        #expect(player.pictureTransform.rotation == .added(quarterTurns: 1))
        #expect(player.pictureTransform.aspectRatio == .ratio(2))
    }

    @Test func aKeyCanCycleThroughRatios() throws {
        let arguments: [JSONValue] = ["video-aspect-override", "16:9", "4:3", "2.35", "-1"]
        for ratio in [16.0 / 9, 4.0 / 3, 2.35, -1, 16.0 / 9] {
            _ = try target.run("cycle-values", arguments)
            #expect(try target.getProperty("video-aspect-override") == .double(ratio))
        }
    }

    @Test func commandsTurnThePictureFurther() throws {
        for angle in [90, 180, 270, 0, 90] {
            _ = try target.run("cycle", ["video-rotate"])
            #expect(try target.getProperty("video-rotate") == .int(Int64(angle)))
        }
        _ = try target.run("cycle-values", ["video-rotate", "90", "180"])
        #expect(try target.getProperty("video-rotate") == 180)
        _ = try target.run("add", ["video-rotate", 90])
        #expect(try target.getProperty("video-rotate") == 270)
    }
}
