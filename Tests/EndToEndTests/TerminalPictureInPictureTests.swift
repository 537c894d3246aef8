import Foundation
import Glibc
import SystemCalls
import TestSupport
import Testing

/// Tests Picture-in-Picture in a terminal without an X server: the compositor draws the picture in a corner of the
/// terminal, the player draws everything else.
@Suite("Picture-in-Picture in a terminal")
struct TerminalPictureInPictureTests {
    @Test("p moves the picture to a corner and back, and no cell is written by both processes")
    func keyMovesThePictureToACornerAndBack() async throws {
        try await TestEnvironment.runExclusively {
            let player = try TerminalPlayer(), (pty, screen, ipc) = (player.pty, player.screen, player.ipc)
            let frameBefore = try screen.waitForFrame { $0 > 10 }
            pty.type("p")
            let firstFrame = try screen.waitForFrameInCorner()
            #expect(firstFrame >= frameBefore)
            try screen.wait("the placeholder") { $0.text.contains("Playing in Picture-in-Picture") ? true : nil }
            #expect(TerminalWatcher.frameNumberOnWholeScreen(screen.snapshot) == nil)
            try ipc.waitForProperty("picture-in-picture") { $0 == true }
            // During Picture-in-Picture, the player still writes messages to the terminal.
            pty.type("m")
            try screen.wait("a message") { $0.text.contains("muted") ? true : nil }
            let lastFrame = try screen.waitForFrameInCorner { $0 > firstFrame + 40 }
            try screen.wait("20 pictures") { $0.compositorPictureCount > 20 ? true : nil }
            let snapshot = screen.snapshot, area = try #require(snapshot.compositorArea)
            #expect(snapshot.sharedCellCount == 0)
            #expect(!snapshot.playerCells.isEmpty)
            #expect(
                area.width >= 20 && area.width <= 40 && area.x + area.width <= 118 && area.y + area.height <= 33,
                "\(area)")
            #expect(snapshot.faults == [])

            pty.type("p")
            let returnFrame = try screen.waitForFrame { $0 >= lastFrame }
            try ipc.waitForProperty("picture-in-picture") { $0 == false }
            let pictureCount = screen.snapshot.compositorPictureCount
            try screen.waitForFrame { $0 > returnFrame + 20 }
            #expect(screen.snapshot.compositorPictureCount == pictureCount)

            // Start Picture-in-Picture a second time.
            screen.forgetWriters()
            pty.type("p")
            let newFrame = try screen.waitForFrameInCorner()
            try screen.waitForFrameInCorner { $0 > newFrame + 10 }
            #expect(screen.snapshot.sharedCellCount == 0)
            pty.type("q")
            #expect(try pty.child.waitForExit().isSuccess)
            #expect(pty.settingsAreRestored)
            player.expectNoPictureAfterRestore()
            #expect(screen.snapshot.faults == [])
        }
    }

    @Test("--pip starts in the corner")
    func pipOptionStartsInTheCorner() async throws {
        try await TestEnvironment.runExclusively {
            let player = try TerminalPlayer(options: ["--pip"]), (pty, screen) = (player.pty, player.screen)
            let firstFrame = try screen.waitForFrameInCorner()
            try screen.waitForFrameInCorner { $0 > firstFrame + 10 }
            #expect(screen.snapshot.sharedCellCount == 0)
            pty.type("p")
            try screen.waitForFrame { $0 > firstFrame }
            pty.type("q")
            #expect(try pty.child.waitForExit().isSuccess)
        }
    }

    @Test("with a graphics protocol the corner has an image, and the large image returns afterwards")
    func cornerHasAnImageWithAGraphicsProtocol() async throws {
        try await TestEnvironment.runExclusively {
            for (replies, start) in [(TerminalReplies.kitty, "\u{1B}_Ga=T,f=24,i="), (.sixel, "\u{1B}P0;1;0q")] {
                let player = try TerminalPlayer(replies: replies), (pty, screen) = (player.pty, player.screen)
                #expect(pty.output.wait(for: start))
                pty.type("p")
                try screen.wait("the placeholder") { $0.text.contains("Playing in Picture-in-Picture") ? true : nil }
                try screen.wait("20 pictures in the corner") { $0.compositorPictureCount > 20 ? true : nil }
                #expect(screen.snapshot.sharedCellCount == 0)
                try screen.wait("the state of the playback") { $0.text.contains("▶ 0:0") ? true : nil }
                // The compositor saves the cursor before it draws its image.
                let output = pty.output.text
                let corner = try #require(output.range(of: "\u{1B}7", options: .backwards)).lowerBound
                #expect(pty.output.text[corner...].contains(start) || pty.output.wait(for: start))
                pty.type("p")
                try player.ipc.waitForProperty("picture-in-picture") { $0 == false }
                let hasReturned = Deadline.poll(for: .seconds(10)) { () -> Bool? in
                    let output = pty.output.text
                    guard let image = output.range(of: start, options: .backwards)?.lowerBound else { return nil }
                    let save = output.range(of: "\u{1B}7", options: .backwards)?.lowerBound ?? output.startIndex
                    let restore = output.range(of: "\u{1B}8", options: .backwards)?.lowerBound ?? output.startIndex
                    return save <= restore && restore < image ? true : nil
                }
                #expect(hasReturned == true)
                pty.type("q")
                #expect(try pty.child.waitForExit().isSuccess)
                #expect(screen.snapshot.faults == [])
            }
        }
    }

    @Test("the corner follows the size of the terminal, also while paused")
    func cornerFollowsTheTerminalSize() async throws {
        try await TestEnvironment.runExclusively {
            let player = try TerminalPlayer(), (pty, screen, ipc) = (player.pty, player.screen, player.ipc)
            pty.type("p")
            try screen.waitForFrameInCorner()
            try ipc.waitForProperty("picture-in-picture") { $0 == true }
            try player.resize(to: .init(columns: 90, rows: 28))
            let frame = try screen.waitForFrameInCorner()
            try screen.waitForFrameInCorner { $0 > frame + 10 }
            #expect(screen.snapshot.sharedCellCount == 0)
            pty.type(" ")
            try ipc.waitForProperty("pause") { $0 == true }
            try player.resize(to: .init(columns: 140, rows: 40))
            try screen.waitForFrameInCorner { $0 >= frame }
            try screen.wait("the placeholder") { $0.text.contains("Playing in Picture-in-Picture") ? true : nil }
            // Make the terminal too small for the picture in the corner, and then large again.
            try pty.terminal.resize(to: .init(columns: 30, rows: 10))
            screen.resize(to: .init(columns: 30, rows: 10))
            try player.resize(to: .init())
            try screen.waitForFrameInCorner { $0 >= frame }
            pty.type("p")
            let pausedFrame = try screen.waitForFrame { $0 >= frame }
            try ipc.waitForProperty("picture-in-picture") { $0 == false }
            screen.forgetWriters()
            pty.type("p")
            try screen.waitForFrameInCorner { $0 == pausedFrame }
            try ipc.waitForProperty("picture-in-picture") { $0 == true }
            pty.type("q")
            #expect(try pty.child.waitForExit().isSuccess)
            #expect(screen.snapshot.faults == [])
        }
    }

    @Test("the corner takes the shape of a new item, and no picture is drawn at the old place")
    func cornerTakesTheShapeOfANewItem() async throws {
        try await TestEnvironment.runExclusively {
            let player = try TerminalPlayer(), (pty, screen, ipc) = (player.pty, player.screen, player.ipc)
            pty.type("p")
            try screen.waitForFrameInCorner()
            let wideArea = try #require(screen.snapshot.compositorArea)
            #expect(wideArea.width > 2 * wideArea.height)
            try ipc.command(["loadfile", .string(Fixtures.path("tall.mp4"))])
            try screen.wait("a tall corner") { model in
                model.compositorArea.map { $0.height > wideArea.height } == true ? true : nil
            }
            screen.forgetWriters()
            let pictureCount = screen.snapshot.compositorPictureCount
            try screen.wait("pictures in the tall corner") {
                $0.compositorPictureCount > pictureCount + 20 ? true : nil
            }
            let area = try #require(screen.snapshot.compositorArea)
            #expect(area.x > wideArea.x && area.width < wideArea.width, "\(area)")
            #expect(screen.snapshot.sharedCellCount == 0)
            #expect(try ipc.property("picture-in-picture") == true)
            pty.type("q")
            #expect(try pty.child.waitForExit().isSuccess)
            #expect(screen.snapshot.faults == [])
        }
    }

    @Test("if the compositor is killed, the picture fills the terminal, and can move to a corner again")
    func pictureReturnsWhenTheCompositorIsKilled() async throws {
        try await TestEnvironment.runExclusively {
            let player = try TerminalPlayer(), (pty, screen, ipc) = (player.pty, player.screen, player.ipc)
            pty.type("p")
            let lastFrame = try screen.waitForFrameInCorner { $0 > 20 }
            let compositor = try #require(player.compositorPID)
            kill(compositor, SIGKILL)
            try screen.waitForFrame { $0 >= lastFrame }
            try ipc.waitForProperty("picture-in-picture") { $0 == false }
            #expect(try ipc.property("pause") == false)
            try ipc.waitForProperty("picture-in-picture-possible") { $0 == true }
            screen.forgetWriters()
            pty.type("p")
            try screen.waitForFrameInCorner { $0 > lastFrame }
            #expect(player.compositorPID != compositor)
            pty.type("q")
            #expect(try pty.child.waitForExit().isSuccess)
        }
    }

    @Test(
        "if the player crashes, the compositor stops drawing; if it can, the player restores the terminal",
        arguments: [SIGKILL, SIGSEGV, SIGTERM])
    func compositorStopsDrawingWhenThePlayerCrashes(signal: Int32) async throws {
        try await TestEnvironment.runExclusively {
            let player = try TerminalPlayer(), (pty, screen) = (player.pty, player.screen)
            pty.type("p")
            try screen.waitForFrameInCorner { $0 > 20 }
            let compositor = try #require(player.compositorPID)
            #expect(player.openTerminalCount(of: compositor) > 0)
            pty.child.signal(signal)
            try pty.child.waitForExit()
            #expect(
                Deadline.poll(for: .seconds(5)) { player.openTerminalCount(of: compositor) == 0 ? true : nil } == true)
            #expect(player.compositorPID == compositor)
            guard signal != SIGKILL else { return }
            #expect(pty.settingsAreRestored)
            player.expectNoPictureAfterRestore()
        }
    }

    @Test("a frozen terminal blocks neither the player nor the compositor")
    func frozenTerminalBlocksNoProcess() async throws {
        try await TestEnvironment.runExclusively {
            let player = try TerminalPlayer(speed: 1), (pty, screen, ipc) = (player.pty, player.screen, player.ipc)
            pty.type("p")
            let frame = try screen.waitForFrameInCorner { $0 > 20 }
            pty.freeze()
            let time = try #require(ipc.property("time-pos").number)
            try ipc.waitForProperty("time-pos") { ($0.number ?? 0) > time + 1 }
            let client = try HostileClient(directory: player.directory)
            _ = try client.openSession()
            pty.resume()
            try screen.waitForFrameInCorner { $0 > frame + 30 }
            #expect(screen.snapshot.faults == [])
            pty.freeze()
            try ipc.waitForProperty("time-pos") { ($0.number ?? 0) > time + 3 }
            pty.type("q")
            pty.resume()
            #expect(try pty.child.waitForExit().isSuccess)
            #expect(pty.settingsAreRestored)
            player.expectNoPictureAfterRestore()
        }
    }

    @Test("a terminal that is too small has no corner: the picture stays, and the player prints the reason")
    func smallTerminalHasNoCorner() async throws {
        try await TestEnvironment.runExclusively {
            let player = try TerminalPlayer(size: .init(columns: 36, rows: 11)), (pty, ipc) = (player.pty, player.ipc)
            pty.type("p")
            let frame = try #require(ipc.property("vo-frame-id").number)
            try ipc.waitForProperty("vo-frame-id") { ($0.number ?? 0) > frame + 30 }
            #expect(try ipc.property("picture-in-picture") == false)
            #expect(player.screen.snapshot.compositorPictureCount == 0)
            pty.type("q")
            #expect(try pty.child.waitForExit().isSuccess)
            #expect(pty.output.text.contains("too small"))
        }
    }
}
