import Glibc
import SharedFrames
import SystemCalls
import TestSupport
import Testing

@testable import VideoOutput

extension TerminalSessionTests {
    /// A terminal on which another process draws too.
    @Suite(.serialized) struct TerminalSharingTests {
        private let log = EventLog()
        private let picture = PixelSize(width: 320, height: 180)

        private func output(_ terminal: PseudoTerminal, _ share: TerminalShare) throws -> TerminalOutput {
            try TerminalOutput(terminal: try terminal.session(share: share), mode: .symbols) { [log] in log.add($0) }
        }

        /// Reads what is written meanwhile: a terminal that nobody reads is full soon.
        private func isSoon(_ terminal: PseudoTerminal, _ condition: () -> Bool) -> Bool {
            Deadline.poll(for: .seconds(10)) { () -> Bool? in
                _ = terminal.read()
                return condition() ? true : nil
            } ?? false
        }

        @Test func aCornerIsGivenAndComesBackWithThePicture() throws {
            let terminal = try PseudoTerminal(), share = try TerminalShare(),
                other = try TerminalShare(received: share.descriptor.raw)
            let output = try output(terminal, share), given = EventLog()
            #expect(output.openCorner(for: picture) { given.add(.redrawNeeded) })
            output.showPlaceholder("elsewhere")
            #expect(terminal.read(until: "elsewhere").contains("elsewhere"))
            #expect(given.has { $0 == .redrawNeeded })
            let place = try #require(other.place)
            #expect(place.cells == TerminalCorner.cells(of: TerminalGeometry(columns: 120, rows: 34), picture: picture))
            output.closeCorner()
            output.prepare(try makeFrame())
            output.present()
            output.setTitle("end")
            #expect(terminal.read(until: "end").contains("\u{18}\u{1b}\\\u{1b}[?2026h"))
            #expect(other.place == nil)
            #expect(other.tryLock())
            output.close()
        }

        @Test func itFollowsTheSize() throws {
            let terminal = try PseudoTerminal(), share = try TerminalShare(),
                other = try TerminalShare(received: share.descriptor.raw)
            let output = try output(terminal, share)
            #expect(output.openCorner(for: picture) {})
            #expect(isSoon(terminal) { other.place != nil })
            terminal.resize(columns: 80, rows: 24)
            kill(getpid(), SIGWINCH)
            #expect(log.has { $0 == .redrawNeeded })
            let cells = try #require(
                TerminalCorner.cells(of: TerminalGeometry(columns: 80, rows: 24), picture: picture))
            #expect(isSoon(terminal) { other.place?.cells == cells })
            terminal.resize(columns: 30, rows: 24)
            kill(getpid(), SIGWINCH)
            // Too small.
            #expect(isSoon(terminal) { other.place == nil })
            #expect(!output.openCorner(for: picture) {})
            output.close()
        }

        @Test func whoeverPutsTheTerminalBackTakesTheCellsFirst() throws {
            let terminal = try PseudoTerminal(), share = try TerminalShare(),
                other = try TerminalShare(received: share.descriptor.raw)
            let output = try output(terminal, share)
            #expect(output.openCorner(for: picture) {})
            #expect(isSoon(terminal) { other.place != nil })
            TerminalRestorer.restoreNow()
            #expect(other.place == nil)
            #expect(other.tryLock(), "its turn is over")
            other.unlock()
            output.showMessage("to nobody")
            output.close()
            #expect(other.place == nil)
        }

        @Test func anotherThatHangsIsGoneRoundAtTheEnd() throws {
            let terminal = try PseudoTerminal(), share = try TerminalShare(),
                other = try TerminalShare(received: share.descriptor.raw)
            let before = terminal.modes
            let output = try output(terminal, share)
            #expect(output.openCorner(for: picture) {})
            #expect(isSoon(terminal) { other.place != nil })
            #expect(isSoon(terminal) { other.tryLock() })
            output.showPlaceholder("waits for its turn")
            output.close()
            #expect(terminal.modes.c_lflag == before.c_lflag)
            #expect(terminal.read(until: "\u{1b}[23;0t").hasSuffix("\u{1b}[?1049l\u{1b}[23;0t"))
            #expect(other.place == nil)
        }
    }
}
