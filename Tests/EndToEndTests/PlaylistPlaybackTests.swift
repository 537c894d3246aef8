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

    @Test("names that are not UTF-8 play from a playlist, the command line and IPC, and are shown as UTF-8")
    func namesNeedNotBeUTF8() async throws {
        try await TestEnvironment.runExclusively {
            let folder = try TemporaryDirectory()
            let script = """
                name=$(printf 'lat\\344'); cp "$1" "$name.mp4"; cp "$2" "$name.srt"
                printf '#EXTM3U\\n#EXTINF:1,L\\344\\n%s.mp4\\nmissing.mp4\\nlist.m3u\\n' "$name" > list.m3u
                exec "$3" --vo=null --ao=null --input-ipc-server=ipc --pause --sub-file="$name.srt" "$name.mp4"
                """
            let player = try ChildProcess(
                Products.systemProgram("sh"),
                [
                    "-c", "cd \"$0\"\n" + script, folder.path, Fixtures.path("silent.mp4"),
                    Fixtures.path("cyrillic.srt"), Products.swiftplayPath,
                ])
            let ipc = try IPCClient(path: folder.file("ipc"))
            try ipc.waitForProperty("track-list/count") { $0 == 2 }
            #expect(try ipc.property("filename") == "lat\u{FFFD}.mp4")
            #expect(try ipc.property("track-list/1/title") == "lat\u{FFFD}.srt")
            let path = try #require(try ipc.property("path").string)
            #expect(path.hasPrefix("file:///") && path.hasSuffix("/lat%E4.mp4"))
            try ipc.command(["loadfile", .string(path)])
            try ipc.command(["loadfile", .string(folder.file("list.m3u")), "append"])
            try ipc.waitForProperty("playlist-count") { $0 == 2 }
            try ipc.command(["playlist-next"])
            try ipc.waitForProperty("media-title") { $0 == "Lä" }
            #expect(try ipc.property("playlist-count") == 4)
            try ipc.setProperty("pause", false)
            try ipc.setProperty("speed", 100)
            #expect(try player.waitForExit().reason == .exited(3))
            let list = folder.file("list.m3u")
            #expect(
                player.errors.text.contains("missing.mp4 (line 4 of \(list)): No such file"), "\(player.errors.text)")
            #expect(player.errors.text.contains("the playlist contains itself"), "\(player.errors.text)")
        }
    }

    @Test("a folder and --playlist play the files from --playlist-start on")
    func foldersAndPlaylistOptionsPlay() async throws {
        try await TestEnvironment.runExclusively {
            let folder = try TemporaryDirectory(), original = try Fixtures.path("short.mp4")
            for name in ["film 10.mp4", "film 2.mp4"] {
                try FileManager.default.createSymbolicLink(
                    atPath: folder.file(name), withDestinationPath: original)
            }
            try "film 10.mp4\nfilm 2.mp4\n".write(toFile: folder.file("list"), atomically: true, encoding: .utf8)
            for arguments in [[folder.path], ["--playlist=\(folder.file("list"))"]] {
                let player = try ChildProcess(
                    Products.swiftplayPath,
                    ["--vo=null", "--ao=null", "--untimed", "--playlist-start=1"] + arguments)
                #expect(try player.waitForExit().isSuccess, "\(player.errors.text)")
                #expect(player.output.text.contains("played 1 of 2"), "\(player.output.text)")
            }
        }
    }
}
