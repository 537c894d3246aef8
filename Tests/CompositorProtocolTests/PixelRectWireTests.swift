import SharedFrames
import Testing
import WireFormat

@testable import CompositorProtocol

@Suite struct PixelRectWireTests {
    /// Returns the bytes of a rectangle in a message.
    private func bytes(_ x: Int, _ y: Int, _ width: Int, _ height: Int) -> [UInt8] {
        var writer = MessageWriter()
        PixelRect(x: x, y: y, width: width, height: height).write(to: &writer)
        return writer.bytes
    }

    /// Decodes a rectangle.
    private func read(_ bytes: [UInt8]) throws(MalformedMessage) -> PixelRect {
        var reader = MessageReader(bytes)
        let rect = try PixelRect(from: &reader)
        try reader.expectEnd()
        return rect
    }

    @Test("A rectangle is encoded as four little-endian words: x, y, width, height")
    func rectangleIsEncodedAsFourLittleEndianWords() {
        #expect(bytes(-2, 1, 258, 3) == [254, 255, 255, 255, 1, 0, 0, 0, 2, 1, 0, 0, 3, 0, 0, 0])
    }

    @Test(
        "The corners of the coordinate space are valid",
        arguments: [(-32_767, -32_767, 1, 1), (32_767, 32_767, 16_384, 16_384), (0, 0, 1, 16_384)])
    func rectanglesAtTheCoordinateLimitsAreValid(_ x: Int, _ y: Int, _ width: Int, _ height: Int) throws {
        #expect(try read(bytes(x, y, width, height)) == PixelRect(x: x, y: y, width: width, height: height))
    }

    @Test(
        "A rectangle outside any screen is malformed",
        arguments: [
            (-32_768, 0, 1, 1), (0, -32_768, 1, 1), (32_768, 0, 1, 1), (0, 32_768, 1, 1), (0, 0, 0, 1), (0, 0, 1, 0),
            (0, 0, 16_385, 1), (0, 0, 1, 16_385), (Int.min, 0, 1, 1), (0, Int.max, 1, 1), (0, 0, -5, 1),
            (0, 0, Int.max, 1),
        ])
    func rectangleOutsideAnyScreenIsMalformed(_ x: Int, _ y: Int, _ width: Int, _ height: Int) {
        #expect(throws: MalformedMessage("a rectangle lies outside any screen")) {
            try read(bytes(x, y, width, height))
        }
    }

    @Test("A rectangle that is cut off is malformed", arguments: [0, 3, 4, 15])
    func truncatedRectangleIsMalformed(_ count: Int) {
        #expect(throws: MalformedMessage("an integer is cut off")) {
            try read(Array(bytes(1, 2, 3, 4).prefix(count)))
        }
    }
}
