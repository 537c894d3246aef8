import Testing

@testable import VideoOutput

@Suite struct TerminalUsageTests {
    /// Returns the text of a control sequence.
    private func text(_ sequence: StaticString) -> String {
        sequence.withUTF8Buffer { String(decoding: $0, as: UTF8.self) }
    }

    @Test("each mode that pictures change is restored afterwards, in the opposite order")
    func picturesRestoreTheModesOfTheTerminal() {
        let enter = text(TerminalUsage.pictures.enterSequence), leave = text(TerminalUsage.pictures.leaveSequence)
        let pairs = [
            ("\u{1b}[22;0t", "\u{1b}[23;0t"), ("\u{1b}[?1049h", "\u{1b}[?1049l"), ("\u{1b}[?25l", "\u{1b}[?25h"),
            ("\u{1b}[?7l", "\u{1b}[?7h"),
        ]
        let enterPositions = pairs.map { enter.firstRange(of: $0.0)?.lowerBound }
        let leavePositions = pairs.map { leave.firstRange(of: $0.1)?.lowerBound }
        #expect(!enterPositions.contains(nil) && !leavePositions.contains(nil))
        let enterOffsets = enterPositions.compactMap(\.self), leaveOffsets = leavePositions.compactMap(\.self)
        #expect(enterOffsets == enterOffsets.sorted() && leaveOffsets == leaveOffsets.sorted().reversed())
    }

    @Test("a console changes no modes, and only a status line is removed")
    func consoleChangesNoModes() {
        for readsKeys in [false, true] {
            for drawsStatus in [false, true] {
                let usage = TerminalUsage.console(readsKeys: readsKeys, drawsStatus: drawsStatus)
                #expect(text(usage.enterSequence).isEmpty && usage.isConsole && usage.readsKeys == readsKeys)
                #expect(text(usage.leaveSequence) == (drawsStatus ? "\u{18}\u{1b}[0m\r\u{1b}[J" : ""))
            }
        }
        #expect(TerminalUsage.pictures.readsKeys && !TerminalUsage.pictures.isConsole)
    }
}
