import Foundation
import TestSupport
import Testing

@Suite("Subtitles and tracks")
struct SubtitleTests {
    /// Returns whether a color (0xRRGGBB) is that of the white subtitles, which the test clips have in the lower third
    /// of the picture.
    private static func isWhite(_ colour: UInt32) -> Bool { colour & 0xF0F0F0 == 0xF0F0F0 }
    /// Returns whether a color (0xRRGGBB) is that of the red subtitles, which the test clips have in the upper third of
    /// the picture.
    private static func isRed(_ colour: UInt32) -> Bool {
        colour >> 16 > 200 && colour >> 8 & 0xFF < 60 && colour & 0xFF < 60
    }
    /// Returns whether a window shows white subtitles in the lower third of the picture.
    static func showsWhiteSubtitles(_ watcher: ScreenWatcher, _ window: WindowQuery) -> Bool {
        (watcher.pixelCount(in: window, from: 0.68, to: 1, where: isWhite) ?? 0) > 60
    }
    /// Returns whether a window shows red subtitles in the upper third of the picture.
    static func showsRedSubtitles(_ watcher: ScreenWatcher, _ window: WindowQuery) -> Bool {
        (watcher.pixelCount(in: window, from: 0, to: 0.35, where: isRed) ?? 0) > 60
    }

    /// Waits until `condition` returns true; `expectedState` describes the condition in the error message.
    private func waitFor(_ expectedState: String, _ condition: () -> Bool) throws {
        if Deadline.poll(for: .seconds(10), { condition() ? true : nil }) == nil {
            throw TestFailure("timeout: \(expectedState)")
        }
    }

