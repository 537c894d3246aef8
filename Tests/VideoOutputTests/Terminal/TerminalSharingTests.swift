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
        private func output(_ terminal: PseudoTerminal, _ sharedMemory: SharedTerminalMemory) throws -> TerminalOutput {
            let session = try terminal.session(share: sharedMemory)
            return try TerminalOutput(terminal: session, mode: .symbols) { [log] in log.add($0) }
        }

        /// Polls `condition` for up to ten seconds, and returns whether it became true. Reads the terminal meanwhile,
        /// because a full terminal blocks the thread that writes to it.
        private func becomesTrue(_ terminal: PseudoTerminal, _ condition: () -> Bool) -> Bool {
            Deadline.poll(for: .seconds(10)) { () -> Bool? in
                _ = terminal.read()
                return condition() ? true : nil
            } ?? false
        }

        @Test func theCompositorDrawsInTheCornerUntilThePlayerDrawsAPicture() throws {
            let terminal = try PseudoTerminal(), sharedMemory = try SharedTerminalMemory(),
                compositorMemory = try SharedTerminalMemory(received: sharedMemory.descriptor.raw)
            let output = try output(terminal, sharedMemory), permissionLog = EventLog()
            #expect(output.openCorner(for: picture) { permissionLog.add(.redrawNeeded) })
            output.showPlaceholder("elsewhere")
            #expect(terminal.read(until: "elsewhere").contains("elsewhere"))
            #expect(permissionLog.waitForEvent { $0 == .redrawNeeded })
            let region = try #require(compositorMemory.region)
            let geometry = TerminalGeometry(columns: 120, rows: 34)
            #expect(region.pictureCells == TerminalCorner.cells(of: geometry, picture: picture))
            output.closeCorner()
            output.prepare(try makeFrame())
            output.present()
            output.setTitle("end")
            #expect(terminal.read(until: "end").contains("\u{18}\u{1b}\\\u{1b}[?2026h"))
            #expect(compositorMemory.region == nil)
            #expect(compositorMemory.tryLock())
            output.close()
        }

        @Test func theCornerFollowsTheTerminalSize() throws {
            let terminal = try PseudoTerminal(), sharedMemory = try SharedTerminalMemory(),
                compositorMemory = try SharedTerminalMemory(received: sharedMemory.descriptor.raw)
            let output = try output(terminal, sharedMemory)
            #expect(output.openCorner(for: picture) {})
            #expect(becomesTrue(terminal) { compositorMemory.region != nil })
            terminal.resize(columns: 80, rows: 24)
            kill(getpid(), SIGWINCH)
            #expect(log.waitForEvent { $0 == .redrawNeeded })
            let cells = try #require(
                TerminalCorner.cells(of: TerminalGeometry(columns: 80, rows: 24), picture: picture))
            #expect(becomesTrue(terminal) { compositorMemory.region?.pictureCells == cells })
            terminal.resize(columns: 30, rows: 24)
            kill(getpid(), SIGWINCH)
            // The terminal is now too small for a corner in which the compositor can draw.
            #expect(becomesTrue(terminal) { compositorMemory.region == nil })
            #expect(!output.openCorner(for: picture) {})
            output.close()
        }

        @Test func theCornerReceivesTheTerminalsReplies() throws {
            let terminal = try PseudoTerminal(), sharedMemory = try SharedTerminalMemory(),
                compositorMemory = try SharedTerminalMemory(received: sharedMemory.descriptor.raw)
            let session = try terminal.session(share: sharedMemory)
            let output = try TerminalOutput(terminal: session) { [log] in log.add($0) }
            #expect(output.openCorner(for: picture) {})
            #expect(becomesTrue(terminal) { compositorMemory.region?.style?.mode == .symbols })
            terminal.type("\u{1b}P1$r48;5;16m\u{1b}\\")
            #expect(becomesTrue(terminal) { compositorMemory.region?.style?.colours == .indexed256 })
            terminal.type("\u{1b}[?62;4c")
            #expect(becomesTrue(terminal) { compositorMemory.region?.style?.mode == .sixel })
            output.close()
        }

        @Test func restoringTheTerminalTakesTheCornerBackFirst() throws {
            let terminal = try PseudoTerminal(), sharedMemory = try SharedTerminalMemory(),
                compositorMemory = try SharedTerminalMemory(received: sharedMemory.descriptor.raw)
            let output = try output(terminal, sharedMemory)
            #expect(output.openCorner(for: picture) {})
            #expect(becomesTrue(terminal) { compositorMemory.region != nil })
            TerminalRestorer.restoreNow()
            #expect(compositorMemory.region == nil)
            #expect(compositorMemory.tryLock(), "the player no longer holds the lock")
            compositorMemory.unlock()
            output.showMessage("not shown")
            output.close()
            #expect(compositorMemory.region == nil)
        }

        @Test func closingDoesNotWaitForAHungCompositor() throws {
            let terminal = try PseudoTerminal(), sharedMemory = try SharedTerminalMemory(),
                compositorMemory = try SharedTerminalMemory(received: sharedMemory.descriptor.raw)
            let settingsBefore = terminal.settings
            let output = try output(terminal, sharedMemory)
            #expect(output.openCorner(for: picture) {})
            #expect(becomesTrue(terminal) { compositorMemory.region != nil })
            #expect(becomesTrue(terminal) { compositorMemory.tryLock() })
            output.showPlaceholder("waits for its turn")
            output.close()
            #expect(terminal.settings.c_lflag == settingsBefore.c_lflag)
            #expect(terminal.read(until: "\u{1b}[23;0t").hasSuffix("\u{1b}[?1049l\u{1b}[23;0t"))
            #expect(compositorMemory.region == nil)
        }
    }
}
