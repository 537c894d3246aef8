import Glibc
import SharedFrames
import SystemCalls
import Testing

@testable import VideoOutput

extension TerminalSessionTests {
    @Suite(.serialized) struct TerminalOutputTests {
        private let log = EventLog()
        /// Returns a video output that draws on a terminal and logs its events.
        private func output(_ terminal: PseudoTerminal, _ mode: TerminalMode = .symbols) throws -> TerminalOutput {
            try TerminalOutput(terminal: try terminal.session(), mode: mode) { [log] in log.add($0) }
        }

        @Test func onlyChangedPicturesAreDrawn() throws {
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
            #expect(log.allEvents.isEmpty)
        }

        @Test func aStalledTerminalDoesNotBlockPresent() throws {
            let terminal = try PseudoTerminal()
            let settingsBefore = terminal.settings
            let output = try output(terminal)
            // The test does not read the terminal, so the output blocks: one picture is being written, one is queued,
            // and the others are dropped.
            for seed in 0..<40 {
                output.prepare(try makeFrame(seed: UInt32(seed)))
                #expect(output.present() != nil)
            }
            #expect(output.statistics.droppedPictureCount >= 38)
            #expect(output.statistics.writtenPictureCount == 0)
            output.showMessage("kept")
            output.setTitle("kept too\u{1b}")
            // When the test reads the terminal again, the newest picture, the message and the title arrive.
            #expect(terminal.read(until: "\u{1b}]2;kept too\u{1b}\\").contains("kept\u{1b}[?2026l"))
            for seed in 0..<5 {
                output.prepare(try makeFrame(seed: UInt32(seed)))
                output.present()
            }
            // The test stops reading again, and the output is closed while a picture is being written.
            output.close()
            #expect(terminal.settings.c_lflag == settingsBefore.c_lflag)
            #expect(terminal.read().hasSuffix("\u{1b}[?1049l\u{1b}[23;0t"))
        }

        @Test func keysAreReportedAndRepliesAreHandled() throws {
            let terminal = try PseudoTerminal()
            let output = try output(terminal, .automatic)
            _ = terminal.read(until: "\u{1b}[c")
            #expect(output.currentMode == .symbols)
            terminal.type("p\u{1b}[D")
            #expect(log.waitForEvent { $0 == .key("LEFT") })
            #expect(log.allEvents == [.key("p"), .key("LEFT")])
            terminal.type("\u{1b}")
            #expect(log.waitForEvent { $0 == .key("ESC") })
            terminal.type("\u{1b}_Gi=31;OK\u{1b}\\\u{1b}[?62;4c")
            #expect(log.waitForEvent { $0 == .redrawNeeded })
            #expect(output.currentMode == .kitty)
            output.prepare(try makeFrame())
            output.present()
            #expect(terminal.read(until: "m=0;").contains("\u{1b}_Ga=T,f=24"))
            output.close()
        }

        @Test func changedTerminalSizeIsReported() throws {
            let terminal = try PseudoTerminal()
            let output = try output(terminal)
            #expect(output.size == PixelSize(width: 960, height: 528))
            terminal.resize(columns: 60, rows: 20)
            kill(getpid(), SIGWINCH)
            #expect(log.waitForEvent { $0 == .resized(PixelSize(width: 480, height: 304)) })
            #expect(output.size == PixelSize(width: 480, height: 304))
            output.prepare(try makeFrame(level: 200))
            output.present()
            output.showMessage("below")
            #expect(terminal.read(until: "below").contains("\u{1b}[20;1H"))
            output.close()
        }

        @Test func redrawIsRequestedAfterSIGCONT() throws {
            let terminal = try PseudoTerminal()
            let output = try output(terminal)
            output.showPlaceholder("Picture in Picture")
            #expect(terminal.read(until: "\u{1b}[?2026l").contains("Picture in Picture"))
            kill(getpid(), SIGCONT)
            #expect(log.waitForEvent { $0 == .redrawNeeded })
            #expect(terminal.read(until: "Picture in Picture").contains("\u{1b}[?1049h"))
            output.close()
        }

        @Test func aHangUpOfTheTerminalIsReported() throws {
            var terminal: PseudoTerminal? = try PseudoTerminal()
            let output = try output(try #require(terminal))
            terminal = nil
            #expect(log.waitForEvent { if case .lost = $0 { true } else { false } })
            output.prepare(try makeFrame())
            output.present()
            output.showMessage("not shown")
            output.close()
            #expect(log.allEvents.count == 1)
        }

        @Test func theOutputCanBeClosedFromAnEventHandler() throws {
            let terminal = try PseudoTerminal()
            let closedLog = EventLog()
            let outputReference = Monitor<TerminalOutput?>(nil)
            let output = try TerminalOutput(terminal: try terminal.session(), mode: .symbols) { event in
                outputReference.withLock { $0 }?.close()
                closedLog.add(event)
            }
            outputReference.withLock { $0 = output }
            terminal.type("q")
            #expect(closedLog.waitForEvent { $0 == .key("q") })
            #expect(terminal.read(until: "\u{1b}[23;0t").contains("\u{1b}[?1049l"))
            outputReference.withLock { $0 = nil }
        }

        @Test(arguments: [
            ("xterm", TerminalDetail.quick), ("xterm-256color", .quick), ("xterm-256color", .fine), ("linux", .quick),
        ])
        func picturesAreDrawnInEachColourMode(_ term: String, _ detail: TerminalDetail) throws {
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

        @Test func sixelPicturesAreDrawn() throws {
            let terminal = try PseudoTerminal(columns: 20, rows: 8)
            let output = try output(terminal, .sixel)
            output.prepare(try makeFrame())
            output.present()
            #expect(terminal.read(until: "\u{1b}[?2026l").contains("\u{1b}P0;1;0q"))
            output.close()
        }
    }
}
