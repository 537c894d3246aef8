import SharedFrames
import Testing

@testable import VideoOutput

@Suite struct KittyPlaceholderTests {
    @Test func eachLineStatesItsRow() {
        var bytes = TerminalBytes()
        KittyPlaceholder.draw(PixelRect(x: 4, y: 2, width: 2, height: 2), imageNumber: 70, into: &bytes)
        #expect(
            Array(bytes.bytes)
                == Array(
                    ("\u{1b}[3;5H\u{1b}[38;5;70m\u{10eeee}\u{305}\u{305}\u{10eeee}"
                        + "\u{1b}[4;5H\u{1b}[38;5;70m\u{10eeee}\u{30d}\u{305}\u{10eeee}\u{1b}[0m").utf8))
    }

    @Test func inTmuxThePlaceholdersAreDrawnOnceAndEachPictureIsPassedThrough() {
        let geometry = TerminalGeometry(columns: 20, rows: 6)
        var screen = TerminalScreen(geometry: geometry)
        func draw(_ name: String) -> String {
            let image = TerminalImage(
                bytes: Array("\u{1b}_G\(name)\u{1b}\\".utf8), cells: PixelRect(x: 2, y: 1, width: 5, height: 2),
                geometry: geometry, isKitty: true, passthrough: TerminalPassthrough(multiplexer: .tmux, x: 9, y: 9))
            return String(decoding: screen.draw(.image(image), message: ""), as: UTF8.self)
        }
        let firstOutput = draw("a"), secondOutput = draw("b")
        #expect(firstOutput.contains("\u{1b}Ptmux;\u{1b}\u{1b}_Ga\u{1b}\u{1b}\\\u{1b}\\"))
        #expect(firstOutput.unicodeScalars.count { $0 == "\u{10eeee}" } == 10 && firstOutput.contains("\u{1b}[2;3H"))
        #expect(secondOutput.contains("_Gb") && !secondOutput.unicodeScalars.contains("\u{10eeee}"))
        let cleared = String(
            decoding: screen.draw(.cells(CellGrid(columns: 20, rows: 5, colours: .direct)), message: ""), as: UTF8.self)
        #expect(cleared.contains("\u{1b}Ptmux;\u{1b}\u{1b}_Ga=d,d=I,i="))
    }

    @Test func aSixelImageIsPositionedInThePaneOfTheMultiplexer() {
        let geometry = TerminalGeometry(columns: 20, rows: 6)
        var screen = TerminalScreen(geometry: geometry)
        let image = TerminalImage(
            bytes: Array("SIXEL".utf8), cells: PixelRect(x: 2, y: 1, width: 5, height: 2), geometry: geometry,
            isKitty: false, passthrough: TerminalPassthrough(multiplexer: .tmux, x: 40, y: 10))
        let text = String(decoding: screen.draw(.image(image), message: ""), as: UTF8.self)
        #expect(text.contains("\u{1b}Ptmux;\u{1b}\u{1b}7\u{1b}\u{1b}[12;43HSIXEL\u{1b}\u{1b}8\u{1b}\\"))
        #expect(screen.passedImageDeletion.isEmpty)
    }
}
