import Foundation
import SystemCalls
import TestSupport
import Testing

/// Picture-in-Picture among several programs, and without the program that it needs.
@Suite("Picture-in-Picture: neighbours")
struct PictureInPictureNeighboursTests {
    @Test("a second player takes the one window over: the first has its picture back at once, and both play on")
    func takeover() async throws {
        try await Desk.alone {
            let directory = try RuntimeDirectory(), watcher = try ScreenWatcher()
            let first = try RunningPlayer(
                "count30.mp4", options: ["--pip", "--mute", "--title=first", "--geometry=320x180+50+60"],
                directory: directory)
            try watcher.waitForFrame(in: .pictureInPicture) { $0 >= 10 }
            let second = try RunningPlayer(
                "count30.mp4", options: ["--title=second", "--geometry=320x180+450+60"], directory: directory)
            try watcher.waitForFrame(in: .title("second"))
            let last = try watcher.waitForFrame(in: .pictureInPicture)
            try second.enterPictureInPicture()
            try first.ipc.waitForProperty("picture-in-picture") { $0 == false }
            try watcher.waitForFrame(in: .title("first")) { $0 >= last + 10 }
            let frame = try watcher.waitForFrame(in: .pictureInPicture)
            try watcher.waitForFrame(in: .pictureInPicture) { $0 > frame + 10 }
            #expect(watcher.frame(in: .title("second")) == nil)
            // Once it has flown to its corner.
            let isAlone = Deadline.poll(for: .seconds(10)) {
                watcher.connection.windows().count { $0.instance == "swiftplay-pip" } == 1 ? true : nil
            }
            #expect(isAlone == true)
            #expect(try first.ipc.property("pause") == false)
            #expect(directory.processes(named: "swiftplay-compositor").count == 1)
            try second.quit()
            try watcher.waitForNoWindow(.pictureInPicture)
            try first.quit()
        }
    }

    @Test("without a compositor films play, and Picture-in-Picture is said to be impossible")
    func noCompositor() async throws {
        try await Desk.alone {
            let player = try RunningPlayer("count30.mp4", environment: ["SWIFTPLAY_COMPOSITOR": "/nowhere/compositor"])
            let watcher = try ScreenWatcher()
            let frame = try watcher.waitForFrame(in: .player) { $0 >= 10 }
            #expect(try player.ipc.property("picture-in-picture-possible") == false)
            #expect(throws: RigError.self) { try player.ipc.setProperty("picture-in-picture", true) }
            try watcher.waitForFrame(in: .player) { $0 >= frame + 10 }
            #expect(try player.ipc.property("picture-in-picture") == false)
            // The key says why.
            try run("xdotool", ["key", "--window", "\(try watcher.waitForWindow(.player).id)", "p"])
            #expect(player.child.errors.wait(for: "/nowhere/compositor"), "\(player.child.errors.text)")
            #expect(try player.quit().isSuccess)
        }
    }

    @Test("--stats tells of each handover: where to, with which frame, how long it took")
    func statistics() async throws {
        try await Desk.alone {
            let scratch = try Scratch(), watcher = try ScreenWatcher()
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
