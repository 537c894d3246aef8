import TestSupport
import Testing

/// Tests of separate audio files in the player program. Each file contains a tone of its own.
@Suite("Audio files")
struct AudioFileTests {
    /// Returns the tones of 300, 1500 and 2500 Hz that the default device plays while `count` frames are shown.
    private func tones(_ watcher: ScreenWatcher, frameCount count: Int = 30) throws -> [Double] {
        let firstFrame = try watcher.waitForFrame(in: .player)
        let recorder = try AudioRecorder()
        try watcher.waitForFrame(in: .player) { $0 >= firstFrame + count }
        let recording = recorder.stopRecording()
        return [300, 1500, 2500].filter { tone in
            recording.toneEnvelope(tone, window: .milliseconds(50)).contains { $0.amplitude > 0.1 }
        }
    }

    @Test("--audio-file replaces the audio of a film, or adds audio to a film without it")
    func audioFilesOfTheCommandLineArePlayed() async throws {
        try await TestEnvironment.runExclusively {
            for name in ["tracks.mkv", "silent.mp4"] {
                let watcher = try ScreenWatcher()
                let player = try RunningPlayer(
                    name, options: ["--audio-file=\(Fixtures.path("tone-1500.flac"))", "--no-sub"])
                #expect(try tones(watcher) == [1500], "\(name)")
                let trackNumber = name == "silent.mp4" ? 1.0 : 3
                #expect(try player.ipc.property("aid") == .number(trackNumber))
                #expect(try player.ipc.property("current-tracks/audio/external") == true)
                #expect(try player.ipc.property("current-tracks/audio/title") == "tone-1500.flac")
                try player.quit()
            }
        }
    }

    @Test("audio-add and audio-remove change the audio of a playing film", arguments: ["tracks.mkv", "silent.mp4"])
    func audioFilesAreAddedAndRemoved(_ name: String) async throws {
        let ownTrackCount = name == "silent.mp4" ? 0.0 : 2, otherTrackCount = name == "silent.mp4" ? 1.0 : 4
        try await TestEnvironment.runExclusively {
            let watcher = try ScreenWatcher()
            let player = try RunningPlayer(name, options: ["--no-sub", "--loop", "--alang=en"])
            let ipc = try player.ipc
            try watcher.waitForFrame(in: .player)
            try ipc.command(["audio-add", .string(Fixtures.path("tone-1500.flac")), "auto", "Comments", "en"])
            try ipc.waitForProperty("track-list/count") { $0 == .number(ownTrackCount + otherTrackCount + 1) }
            try ipc.setProperty("pause", true)
            try ipc.command(["seek", 0, "absolute"])
            try watcher.waitForFrame(in: .player) { $0 == 0 }
            // The player does not select the added file, although the file's language is the preferred one.
            let number = try ipc.property("aid")
            #expect(number == (ownTrackCount == 0 ? .bool(false) : .number(1)))
            try ipc.command(["audio-add", .string(Fixtures.path("tone-2500.flac")), "select"])
            try ipc.waitForProperty("aid") { $0 == .number(ownTrackCount + 2) }
            try ipc.setProperty("pause", false)
            guard case .array(let list) = try ipc.property("track-list") else { throw TestFailure("no track list") }
            #expect(
                list.filter { $0["type"] == "audio" }.suffix(2).map { $0["title"] } == ["Comments", "tone-2500.flac"])
            try ipc.setProperty("pause", true)
            try ipc.command(["seek", 0, "absolute"])
            try watcher.waitForFrame(in: .player) { $0 == 0 }
            try ipc.setProperty("pause", false)
            // The sound server may still play the end of the previous track for a moment.
            try watcher.waitForFrame(in: .player) { $0 >= 6 }
            let heardTones = try tones(watcher)
            #expect(heardTones == [2500])
            try ipc.command(["audio-remove"])
            try ipc.waitForProperty("aid") { $0 == false }
            try ipc.setProperty("aid", .number(ownTrackCount + 1))
            try ipc.waitForProperty("aid") { $0 == .number(ownTrackCount + 1) }
            #expect(try tones(watcher).contains(1500))
            #expect(throws: (any Error).self) { try ipc.command(["audio-remove", 9]) }
            try player.quit()
        }
    }
}
