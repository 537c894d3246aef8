import Foundation
import TestSupport
import Testing

@Suite("Subtitles of streams")
struct StreamSubtitleTests {
    private func waitForText(isVisible: Bool, in window: WindowQuery, _ watcher: ScreenWatcher) throws {
        let hasChanged = Deadline.poll(for: .seconds(10)) {
            SubtitleTests.showsWhiteSubtitles(watcher, window) == isVisible ? true : nil
        }
        guard hasChanged == true else { throw TestFailure("timeout: text in \(window): \(isVisible)") }
    }

    @Test("renditions are selected like the tracks of a file, and visible in the window and the floating window")
    func renditionsAreVisible() async throws {
        try await TestEnvironment.runExclusively {
            let server = try LinkServer(try Fixtures.path("streams"))
            let player = try RunningPlayer(
                server.address + "/subtitles.m3u8", options: ["--ao=null", "--slang=de", "--pause", "--start=9"])
            let watcher = try ScreenWatcher()
            try watcher.waitForFrame(in: .player)
            let ipc = try player.ipc
            try ipc.waitForProperty("sub-text") { $0 == "FÜR ALLE" }
            #expect(try ipc.property("sid") == 2)
            try waitForText(isVisible: true, in: .player, watcher)
            guard case .array(let list) = try ipc.property("track-list") else { throw TestFailure("no track list") }
            let subtitles = list.filter { $0["type"] == "sub" }
            #expect(subtitles.map { $0["title"] } == ["English", "Deutsch"])
            #expect(subtitles.map { $0["lang"] } == ["en", "de"] && subtitles.map { $0["id"] } == [1, 2])
            #expect(subtitles.map { $0["hearing-impaired"] } == [false, true])
            #expect(server.paths.allSatisfy { !$0.hasPrefix("/english") })
            // Use the command of the keys that select subtitles. The current subtitle line begins in an earlier
            // segment.
            try ipc.command(["cycle", "sid", "down"])
            try ipc.waitForProperty("sub-text") { $0 == "BEGAN BEFORE" }
            #expect(try ipc.property("sid") == 1)
            try ipc.command(["seek", 2, "absolute"])
            try ipc.waitForProperty("sub-text") { $0 == "" }
            try waitForText(isVisible: false, in: .player, watcher)
            try player.enterPictureInPicture()
            try watcher.waitForFrame(in: .pictureInPicture)
            try ipc.command(["seek", 5, "absolute"])
            try waitForText(isVisible: true, in: .pictureInPicture, watcher)
            #expect(try ipc.property("sub-text") == "ACROSS A BORDER")
            try ipc.setProperty("sid", false)
            try waitForText(isVisible: false, in: .pictureInPicture, watcher)
            try player.quit()
        }
    }

    @Test("a rendition that fails gives a warning, and the film is played completely")
    func failingRenditionDoesNotEndPlayback() async throws {
        try await TestEnvironment.runExclusively {
            let server = try LinkServer(
                try Fixtures.path("streams"), #"{"rules": [{"path": "english", "status": 404}]}"#)
            let player = try RunningPlayer(
                server.address + "/subtitles.m3u8",
                options: ["--vo=null", "--ao=null", "--untimed", "--sid=1", "--pause"])
            #expect(player.child.errors.wait(for: "subtitles English: "), "\(player.child.errors.text)")
            try player.ipc.setProperty("pause", false)
            #expect(try player.child.waitForExit(within: .seconds(60)).isSuccess, "\(player.child.errors.text)")
            #expect(player.child.output.text.contains("played 1 of 1: 360 frames"), "\(player.child.output.text)")
        }
    }

    @Test("renditions are visible in the terminal") func terminalShowsRenditions() async throws {
        try await TestEnvironment.runExclusively {
            let server = try LinkServer(try Fixtures.path("streams"))
            let directory = try RuntimeDirectory()
            let pty = try TerminalProcess(
                Products.swiftplayPath,
                ["--vo=tct", "--ao=null", "--sid=1", "--start=4", "--", server.address + "/subtitles.m3u8"],
                environment: ["DISPLAY": nil], runtimeDirectory: directory)
            let isVisible = Deadline.poll(for: .seconds(10)) {
                pty.output.text.replacing(/\u{1B}\[[0-9;?]*[A-Za-z]/, with: "").contains("ACROSS A BORDER") ? true : nil
            }
            #expect(isVisible == true)
            pty.type("q")
            #expect(try pty.child.waitForExit().isSuccess)
        }
    }
}
