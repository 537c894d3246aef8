import Foundation
import Glibc
import SystemCalls
import TestSupport
import Testing

/// Without a display Picture-in-Picture is a corner of the terminal, which the compositor draws in while the player
/// keeps the rest.
@Suite("Picture-in-Picture in a terminal")
struct TerminalPictureInPictureTests {
    @Test("p: the picture goes to a corner and comes back, frame after frame, and no cell is written by both")
    func thereAndBack() async throws {
        try await Desk.alone {
            let playing = try Playing(), (pty, eyes, ipc) = (playing.pty, playing.eyes, playing.ipc)
            let before = try eyes.waitForFrame { $0 > 10 }
            pty.type("p")
            let first = try eyes.waitForFrameInCorner()
            #expect(first >= before)
            try eyes.wait("the placeholder") { $0.text.contains("Playing in Picture-in-Picture") ? true : nil }
            #expect(TerminalWatcher.wholeFrame(eyes.now) == nil)
            try ipc.waitForProperty("picture-in-picture") { $0 == true }
            // The player writes too: a message, a title.
            pty.type("m")
            try eyes.wait("a message") { $0.text.contains("muted") ? true : nil }
            let last = try eyes.waitForFrameInCorner { $0 > first + 40 }
            let now = eyes.now, area = try #require(now.guestArea)
            #expect(now.guestPictures > 20)
            #expect(now.sharedCells == 0)
            #expect(!now.ownerCells.isEmpty)
            #expect(
                area.width >= 20 && area.width <= 40 && area.x + area.width <= 118 && area.y + area.height <= 32,
                "\(area)")
            #expect(now.faults == [])

            pty.type("p")
            let back = try eyes.waitForFrame { $0 >= last }
            try ipc.waitForProperty("picture-in-picture") { $0 == false }
            let count = eyes.now.guestPictures
            try eyes.waitForFrame { $0 > back + 20 }
            #expect(eyes.now.guestPictures == count)

            // And once more.
            eyes.forgetWriters()
            pty.type("p")
            let again = try eyes.waitForFrameInCorner()
            try eyes.waitForFrameInCorner { $0 > again + 10 }
            #expect(eyes.now.sharedCells == 0)
            pty.type("q")
            #expect(try pty.child.waitForExit().isSuccess)
            #expect(pty.settingsAreRestored)
            playing.expectSilenceAfterRestore()
            #expect(eyes.now.faults == [])
        }
    }

    @Test("--pip: begins in the corner")
    func fromTheStart() async throws {
        try await Desk.alone {
            let playing = try Playing(options: ["--pip"]), (pty, eyes) = (playing.pty, playing.eyes)
            let first = try eyes.waitForFrameInCorner()
            try eyes.waitForFrameInCorner { $0 > first + 10 }
            #expect(eyes.now.sharedCells == 0)
            pty.type("p")
            try eyes.waitForFrame { $0 > first }
            pty.type("q")
            #expect(try pty.child.waitForExit().isSuccess)
        }
    }

    @Test("a player that draws by kitty's protocol: characters in the corner, and its image when it is back")
    func kitty() async throws {
        try await Desk.alone {
            let playing = try Playing(answers: .kitty), (pty, eyes) = (playing.pty, playing.eyes)
            #expect(pty.output.wait(for: "\u{1B}_Ga=T"))
            pty.type("p")
            let first = try eyes.waitForFrameInCorner()
            try eyes.wait("the placeholder") { $0.text.contains("Playing in Picture-in-Picture") ? true : nil }
            try eyes.waitForFrameInCorner { $0 > first + 10 }
            #expect(eyes.now.sharedCells == 0)
            let words = pty.output.text
            let deleted = try #require(words.range(of: "\u{1B}_Ga=d,d=A", options: .backwards))
            #expect(!words[deleted.upperBound...].contains("\u{1B}_Ga=T"), "an image lies over the corner")
            pty.type("p")
            let isBack = Deadline.poll(for: .seconds(10)) {
                pty.output.text.range(of: "\u{1B}_Ga=T", options: .backwards).map { $0.lowerBound > deleted.upperBound }
                    == true ? true : nil
            }
            #expect(isBack == true)
            pty.type("q")
            #expect(try pty.child.waitForExit().isSuccess)
            #expect(eyes.now.faults == [])
        }
    }

    @Test("the corner follows the terminal's size, also of a paused picture")
    func resize() async throws {
        try await Desk.alone {
            let playing = try Playing(), (pty, eyes, ipc) = (playing.pty, playing.eyes, playing.ipc)
            pty.type("p")
            try eyes.waitForFrameInCorner()
            try ipc.waitForProperty("picture-in-picture") { $0 == true }
            try playing.resize(to: .init(columns: 90, rows: 28))
            let frame = try eyes.waitForFrameInCorner()
            try eyes.waitForFrameInCorner { $0 > frame + 10 }
            #expect(eyes.now.sharedCells == 0)
            pty.type(" ")
            try ipc.waitForProperty("pause") { $0 == true }
            try playing.resize(to: .init(columns: 140, rows: 40), whilePaused: true)
            try eyes.waitForFrameInCorner { $0 >= frame }
            try eyes.wait("the placeholder") { $0.text.contains("Playing in Picture-in-Picture") ? true : nil }
            // Too small for a corner, and large again.
            try pty.terminal.resize(to: .init(columns: 30, rows: 10))
            eyes.resize(to: .init(columns: 30, rows: 10))
            try playing.resize(to: .init(), whilePaused: true)
            try eyes.waitForFrameInCorner { $0 >= frame }
            pty.type("p")
            let paused = try eyes.waitForFrame { $0 >= frame }
            try ipc.waitForProperty("picture-in-picture") { $0 == false }
            eyes.forgetWriters()
            pty.type("p")
            try eyes.waitForFrameInCorner { $0 == paused }
            try ipc.waitForProperty("picture-in-picture") { $0 == true }
            pty.type("q")
            #expect(try pty.child.waitForExit().isSuccess)
            #expect(eyes.now.faults == [])
        }
    }

    @Test("another item of another shape: the corner takes its shape, and nothing is drawn where the old one was")
    func anotherShape() async throws {
        try await Desk.alone {
            let playing = try Playing(), (pty, eyes, ipc) = (playing.pty, playing.eyes, playing.ipc)
            pty.type("p")
            try eyes.waitForFrameInCorner()
            let wide = try #require(eyes.now.guestArea)
            #expect(wide.width > 2 * wide.height)
            try ipc.command(["loadfile", .string(Fixtures.path("tall.mp4"))])
            try eyes.wait("a tall corner") { model in
                model.guestArea.map { $0.height > wide.height } == true ? true : nil
            }
            eyes.forgetWriters()
            let count = eyes.now.guestPictures
            try eyes.wait("pictures in it") { $0.guestPictures > count + 20 ? true : nil }
            let area = try #require(eyes.now.guestArea)
            #expect(area.x > wide.x && area.width < wide.width, "\(area)")
            #expect(eyes.now.sharedCells == 0)
            #expect(try ipc.property("picture-in-picture") == true)
            pty.type("q")
            #expect(try pty.child.waitForExit().isSuccess)
            #expect(eyes.now.faults == [])
        }
    }

    @Test("the compositor is killed: the picture is back in the whole terminal, and can go to a corner again")
    func compositorDies() async throws {
        try await Desk.alone {
            let playing = try Playing(), (pty, eyes, ipc) = (playing.pty, playing.eyes, playing.ipc)
            pty.type("p")
            let last = try eyes.waitForFrameInCorner { $0 > 20 }
            let compositor = try #require(playing.compositor)
            kill(compositor, SIGKILL)
            try eyes.waitForFrame { $0 >= last }
            try ipc.waitForProperty("picture-in-picture") { $0 == false }
            #expect(try ipc.property("pause") == false)
            try ipc.waitForProperty("picture-in-picture-possible") { $0 == true }
            eyes.forgetWriters()
            pty.type("p")
            try eyes.waitForFrameInCorner { $0 > last }
            #expect(playing.compositor != compositor)
            pty.type("q")
            #expect(try pty.child.waitForExit().isSuccess)
        }
    }

    @Test(
        "the player dies: the compositor draws nothing any more, and a crash leaves the terminal as it was",
        arguments: [SIGKILL, SIGSEGV, SIGTERM])
    func playerDies(signal: Int32) async throws {
        try await Desk.alone {
            let playing = try Playing(), (pty, eyes) = (playing.pty, playing.eyes)
            pty.type("p")
            try eyes.waitForFrameInCorner { $0 > 20 }
            let compositor = try #require(playing.compositor)
            #expect(playing.terminals(of: compositor) > 0)
            pty.child.signal(signal)
            try pty.child.waitForExit()
            #expect(Deadline.poll(for: .seconds(5)) { playing.terminals(of: compositor) == 0 ? true : nil } == true)
            #expect(playing.compositor == compositor)
            guard signal != SIGKILL else { return }
            #expect(pty.settingsAreRestored)
            playing.expectSilenceAfterRestore()
        }
    }

    @Test("a terminal that is frozen holds up neither player nor compositor")
    func frozen() async throws {
        try await Desk.alone {
            let playing = try Playing(speed: 1), (pty, eyes, ipc) = (playing.pty, playing.eyes, playing.ipc)
            pty.type("p")
            let frame = try eyes.waitForFrameInCorner { $0 > 20 }
            pty.freeze()
            let time = try #require(ipc.property("time-pos").number)
            try ipc.waitForProperty("time-pos") { ($0.number ?? 0) > time + 1 }
            let client = try HostileClient(directory: playing.directory)
            _ = try client.open()
            pty.thaw()
            try eyes.waitForFrameInCorner { $0 > frame + 30 }
            #expect(eyes.now.faults == [])
            pty.freeze()
            try ipc.waitForProperty("time-pos") { ($0.number ?? 0) > time + 3 }
            pty.type("q")
            pty.thaw()
            #expect(try pty.child.waitForExit().isSuccess)
            #expect(pty.settingsAreRestored)
            playing.expectSilenceAfterRestore()
        }
    }

    @Test("a terminal that is too small has no corner: the picture stays, and the delegate is told")
    func tooSmall() async throws {
        try await Desk.alone {
            let playing = try Playing(size: .init(columns: 36, rows: 11)), (pty, ipc) = (playing.pty, playing.ipc)
            pty.type("p")
            let frame = try #require(ipc.property("vo-frame-id").number)
            try ipc.waitForProperty("vo-frame-id") { ($0.number ?? 0) > frame + 30 }
            #expect(try ipc.property("picture-in-picture") == false)
            #expect(playing.eyes.now.guestPictures == 0)
            pty.type("q")
            #expect(try pty.child.waitForExit().isSuccess)
            #expect(pty.output.text.contains("too small"))
        }
    }
}
