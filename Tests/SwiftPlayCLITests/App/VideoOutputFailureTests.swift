import SwiftPlayKit
import Testing

@testable import SwiftPlayCLI

@Suite struct VideoOutputFailureTests {
    @Test(arguments: [
        ("terminal", PlayerWindow.TerminalGraphics.automatic), ("tct", .halfBlocks), ("tct", .halfBlocks256),
        ("sixel", .sixel), ("kitty", .kitty),
    ])
    func aMissingTerminalIsNamed(_ name: String, _ graphics: PlayerWindow.TerminalGraphics) {
        let reason = "the terminal cannot be used: isatty: Inappropriate ioctl for device"
        #expect(
            VideoOutputFailure.message(reason, output: .terminal(graphics), isTerminal: false)
                == "--vo=\(name) needs a terminal on standard output; use --vo=null")
    }

    @Test func aTerminalThatCannotPlaceItsCursorIsNamed() {
        let reason = "the terminal cannot be used: isatty: Inappropriate ioctl for device"
        #expect(
            VideoOutputFailure.message(reason, output: .terminal(.automatic), isTerminal: true, isDumb: true)
                == "--vo=terminal needs a terminal that can place its cursor; check TERM, or use --vo=null")
    }

    @Test func anotherFailureOfATerminalKeepsItsReason() {
        let reason = "the terminal cannot be used: tcgetattr: Input/output error"
        #expect(VideoOutputFailure.message(reason, output: .terminal(.automatic), isTerminal: true) == reason)
    }

    @Test func aMissingDisplayNamesTheOptionsWithoutADisplay() {
        #expect(
            VideoOutputFailure.message("cannot connect to the X display :77", output: .x11, isTerminal: false)
                == "cannot connect to the X display :77; check DISPLAY, or use --vo=terminal or --vo=null")
    }

    @Test(arguments: ["no X display is set: set DISPLAY", "the X display has no screen"])
    func otherFailuresOfADisplayKeepTheirReason(_ reason: String) {
        #expect(VideoOutputFailure.message(reason, output: .x11, isTerminal: true) == reason)
    }
}
