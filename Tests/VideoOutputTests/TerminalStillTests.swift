import SharedFrames
import Testing

@testable import VideoOutput

@Suite struct TerminalStillTests {
    private func draw(
        width: Int = 160, height: Int = 90, columns: Int = 32, rows: Int = 9, colour: UInt32 = 0xFF_FF00_00,
        _ environment: [String: String] = ["TERM": "xterm-256color", "COLORTERM": "truecolor"]
    ) -> TerminalStill? {
        TerminalStill(
            [UInt32](repeating: colour, count: width * height), size: PixelSize(width: width, height: height),
            columns: columns, rows: rows, capabilities: TerminalCapabilities { environment[$0] })
    }

    @Test(
        "the picture keeps its shape, with cells that are twice as high as wide",
        arguments: [
            (160, 90, 32, 9, 32, 9), (512, 288, 32, 20, 32, 9), (90, 160, 32, 9, 10, 9), (100, 100, 32, 9, 18, 9),
            (512, 1, 32, 9, 32, 1), (1, 512, 32, 9, 1, 9), (1, 1, 32, 9, 18, 9),
        ])
    func thePictureKeepsItsShape(width: Int, height: Int, columns: Int, rows: Int, newColumns: Int, newRows: Int)
        throws
    {
        let still = try #require(draw(width: width, height: height, columns: columns, rows: rows))
        #expect(still.columns == newColumns && still.lines.count == newRows)
    }

    @Test func eachLineEndsWithTheDefaultColours() throws {
        let still = try #require(draw())
        #expect(still.lines.allSatisfy { $0.hasSuffix("\u{1b}[0m") && $0.hasPrefix("\u{1b}[") })
    }

    @Test(
        "a red picture is red in each kind of colours",
        arguments: [
            (["TERM": "xterm-256color", "COLORTERM": "truecolor"], "48;2;2"), (["TERM": "xterm-256color"], "48;5;"),
            (["TERM": "xterm"], "101"),
        ])
    func thePictureHasTheColoursOfTheTerminal(environment: [String: String], sequence: String) throws {
        let still = try #require(draw(environment))
        #expect(still.lines[0].contains(sequence) || still.lines[0].contains(sequence.replacing("48", with: "38")))
    }

    @Test func anEmptyAreaHasNoPicture() {
        #expect(draw(columns: 0) == nil && draw(rows: 0) == nil && draw(width: 0) == nil)
    }

    @Test func pixelsThatDoNotFillThePictureAreRefused() {
        let capabilities = TerminalCapabilities { _ in "xterm" }
        #expect(
            TerminalStill(
                [1, 2, 3], size: PixelSize(width: 2, height: 2), columns: 4, rows: 4, capabilities: capabilities) == nil
        )
    }
}
