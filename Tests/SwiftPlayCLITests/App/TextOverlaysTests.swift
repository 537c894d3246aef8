import SharedFrames
import Subtitles
import SwiftPlayKit
import SystemCalls
import Testing

import enum TestSupport.Deadline

@testable import SwiftPlayCLI

/// Tests the texts that clients draw over the picture, and the command `osd-overlay`.
@Suite struct TextOverlaysTests {
    private let overlays: TextOverlays
    private let target: PlayerTarget
    private let square = "{\\an7\\bord0\\pos(100,200)\\p1}m 0 0 l 50 0 50 50 0 50"

    init() throws {
        var configuration = Player.Configuration()
        configuration.audioOutput = .none
        let player = try Player(configuration: configuration)
        target = PlayerTarget(player: player, layer: nil, settings: try PlayOptions.parse(["film.mkv"]).settings())
        overlays = target.textOverlays
    }

    /// Executes the command with named arguments for a client.
    @discardableResult
    private func run(_ arguments: [String: JSONValue], client: String = "ipc_0") throws(IPCError) -> JSONValue? {
        var members = arguments
        members["name"] = "osd-overlay"
        let command = IPCCommand(named: members, argumentNames: PlayerCommand.parameterNames(of:))
        guard let command else { throw .invalidParameter }
        return try target.run(command.name, command.arguments, client: client)
    }

    @Test func namedArgumentsReachTheEntry() throws {
        let result = try run([
            "id": 3, "format": "ass-events", "data": "a", "res_x": 100, "res_y": "50", "z": -2, "hidden": true,
        ])
        #expect(result == [:])
        #expect(
            overlays.entries == [
                TextOverlays.Entry(
                    client: "ipc_0", id: 3,
                    overlay: TextOverlay(text: "a", scriptSize: PixelSize(width: 100, height: 50)), z: -2,
                    isHidden: true)
            ])
        try run(["id": 3, "format": "ass-events", "data": "b"])
        #expect(overlays.entries.map(\.overlay.text) == ["b"])
        #expect(overlays.entries.map(\.overlay.scriptSize) == [PixelSize(width: 0, height: 720)])
    }

    @Test func eachClientNumbersItsOwnTexts() throws {
        try run(["id": 1, "format": "ass-events", "data": "a", "z": 1])
        try run(["id": 1, "format": "ass-events", "data": "b"], client: "ipc_1")
        try run(["id": 2, "format": "ass-events", "data": "c"])
        #expect(overlays.entries.map(\.overlay.text) == ["b", "c", "a"])
        try run(["id": 1, "format": "none", "data": ""])
        #expect(overlays.entries.map(\.overlay.text) == ["b", "c"])
        target.clientDidDisconnect("ipc_0")
        #expect(overlays.entries.map(\.overlay.text) == ["b"])
    }

    /// Arguments that are incomplete or invalid, as JSON.
    private static let invalidArguments = [
        #"{"format": "ass-events", "data": "a"}"#, #"{"id": 1, "data": "a"}"#, #"{"id": 1, "format": "none"}"#,
        #"{"id": 1, "format": "png", "data": "a"}"#, #"{"id": 1.5, "format": "ass-events", "data": "a"}"#,
        #"{"id": 1, "format": "ass-events", "data": 1}"#, #"{"id": 1, "format": "ass-events", "data": "a", "x": 1}"#,
        #"{"id": 1, "format": "ass-events", "data": "a", "hidden": "maybe"}"#,
    ]

    @Test(arguments: invalidArguments)
    func invalidArgumentsAreRejected(_ text: String) throws {
        guard case .object(let arguments)? = JSONParser.value(in: Array(text.utf8)[...]) else {
            Issue.record("\(text) is no object")
            return
        }
        #expect(throws: IPCError.invalidParameter) { try run(arguments) }
        #expect(overlays.entries.isEmpty)
    }

    @Test func textsThatExceedALimitAreRejected() throws {
        let lines = String(repeating: "\n", count: TextOverlays.lineLimit)
        let longText = String(repeating: "a", count: TextOverlays.byteLimit + 1)
        for text in [lines, longText] {
            #expect(throws: IPCError.outOfMemory) { try run(["id": 1, "format": "ass-events", "data": .string(text)]) }
        }
        for id in 0..<TextOverlays.entryLimit {
            try run(["id": .int(Int64(id)), "format": "ass-events", "data": "a"])
        }
        #expect(throws: IPCError.outOfMemory) { try run(["id": -1, "format": "ass-events", "data": "a"]) }
        try run(["id": 0, "format": "ass-events", "data": "b"])
        #expect(overlays.entries.count == TextOverlays.entryLimit)
    }

    @Test func boundsAreInPixelsOfTheScript() throws {
        let bounds = try run(["id": 1, "format": "ass-events", "data": .string(square), "compute_bounds": true])
        guard case .object(let members)? = bounds else {
            Issue.record("\(String(describing: bounds)) is no object")
            return
        }
        // libass draws into bitmaps that are somewhat larger than the drawing.
        let numbers = ["x0", "y0", "x1", "y1"].compactMap { members[$0]?.numberValue }
        for (number, expected) in zip(numbers, [90.0...100, 190...200, 150...170, 250...270]) {
            #expect(expected.contains(number), "\(numbers)")
        }
        #expect(numbers.count == 4)
        let nothing = try run(["id": 1, "format": "ass-events", "data": "", "compute_bounds": true])
        #expect(nothing == [:])
    }

    @Test func picturesAreDrawnOncePerChangeAndSize() throws {
        let size = PixelSize(width: 640, height: 360), drawings = Monitor(0)
        func images() -> Int { overlays.images(for: size) { drawings.update { $0 += 1 } }.count }
        func waitForDrawing(_ number: Int) {
            #expect(drawings.wait(until: Deadline.after(.seconds(30))) { $0 == number ? true : nil } == true)
        }
        #expect(images() == 0)
        try run(["id": 1, "format": "ass-events", "data": .string(square)])
        #expect(images() == 0)
        waitForDrawing(1)
        #expect(images() == 1 && images() == 1)
        // The old pictures stay until the new ones are drawn.
        try run(["id": 1, "format": "ass-events", "data": .string(square), "hidden": true])
        #expect(images() == 1)
        waitForDrawing(2)
        #expect(images() == 0)
        try run(["id": 1, "format": "none", "data": ""])
        #expect(images() == 0 && drawings.withLock { $0 } == 2)
    }
}
