import Glibc
import SharedFrames
import SystemCalls
import Testing

@testable import VideoOutput

extension TerminalSessionTests {
    @Suite(.serialized) struct TerminalOutputTests {
        private let log = EventLog()
        private func output(_ terminal: PseudoTerminal, _ mode: TerminalMode = .symbols) throws -> TerminalOutput {
            try TerminalOutput(terminal: try terminal.session(), mode: mode) { [log] in log.add($0) }
        }

        @Test func picturesAreDrawnAndUnchangedOnesAreNot() throws {
            let terminal = try PseudoTerminal()
            let output = try output(terminal)
            #expect(output.present() == nil)
            output.prepare(try makeFrame(seed: 1))
            #expect(output.present() != nil)
            #expect(output.present() == nil)
            let text = terminal.read(until: "\u{1b}[?2026l")
            #expect(text.contains("\u{1b}[38;2;") && text.contains("\u{2580}"))
            output.prepare(try makeFrame(seed: 1))
            output.present()
            output.showMessage("done \u{1b}[5m")
            #expect(
                terminal.read(until: "done [5m\u{1b}[?2026l")
                    == "\u{1b}[?2026h\u{1b}[34;1H\u{1b}[0m\u{1b}[2Kdone [5m\u{1b}[?2026l")
            output.close()
            #expect(output.present() == nil)
            #expect(log.all.isEmpty)
        }

        @Test func aStalledTerminalBlocksNobody() throws {
            let terminal = try PseudoTerminal()
            let before = terminal.modes
            let output = try output(terminal)
            // Nobody reads: one picture is being written, one waits, the others go.
            for seed in 0..<40 {
                output.prepare(try makeFrame(seed: UInt32(seed)))
                #expect(output.present() != nil)
            }
            #expect(output.statistics.dropped >= 38)
            #expect(output.statistics.written == 0)
            output.showMessage("kept")
            output.setTitle("kept too\u{1b}")
            // Once it reads again, what waited comes: the newest picture, the message, the title.
            #expect(terminal.read(until: "\u{1b}]2;kept too\u{1b}\\").contains("kept\u{1b}[?2026l"))
            for seed in 0..<5 {
                output.prepare(try makeFrame(seed: UInt32(seed)))
                output.present()
            }
            // Stalled again, and closed in the middle of a picture.
            output.close()
            #expect(terminal.modes.c_lflag == before.c_lflag)
            #expect(terminal.read().hasSuffix("\u{1b}[?1049l\u{1b}[23;0t"))
        }

        @Test func keysAndAnswersComeThrough() throws {
            let terminal = try PseudoTerminal()
            let output = try output(terminal, .automatic)
            _ = terminal.read(until: "\u{1b}[c")
            #expect(output.currentMode == .symbols)
            terminal.type("p\u{1b}[D")
            #expect(log.has { $0 == .key("LEFT") })
            #expect(log.all == [.key("p"), .key("LEFT")])
            terminal.type("\u{1b}")
            #expect(log.has { $0 == .key("ESC") })
            terminal.type("\u{1b}_Gi=31;OK\u{1b}\\\u{1b}[?62;4c")
            #expect(log.has { $0 == .redrawNeeded })
            #expect(output.currentMode == .kitty)
            output.prepare(try makeFrame())
            output.present()
            #expect(terminal.read(until: "m=0;").contains("\u{1b}_Ga=T,f=24"))
            output.close()
        }

        @Test func changeOfSizeIsSeen() throws {
            let terminal = try PseudoTerminal()
            let output = try output(terminal)
            #expect(output.size == PixelSize(width: 960, height: 528))
            terminal.resize(columns: 60, rows: 20)
            kill(getpid(), SIGWINCH)
            #expect(log.has { $0 == .resized(PixelSize(width: 480, height: 304)) })
            #expect(output.size == PixelSize(width: 480, height: 304))
            output.prepare(try makeFrame(level: 200))
            output.present()
            output.showMessage("below")
            #expect(terminal.read(until: "below").contains("\u{1b}[20;1H"))
            output.close()
        }

        @Test func goingOnDrawsAnew() throws {
            let terminal = try PseudoTerminal()
            let output = try output(terminal)
            output.showPlaceholder("Picture in Picture")
            #expect(terminal.read(until: "\u{1b}[?2026l").contains("Picture in Picture"))
            kill(getpid(), SIGCONT)
            #expect(log.has { $0 == .redrawNeeded })
            #expect(terminal.read(until: "Picture in Picture").contains("\u{1b}[?1049h"))
            output.close()
        }

        @Test func hangUpIsTold() throws {
            var terminal: PseudoTerminal? = try PseudoTerminal()
            let output = try output(try #require(terminal))
            terminal = nil
            #expect(log.has { if case .lost = $0 { true } else { false } })
            output.prepare(try makeFrame())
            output.present()
            output.showMessage("to nobody")
            output.close()
            #expect(log.all.count == 1)
        }

        @Test func closeFromAnEvent() throws {
            let terminal = try PseudoTerminal()
            let closed = EventLog()
            let box = Monitor<TerminalOutput?>(nil)
            let output = try TerminalOutput(terminal: try terminal.session(), mode: .symbols) { event in
                box.withLock { $0 }?.close()
                closed.add(event)
            }
            box.withLock { $0 = output }
            terminal.type("q")
            #expect(closed.has { $0 == .key("q") })
            #expect(terminal.read(until: "\u{1b}[23;0t").contains("\u{1b}[?1049l"))
            box.withLock { $0 = nil }
        }

        @Test(arguments: [
            ("xterm", TerminalDetail.quick), ("xterm-256color", .quick), ("xterm-256color", .fine), ("linux", .quick),
        ])
        func everyKindOfColours(_ term: String, _ detail: TerminalDetail) throws {
            let terminal = try PseudoTerminal(columns: 20, rows: 8)
            let output = try TerminalOutput(
                terminal: try terminal.session(["TERM": term]), mode: .symbols, detail: detail
            ) { _ in }
            output.prepare(try makeFrame())
            #expect(output.present() != nil)
            let text = terminal.read(until: "\u{1b}[?2026l")
            #expect(!text.contains("38;2;"))
            #expect(text.contains("\u{1b}[1;1H") && text.contains("m"))
            output.close()
        }

        @Test func sixels() throws {
            let terminal = try PseudoTerminal(columns: 20, rows: 8)
            let output = try output(terminal, .sixel)
            output.prepare(try makeFrame())
            output.present()
            #expect(terminal.read(until: "\u{1b}[?2026l").contains("\u{1b}P0;1;0q"))
            output.close()
        }
    }
}
