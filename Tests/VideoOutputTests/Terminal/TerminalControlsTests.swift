import Testing

@testable import VideoOutput

@Suite struct TerminalControlsTests {
    private let controls = TerminalControls(state: .playing, time: "0:30", duration: "1:00", playedFraction: 0.5)

    @Test func theBarFillsTheLine() {
        #expect(controls.line(columns: 22, isASCII: false) == "▶ 0:30 ━━━━━───── 1:00")
        #expect(controls.line(columns: 22, isASCII: true) == "> 0:30 =====----- 1:00")
    }

    @Test func aNarrowLineHasNoBar() {
        #expect(controls.line(columns: 15, isASCII: false) == "▶ 0:30")
    }

    @Test(arguments: [
        (TerminalControls.State.playing, "> 0:00"), (.paused, "|| 0:00"), (.buffering, "... 0:00"),
    ])
    func aLineWithoutADurationHasNoBar(_ state: TerminalControls.State, _ line: String) {
        let controls = TerminalControls(state: state, time: "0:00", duration: "", playedFraction: 0)
        #expect(controls.line(columns: 40, isASCII: true) == line)
    }

    @Test(arguments: [-1.0, 2])
    func thePlayedFractionIsClamped(_ fraction: Double) {
        let controls = TerminalControls(state: .playing, time: "0:00", duration: "0:01", playedFraction: fraction)
        #expect(controls.line(columns: 20, isASCII: true).count == 20)
    }

    @Test(
        "the line has at most the width of its row", arguments: [TerminalControls.State.playing, .paused, .buffering])
    func lineNeverExceedsItsRow(_ state: TerminalControls.State) {
        for duration in ["", "1:00:00"] {
            let controls = TerminalControls(state: state, time: "0:30", duration: duration, playedFraction: .nan)
            for columns in -2...40 {
                for isASCII in [false, true] {
                    #expect(controls.line(columns: columns, isASCII: isASCII).count <= max(0, columns))
                }
            }
        }
    }
}
