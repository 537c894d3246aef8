import Foundation
import SystemCalls
import TestSupport
import Testing

/// Tests Picture-in-Picture with several programs, and without a compositor.
@Suite("Picture-in-Picture: several programs")
struct PictureInPictureProgramsTests {
    @Test("a second player takes over the floating window; the first shows its picture again, and both play on")
    func secondPlayerTakesOverTheWindow() async throws {
        try await TestEnvironment.runExclusively {
            let directory = try RuntimeDirectory(), watcher = try ScreenWatcher()
            let firstPlayer = try RunningPlayer(
                "count30.mp4", options: ["--pip", "--mute", "--title=first", "--geometry=320x180+50+60"],
                directory: directory)
            try watcher.waitForFrame(in: .pictureInPicture) { $0 >= 10 }
            let secondPlayer = try RunningPlayer(
                "count30.mp4", options: ["--title=second", "--geometry=320x180+450+60"], directory: directory)
            try watcher.waitForFrame(in: .title("second"))
            let lastFrame = try watcher.waitForFrame(in: .pictureInPicture)
            try secondPlayer.enterPictureInPicture()
            try firstPlayer.ipc.waitForProperty("picture-in-picture") { $0 == false }
            try watcher.waitForFrame(in: .title("first")) { $0 >= lastFrame + 10 }
            let frame = try watcher.waitForFrame(in: .pictureInPicture)
            try watcher.waitForFrame(in: .pictureInPicture) { $0 > frame + 10 }
            #expect(watcher.frameNumber(in: .title("second")) == nil)
            // Wait for the end of the animation, during which a second floating window exists.
            let hasOneWindow = Deadline.poll(for: .seconds(10)) {
                watcher.connection.windows().count { $0.instanceName == "swiftplay-pip" } == 1 ? true : nil
            }
            #expect(hasOneWindow == true)
            #expect(try firstPlayer.ipc.property("pause") == false)
            #expect(directory.processes(named: "swiftplay-compositor").count == 1)
            try secondPlayer.quit()
            try watcher.waitForNoWindow(.pictureInPicture)
            try firstPlayer.quit()
        }
    }

    @Test("without a compositor films play, and Picture-in-Picture is reported as impossible")
    func filmsPlayWithoutACompositor() async throws {
        try await TestEnvironment.runExclusively {
            let player = try RunningPlayer("count30.mp4", environment: ["SWIFTPLAY_COMPOSITOR": "/nowhere/compositor"])
            let watcher = try ScreenWatcher()
            let frame = try watcher.waitForFrame(in: .player) { $0 >= 10 }
            #expect(try player.ipc.property("picture-in-picture-possible") == false)
            #expect(throws: TestFailure.self) { try player.ipc.setProperty("picture-in-picture", true) }
            try watcher.waitForFrame(in: .player) { $0 >= frame + 10 }
            #expect(try player.ipc.property("picture-in-picture") == false)
            // Pressing the key p prints the reason why Picture-in-Picture is impossible.
            try run("xdotool", ["key", "--window", "\(try watcher.waitForWindow(.player).id)", "p"])
            #expect(player.child.errors.wait(for: "/nowhere/compositor"), "\(player.child.errors.text)")
            #expect(try player.quit().isSuccess)
        }
    }

    @Test("--pip without a compositor plays in the window and says why")
    func startWithoutACompositorIsReported() async throws {
        try await TestEnvironment.runExclusively {
            let player = try RunningPlayer(
                "count30.mp4", options: ["--pip"], environment: ["SWIFTPLAY_COMPOSITOR": "/nowhere/compositor"])
            try ScreenWatcher().waitForFrame(in: .player) { $0 >= 1 }
            #expect(player.child.errors.wait(for: "/nowhere/compositor"), "\(player.child.errors.text)")
            try player.quit()
        }
    }

    @Test("after a start that has failed without a compositor, one that is installed meanwhile is used")
    func aCompositorThatAppearsIsUsed() async throws {
        try await TestEnvironment.runExclusively {
            let scratch = try TemporaryDirectory(), path = scratch.file("compositor")
            let player = try RunningPlayer(
                "count30.mp4", options: ["--loop-file"], environment: ["SWIFTPLAY_COMPOSITOR": path])
            let watcher = try ScreenWatcher()
            try watcher.waitForFrame(in: .player) { $0 >= 1 }
            let window = "\(try watcher.waitForWindow(.player).id)"
            try run("xdotool", ["key", "--window", window, "p"])
            #expect(player.child.errors.wait(for: path), "\(player.child.errors.text)")
            try run("ln", ["-s", try Products.path("swiftplay-compositor"), path])
            try run("xdotool", ["key", "--window", window, "p"])
            try player.ipc.waitForProperty("picture-in-picture-possible") { $0 == true }
            try run("xdotool", ["key", "--window", window, "p"])
            try watcher.waitForFrame(in: .pictureInPicture)
            try player.quit()
        }
    }

    @Test("--stats lists the direction, the frame and the duration of each handover")
    func statisticsListEachMoveOfThePictureToAnotherWindow() async throws {
        try await TestEnvironment.runExclusively {
            let scratch = try TemporaryDirectory(), watcher = try ScreenWatcher()
            let player = try RunningPlayer("count30.mp4", options: ["--pip", "--stats=\(scratch.file("stats"))"])
            try player.ipc.waitForProperty("picture-in-picture") { $0 == true }
            try watcher.waitForFrame(in: .pictureInPicture)
            try player.leavePictureInPicture()
            try watcher.waitForFrame(in: .player)
            try player.quit()
            let statistics = try JSONDecoder().decode(JSONValue.self, from: Data(scratch.text("stats").utf8))
            let handoffs = try #require(statistics["handoffs"]?.array)
            #expect(handoffs.count == 2)
            #expect(handoffs.first?["direction"] != handoffs.last?["direction"])
            #expect(
                handoffs.allSatisfy { ($0["milliseconds"]?.number ?? -1) >= 0 && $0["frame"]?.number != nil },
                "\(handoffs)")
        }
    }
}
