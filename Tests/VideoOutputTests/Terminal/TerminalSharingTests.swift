import Glibc
import SharedFrames
import SystemCalls
import TestSupport
import Testing

@testable import VideoOutput

extension TerminalSessionTests {
    /// Tests of a terminal on which the player and the compositor draw.
    @Suite(.serialized) struct TerminalSharingTests {
        private let log = EventLog()
        /// The size of the video that the compositor draws.
        private let picture = PixelSize(width: 320, height: 180)

        /// Returns a terminal output of the player, which lets the compositor draw on a part of the same terminal.
        private func output(_ terminal: PseudoTerminal, _ share: SharedTerminalMemory) throws -> TerminalOutput {
            try TerminalOutput(terminal: try terminal.session(share: share), mode: .symbols) { [log] in log.add($0) }
        }

        /// Polls `condition` for up to ten seconds, and returns whether it became true. Reads the terminal meanwhile,
        /// because a full terminal blocks the thread that writes to it.
        private func becomesTrue(_ terminal: PseudoTerminal, _ condition: () -> Bool) -> Bool {
            Deadline.poll(for: .seconds(10)) { () -> Bool? in
                _ = terminal.read()
                return condition() ? true : nil
            } ?? false
        }

        @Test func thePlayerGivesACornerToTheCompositorAndTakesItBackForAPicture() throws {
            let terminal = try PseudoTerminal(), share = try SharedTerminalMemory(),
                other = try SharedTerminalMemory(received: share.descriptor.raw)
            let output = try output(terminal, share), given = EventLog()
            #expect(output.openCorner(for: picture) { given.add(.redrawNeeded) })
            output.showPlaceholder("elsewhere")
            #expect(terminal.read(until: "elsewhere").contains("elsewhere"))
            #expect(given.waitForEvent { $0 == .redrawNeeded })
            let region = try #require(other.region)
            let geometry = TerminalGeometry(columns: 120, rows: 34)
            #expect(region.cells == TerminalCorner.cells(of: geometry, picture: picture))
            output.closeCorner()
            output.prepare(try makeFrame())
            output.present()
            output.setTitle("end")
            #expect(terminal.read(until: "end").contains("\u{18}\u{1b}\\\u{1b}[?2026h"))
            #expect(other.region == nil)
            #expect(other.tryLock())
            output.close()
        }

        @Test func theCornerFollowsTheTerminalSize() throws {
            let terminal = try PseudoTerminal(), share = try SharedTerminalMemory(),
                other = try SharedTerminalMemory(received: share.descriptor.raw)
            let output = try output(terminal, share)
            #expect(output.openCorner(for: picture) {})
            #expect(becomesTrue(terminal) { other.region != nil })
            terminal.resize(columns: 80, rows: 24)
            kill(getpid(), SIGWINCH)
            #expect(log.waitForEvent { $0 == .redrawNeeded })
            let cells = try #require(
                TerminalCorner.cells(of: TerminalGeometry(columns: 80, rows: 24), picture: picture))
            #expect(becomesTrue(terminal) { other.region?.cells == cells })
            terminal.resize(columns: 30, rows: 24)
            kill(getpid(), SIGWINCH)
            // The terminal is now too small for a corner in which the compositor can draw.
            #expect(becomesTrue(terminal) { other.region == nil })
            #expect(!output.openCorner(for: picture) {})
            output.close()
        }

        @Test func restoringTheTerminalTakesTheCornerBackFirst() throws {
            let terminal = try PseudoTerminal(), share = try SharedTerminalMemory(),
                other = try SharedTerminalMemory(received: share.descriptor.raw)
            let output = try output(terminal, share)
            #expect(output.openCorner(for: picture) {})
            #expect(becomesTrue(terminal) { other.region != nil })
            TerminalRestorer.restoreNow()
            #expect(other.region == nil)
            #expect(other.tryLock(), "the owner does not hold the lock any more")
            other.unlock()
            output.showMessage("not shown")
            output.close()
            #expect(other.region == nil)
        }

        @Test func closingDoesNotWaitForAHungCompositor() throws {
            let terminal = try PseudoTerminal(), share = try SharedTerminalMemory(),
                other = try SharedTerminalMemory(received: share.descriptor.raw)
            let before = terminal.settings
            let output = try output(terminal, share)
            #expect(output.openCorner(for: picture) {})
            #expect(becomesTrue(terminal) { other.region != nil })
            #expect(becomesTrue(terminal) { other.tryLock() })
            output.showPlaceholder("waits for its turn")
            output.close()
            #expect(terminal.settings.c_lflag == before.c_lflag)
            #expect(terminal.read(until: "\u{1b}[23;0t").hasSuffix("\u{1b}[?1049l\u{1b}[23;0t"))
            #expect(other.region == nil)
        }
    }
}
