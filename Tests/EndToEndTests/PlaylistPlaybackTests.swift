import Foundation
import SystemCalls
import TestSupport
import Testing

@Suite("Playlists, loops and chapters")
struct PlaylistPlaybackTests {
    @Test("two files with the halves of a tone play without a gap", .measuresTime)
    func filesPlayWithoutAGap() async throws {
        try await TestEnvironment.runExclusively {
            let recorder = try AudioRecorder()
            let player = try RunningPlayer("half-a.flac", "half-b.flac", options: ["--vo=null"])
            #expect(try player.child.waitForExit().isSuccess, "\(player.child.errors.text)")
            let recording = recorder.stopRecording().trimmed()
            // The two halves of the tone last 2.3 s together. A silence of 3 ms (144 samples) counts as a gap.
            #expect(abs(recording.duration - 2.3) < 0.02, "\(recording.duration)")
            var silentSampleCount = 0, longestSilenceSampleCount = 0
            for sample in recording.samples {
                silentSampleCount = abs(sample) < 0.02 ? silentSampleCount + 1 : 0
                longestSilenceSampleCount = max(longestSilenceSampleCount, silentSampleCount)
            }
            #expect(longestSilenceSampleCount < 144, "\(longestSilenceSampleCount) samples of silence")
        }
    }

    @Test("--loop-playlist repeats the playlist, and properties report the position")
    func loopPlaylistRepeatsThePlaylist() async throws {
        try await TestEnvironment.runExclusively {
            let player = try RunningPlayer(
                "short.mp4", "silent.mp4", options: ["--vo=null", "--ao=null", "--loop-playlist=2", "--speed=4"])
            #expect(try player.ipc.property("playlist-count") == 2)
            #expect(try player.ipc.property("loop-playlist") == 1)
            try player.ipc.waitForProperty("playlist-pos") { $0 == 1 }
            try player.ipc.waitForProperty("playlist-pos") { $0 == 0 }
            #expect(try player.child.waitForExit().isSuccess)
        }
    }

    @Test("the A-B loop repeats until it is cleared")
    func abLoopRepeatsUntilCleared() async throws {
        try await TestEnvironment.runExclusively {
            let player = try RunningPlayer(
                "count30.mp4", options: ["--vo=null", "--ao=null", "--ab-loop-a=2", "--ab-loop-b=2.6", "--start=1.8"])
            var loopEndCount = 0
            try player.ipc.waitForProperty("time-pos") { value in
                guard let time = value.number else { return false }
                if time > 2.4 { loopEndCount += 1 }
                return loopEndCount > 0 && time < 2.3
            }
            try player.ipc.command(["ab-loop"])
            #expect(try player.ipc.property("ab-loop-a") == "no")
            try player.ipc.waitForProperty("time-pos") { ($0.number ?? 0) > 3 }
            try player.quit()
        }
    }

    @Test("chapters can be read and selected")
    func chaptersCanBeReadAndSelected() async throws {
        try await TestEnvironment.runExclusively {
            let player = try RunningPlayer("chapters.mkv", options: ["--vo=null", "--ao=null", "--pause"])
            try player.ipc.waitForProperty("chapters") { $0 == 3 }
            #expect(try player.ipc.property("chapter") == 0)
            try player.ipc.setProperty("chapter", 2)
            try player.ipc.waitForProperty("time-pos") { abs(($0.number ?? 0) - 1.2) < 0.01 }
            try player.ipc.command(["add", "chapter", -1])
            try player.ipc.waitForProperty("chapter") { $0 == 1 }
            try player.quit()
        }
    }
}