    @Test("subtitles are visible at their times, and not before or after")
    func subtitlesAreVisibleAtTheirTimes() async throws {
        try await TestEnvironment.runExclusively {
            let watcher = try ScreenWatcher()
            let player = try RunningPlayer("tracks.mkv", options: ["--sid=1", "--pause", "--sub-auto=no"])
            try watcher.waitForFrame(in: .player)
            for (time, isVisible) in [(0.5, false), (1.5, true), (2.9, true), (3.2, false), (5.1, true), (8.0, true)] {
                try player.ipc.command(["seek", .number(time), "absolute"])
                try watcher.waitForFrame(in: .player) { abs($0 - Int(time * 30)) <= 1 }
                try waitFor("text at \(time): \(isVisible)") { Self.showsWhiteSubtitles(watcher, .player) == isVisible }
                #expect(
                    try player.ipc.property("sub-text")
                        == .string(!isVisible ? "" : time < 4 ? "FIRST LINE" : "A LONG LINE"))
            }
            try player.quit()
        }
    }

    @Test("a subtitle that began long before the target of a seek or --start is visible", arguments: [true, false])
    func seekIntoASubtitleShowsTheSubtitle(_ usesOption: Bool) async throws {
        try await TestEnvironment.runExclusively {
            let watcher = try ScreenWatcher()
            let player = try RunningPlayer(
                "tracks.mkv", options: ["--sid=1", "--pause", "--sub-auto=no"] + (usesOption ? ["--start=10.5"] : []))
            try watcher.waitForFrame(in: .player)
            if !usesOption { try player.ipc.command(["seek", 10.5, "absolute"]) }
            try watcher.waitForFrame(in: .player) { $0 == 315 }
            try waitFor("the line that began at 5 s") { Self.showsWhiteSubtitles(watcher, .player) }
            #expect(try player.ipc.property("sub-text") == "A LONG LINE")
            try player.quit()
        }
    }

    @Test(
        "DVD subtitles are visible at their position and in their color", arguments: ["dvd.idx", "dvd.mkv", "dvd.mpg"])
    func dvdSubtitlesAreVisible(_ name: String) async throws {
        try await TestEnvironment.runExclusively {
            let watcher = try ScreenWatcher()
            let isSubtitleFile = name.hasSuffix("idx"), film = isSubtitleFile ? "tracks.mkv" : name
            let player = try RunningPlayer(
                film,
                options: ["--start=4.6", "--sub-auto=no"]
                    + (isSubtitleFile ? ["--sub-file=\(Fixtures.path(name))", "--sid=3"] : ["--sid=1"]))
            // An MPEG program stream (dvd.mpg) has no palette, so the decoder chooses the colors, and the subtitle is
            // white instead of red. The stream has no index of its subtitles either, so playback starts at
            // 4.6 s, before the subtitle.
            let isSubtitleColor = name.hasSuffix("mpg") ? Self.isWhite : Self.isRed
            let height = name.hasSuffix("mpg") ? 480.0 : 576
            func subtitlePixelCount(_ top: Double, _ bottom: Double) -> Int {
                watcher.pixelCount(in: .player, from: top / height, to: bottom / height, where: isSubtitleColor) ?? 0
            }
            try waitFor("the subtitle") { subtitlePixelCount(400, 448) > 100 }
            #expect(subtitlePixelCount(height * 0.68, 396) == 0)
            try player.ipc.setProperty("pause", true)
            try player.ipc.command(["seek", 4, "absolute"])
            try waitFor("no subtitle") { subtitlePixelCount(400, 448) == 0 }
            try player.quit()
        }
    }

    @Test("tracks can be listed, selected, hidden, delayed and scaled")
    func tracksCanBeSelectedAndAdjusted() async throws {
        try await TestEnvironment.runExclusively {
            let watcher = try ScreenWatcher()
            // Play from the beginning, because a subtitle is known only after the demuxer has read it.
            let player = try RunningPlayer("tracks.mkv", options: ["--no-sub", "--pause", "--sub-auto=no"])
            try watcher.waitForFrame(in: .player) { $0 == 0 }
            let ipc = try player.ipc
            guard case .array(let list) = try ipc.property("track-list") else { throw TestFailure("no track list") }
            #expect(list.map { $0["type"] } == ["video", "audio", "audio", "sub", "sub"])
            #expect(list.map { $0["id"] } == [1, 1, 2, 1, 2])
            #expect(list.map { $0["codec"] } == ["h264", "flac", "flac", "subrip", "ass"])
            #expect(list.dropFirst().map { $0["lang"] } == ["eng", "deu", "eng", "deu"])
            #expect(list.map { $0["selected"] } == [true, true, false, false, false])
            #expect(try ipc.property("sid") == false)
            #expect(!Self.showsWhiteSubtitles(watcher, .player) && !Self.showsRedSubtitles(watcher, .player))
            try ipc.command(["seek", 4.5, "absolute"])
            try watcher.waitForFrame(in: .player) { abs($0 - 135) <= 1 }
            try ipc.setProperty("sid", 1)
            try ipc.setProperty("pause", false)
            try watcher.waitForFrame(in: .player) { $0 >= 155 }
            try ipc.setProperty("pause", true)
            try waitFor("the first track's text") {
                Self.showsWhiteSubtitles(watcher, .player) && !Self.showsRedSubtitles(watcher, .player)
            }
            try ipc.command(["cycle", "sid"])
            try waitFor("the second track's text") {
                Self.showsRedSubtitles(watcher, .player) && !Self.showsWhiteSubtitles(watcher, .player)
            }
            try ipc.command(["cycle", "sid"])
            try waitFor("no text") {
                !Self.showsRedSubtitles(watcher, .player) && !Self.showsWhiteSubtitles(watcher, .player)
            }
            #expect(try ipc.property("sid") == false)
            try ipc.setProperty("sid", 1)
            try waitFor("the first track's text again") { Self.showsWhiteSubtitles(watcher, .player) }
            try ipc.setProperty("sub-visibility", false)
            try waitFor("hidden text") { !Self.showsWhiteSubtitles(watcher, .player) }
            try ipc.setProperty("sub-visibility", true)
            try waitFor("shown text") { Self.showsWhiteSubtitles(watcher, .player) }
            try ipc.setProperty("sub-delay", 2)
            try waitFor("no text because of the delay") { !Self.showsWhiteSubtitles(watcher, .player) }
            try ipc.setProperty("sub-delay", 0)
            try waitFor("text without the delay") { Self.showsWhiteSubtitles(watcher, .player) }
            let normalCount = watcher.pixelCount(in: .player, from: 0.68, where: Self.isWhite) ?? 0
            try ipc.setProperty("sub-scale", 2)
            try waitFor("larger text") {
                (watcher.pixelCount(in: .player, from: 0.68, where: Self.isWhite) ?? 0) > normalCount * 3 / 2
            }
            try player.quit()
        }
    }

    @Test("switching the audio track causes no gap, and video continues", .measuresTime)
    func audioTrackSwitchesWithoutAGap() async throws {
        try await TestEnvironment.runExclusively {
            let screenRecorder = try ScreenRecorder([.player])
            let audioRecorder = try AudioRecorder()
            let player = try RunningPlayer("tracks.mkv", options: ["--no-sub"])
            try screenRecorder.wait { ($0.frame ?? 0) >= 60 }
            try player.ipc.setProperty("aid", 2)
            try player.ipc.waitForProperty("aid") { $0 == 2 }
            let endChange = try screenRecorder.wait { ($0.frame ?? 0) >= 150 }
            let recording = screenRecorder.stopRecording()
            try audioRecorder.wait(until: endChange.time)
            let audioRecording = audioRecorder.stopRecording().trimmed()
            try player.quit()
            #expect(audioRecording.silentGaps().isEmpty)
            let firstTone = audioRecording.toneEnvelope(300, window: .milliseconds(50)),
                secondTone = audioRecording.toneEnvelope(700, window: .milliseconds(50))
            #expect(firstTone[5].amplitude > 0.1 && secondTone[5].amplitude < 0.05)
            #expect((firstTone.last?.amplitude ?? 1) < 0.05 && (secondTone.last?.amplitude ?? 0) > 0.1)
            #expect(recording.backwardStepCount(in: .player) == 0)
            let missedFrames = recording.missedFrameNumbers
            #expect(missedFrames.count <= 1, "\(missedFrames)")
        }
    }

    @Test("audio can be enabled and disabled during playback")
    func audioCanBeEnabledAndDisabled() async throws {
        try await TestEnvironment.runExclusively {
            let watcher = try ScreenWatcher()
            let player = try RunningPlayer("tracks.mkv", options: ["--no-sub", "--aid=no"])
            try watcher.waitForFrame(in: .player) { $0 >= 15 }
            try player.ipc.setProperty("aid", 2)
            try player.ipc.waitForProperty("aid") { $0 == 2 }
            let recorder = try AudioRecorder()
            let frame = try watcher.waitForFrame(in: .player) { $0 >= 90 }
            try player.ipc.setProperty("aid", false)
            try player.ipc.waitForProperty("aid") { $0 == false }
            try watcher.waitForFrame(in: .player) { $0 >= frame + 30 }
            let recording = recorder.stopRecording()
            try player.quit()
            #expect(recording.toneEnvelope(700, window: .milliseconds(50)).contains { $0.amplitude > 0.1 })
            #expect(recording.toneEnvelope(300, window: .milliseconds(50)).allSatisfy { $0.amplitude < 0.05 })
            let lastAmplitudes = recording.toneEnvelope(700, window: .milliseconds(50)).suffix(6)
            #expect(lastAmplitudes.allSatisfy { $0.amplitude < 0.02 })
        }
    }

    @Test("a subtitle file beside the media is loaded, and another character set is decoded")
    func subtitleFilesAreLoaded() async throws {
        try await TestEnvironment.runExclusively {
            let watcher = try ScreenWatcher()
            let player = try RunningPlayer("tracks.mkv", options: ["--pause"])
            try watcher.waitForFrame(in: .player)
            let ipc = try player.ipc
            try ipc.waitForProperty("sub-text") { $0 == "BESIDE" }
            try waitFor("the text of the subtitle file") { Self.showsWhiteSubtitles(watcher, .player) }
            #expect(try ipc.property("track-list/5/lang") == "fr")
            #expect(try ipc.property("track-list/5/external") == true)
            try ipc.command(["sub-add", .string(try Fixtures.path("cyrillic.srt"))])
            try ipc.waitForProperty("sub-text") { $0 == "Съешь же ещё этих мягких французских булок, да выпей чаю" }
            #expect(try ipc.property("sid") == 4)
            try player.quit()
        }
    }

    @Test("--alang and --slang select the tracks")
    func languageOptionsSelectTheTracks() async throws {
        try await TestEnvironment.runExclusively {
            let player = try RunningPlayer(
                "tracks.mkv", options: ["--vo=null", "--pause", "--alang=fr,de", "--slang=en"])
            try player.ipc.waitForProperty("aid") { $0 == 2 }
            #expect(try player.ipc.property("sid") == 1)
            try player.quit()
        }
    }

    @Test("the floating window shows subtitles in its size, and updates them while paused")
    func floatingWindowShowsSubtitles() async throws {
        try await TestEnvironment.runExclusively {
            let watcher = try ScreenWatcher()
            let player = try RunningPlayer("tracks.mkv", options: ["--sid=2", "--sub-auto=no"])
            try watcher.waitForFrame(in: .player)
            try player.enterPictureInPicture()
            try waitFor("text in the floating window") { Self.showsRedSubtitles(watcher, .pictureInPicture) }
            try waitFor("the placeholder without text") { !Self.showsRedSubtitles(watcher, .player) }
            let pausedFrame = try player.pauseAtFrame(in: .pictureInPicture, watcher)
            try player.ipc.setProperty("sid", false)
            try waitFor("no text") { !Self.showsRedSubtitles(watcher, .pictureInPicture) }
            try player.ipc.setProperty("sid", 2)
            try waitFor("text again") { Self.showsRedSubtitles(watcher, .pictureInPicture) }
            #expect(watcher.frameNumber(in: .pictureInPicture) == pausedFrame)
            let normalCount = watcher.pixelCount(in: .pictureInPicture, from: 0, to: 0.35, where: Self.isRed) ?? 0
            try player.ipc.setProperty("sub-scale", 2)
            try waitFor("larger text") {
                let count = watcher.pixelCount(in: .pictureInPicture, from: 0, to: 0.44, where: Self.isRed) ?? 0
                return count > normalCount * 3 / 2
            }
            try player.leavePictureInPicture()
            try waitFor("text in the window") { Self.showsRedSubtitles(watcher, .player) }
            try player.quit()
        }
    }

    @Test("subtitles are visible in the terminal")
    func terminalShowsSubtitles() async throws {
        try await TestEnvironment.runExclusively {
            let directory = try RuntimeDirectory()
            let pty = try TerminalProcess(
                Products.swiftplayPath,
                ["--vo=tct", "--ao=null", "--sub-auto=no", "--sid=1", "--start=4", "--", Fixtures.path("tracks.mkv")],
                environment: ["DISPLAY": nil], runtimeDirectory: directory)
            try waitFor("the words in the terminal") {
                Self.textWithoutControlSequences(pty.output.text).contains("A LONG LINE")
            }
            pty.type("q")
            #expect(try pty.child.waitForExit().isSuccess)
        }
    }

    /// Returns the text without terminal control sequences.
    private static func textWithoutControlSequences(_ text: String) -> String {
        text.replacing(/\u{1B}\[[0-9;?]*[A-Za-z]/, with: "")
    }
}
