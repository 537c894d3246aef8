import TestSupport
import Testing

/// Tests of secondary subtitles. The first subtitle track of the clip has white text at the lower edge, the second one
/// red text at the upper edge.
@Suite("Secondary subtitles")
struct SecondarySubtitleTests {
    /// Waits until white text is visible, or not, at the upper and at the lower edge of the picture.
    private func waitForWhiteText(_ watcher: ScreenWatcher, top: Bool, bottom: Bool) throws {
        func isVisible(_ start: Double, _ end: Double) -> Bool {
            (watcher.pixelCount(in: .player, from: start, to: end) { $0 & 0xF0F0F0 == 0xF0F0F0 } ?? 0) > 60
        }
        let isAsExpected = Deadline.poll(for: .seconds(10)) {
            isVisible(0, 0.35) == top && isVisible(0.68, 1) == bottom ? true : nil
        }
        if isAsExpected == nil {
            throw TestFailure("top: \(isVisible(0, 0.35)), not \(top), bottom: \(isVisible(0.68, 1)), not \(bottom)")
        }
    }

    @Test("secondary subtitles are shown at the upper edge, selected, hidden and cycled")
    func secondarySubtitlesAreShownAtTheUpperEdge() async throws {
        try await TestEnvironment.runExclusively {
            let watcher = try ScreenWatcher()
            let player = try RunningPlayer(
                "tracks.mkv", options: ["--no-sub", "--secondary-sid=1", "--pause", "--sub-auto=no"])
            let ipc = try player.ipc
            try watcher.waitForFrame(in: .player)
            try ipc.command(["seek", 1.5, "absolute"])
            try waitForWhiteText(watcher, top: true, bottom: false)
            #expect(try ipc.property("secondary-sub-text") == "FIRST LINE")
            #expect(try ipc.property("secondary-sub-start") == 1 && ipc.property("secondary-sub-end") == 3)
            #expect(try ipc.property("current-tracks/sub2/lang") == "eng" && ipc.property("sid") == false)
            try ipc.setProperty("secondary-sub-visibility", false)
            try waitForWhiteText(watcher, top: false, bottom: false)
            try ipc.setProperty("secondary-sub-visibility", true)
            try ipc.setProperty("sid", 2)
            try waitForWhiteText(watcher, top: true, bottom: false)
            let showsPrimary = Deadline.poll(for: .seconds(10)) {
                SubtitleTests.showsRedSubtitles(watcher, .player) ? true : nil
            }
            #expect(showsPrimary == true, "the primary subtitles are missing")
            // The command skips the track that the primary subtitles show.
            try ipc.command(["cycle", "secondary-sid"])
            try ipc.waitForProperty("secondary-sid") { $0 == false }
            try ipc.command(["cycle", "secondary-sid"])
            try ipc.waitForProperty("secondary-sid") { $0 == 1 }
            // A track that is selected for both is shown once, as primary subtitles.
            try ipc.setProperty("sid", 1)
            try ipc.waitForProperty("secondary-sid") { $0 == false }
            try waitForWhiteText(watcher, top: false, bottom: true)
            try player.quit()
        }
    }

    @Test("the removal of a subtitle file leaves the tracks that follow it selected")
    func theRemovalOfAFileKeepsTheSelection() async throws {
        try await TestEnvironment.runExclusively {
            let files = try ["cyrillic.srt", "tracks.fr.srt", "cyrillic.srt"].map { name in
                "--sub-file=\(try Fixtures.path(name))"
            }
            let player = try RunningPlayer("tracks.mkv", options: ["--pause", "--sub-auto=no"] + files)
            let ipc = try player.ipc
            try ipc.waitForProperty("track-list/count") { $0 == 8 }
            try ipc.setProperty("sid", 4)
            try ipc.setProperty("secondary-sid", 5)
            try ipc.waitForProperty("sub-text") { $0 == "BESIDE" }
            try ipc.waitForProperty("secondary-sid") { $0 == 5 }
            try ipc.command(["sub-remove", 3])
            try ipc.waitForProperty("track-list/count") { $0 == 7 }
            try ipc.waitForProperty("sid") { $0 == 3 }
            try ipc.waitForProperty("secondary-sid") { $0 == 4 }
            #expect(try ipc.property("sub-text") == "BESIDE")
            // The command skips the track that the secondary subtitles show.
            try ipc.command(["cycle", "sid"])
            try ipc.waitForProperty("sid") { $0 == false }
            try player.quit()
        }
    }

    @Test("two tracks of subtitle files are shown, and sub-remove removes one of them")
    func subtitleFilesAreShownInBothLayers() async throws {
        try await TestEnvironment.runExclusively {
            let watcher = try ScreenWatcher()
            let player = try RunningPlayer(
                "tracks.mkv",
                options: [
                    "--pause", "--sub-auto=no", "--sub-codepage=cp1251", "--secondary-sid=4",
                    "--sub-file=\(Fixtures.path("tracks.fr.srt"))", "--sub-file=\(Fixtures.path("cyrillic.srt"))",
                ])
            let ipc = try player.ipc
            try watcher.waitForFrame(in: .player)
            try ipc.waitForProperty("sub-text") { $0 == "BESIDE" }
            try ipc.waitForProperty("secondary-sub-text") {
                $0 == "Съешь же ещё этих мягких французских булок, да выпей чаю"
            }
            try waitForWhiteText(watcher, top: true, bottom: true)
            try ipc.command(["sub-add", .string(Fixtures.path("tracks.fr.srt")), "auto", "Again", "fr"])
            try ipc.waitForProperty("track-list/count") { $0 == 8 }
            #expect(try ipc.property("track-list/7/title") == "Again" && ipc.property("track-list/7/lang") == "fr")
            // The option `cached` selects a file that was added before, instead of adding it again.
            try ipc.command(["sub-add", .string(Fixtures.path("cyrillic.srt")), "cached"])
            try ipc.waitForProperty("sid") { $0 == 4 }
            #expect(try ipc.property("track-list/count") == 8)
            try ipc.setProperty("sid", 3)
            try ipc.setProperty("secondary-sid", 4)
            try ipc.waitForProperty("secondary-sid") { $0 == 4 }
            try ipc.command(["sub-remove", 5])
            try ipc.command(["sub-remove", 4])
            try ipc.waitForProperty("secondary-sid") { $0 == false }
            try waitForWhiteText(watcher, top: false, bottom: true)
            try ipc.command(["sub-remove"])
            try ipc.waitForProperty("sid") { $0 == false }
            try waitForWhiteText(watcher, top: false, bottom: false)
            #expect(try ipc.property("track-list/count") == 5)
            try player.quit()
        }
    }
}
