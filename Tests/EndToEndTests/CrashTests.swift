import Foundation
import Glibc
import SystemCalls
import TestSupport
import Testing

/// Tests that all other processes continue after one process has crashed.
@Suite("Crashes")
struct CrashTests {
    @Test(
        "if the compositor is killed, the player's window shows the film, and a new compositor can be started",
        .measuresTime)
    func filmReturnsToThePlayerWhenTheCompositorIsKilled() async throws {
        try await TestEnvironment.runExclusively {
            let player = try RunningPlayer("count30.mp4", options: ["--pip"]), watcher = try ScreenWatcher()
            let recorder = try ScreenRecorder([.player, .pictureInPicture])
            let inside = try recorder.wait { $0.window == .pictureInPicture && ($0.frame ?? 0) >= 20 }
            let first = try player.compositorPID()
            let last = try #require(watcher.frameNumber(in: .pictureInPicture))
            kill(first, SIGKILL)
            let back = try recorder.wait { $0.window == .player && ($0.frame ?? 0) >= last }
            #expect(back.frame ?? 0 <= last + 3)
            try recorder.wait { $0.window == .player && ($0.frame ?? 0) > last + 30 }
            let seen = recorder.recording.between(inside.time, .max)
            #expect(seen.missedFrameNumbers.count <= 2, "missed \(seen.missedFrameNumbers)")
            #expect(try player.ipc.property("pause") == false)
            try player.ipc.waitForProperty("picture-in-picture") { $0 == false }

            try player.enterPictureInPicture()
            let again = try watcher.waitForFrame(in: .pictureInPicture)
            try watcher.waitForFrame(in: .pictureInPicture) { $0 > again + 10 }
            #expect(try player.compositorPID() != first)
            try player.quit()
        }
    }

    @Test(
        "if a player is killed in Picture-in-Picture, the compositor frees its resources and serves the next player"
    )
    func compositorFreesTheResourcesOfAKilledPlayer() async throws {
        try await TestEnvironment.runExclusively {
            let second = try RunningPlayer("count30.mp4", options: ["--title=second", "--geometry=320x180+50+60"]),
                watcher = try ScreenWatcher()
            try second.ipc.waitForProperty("picture-in-picture-possible") { $0 == true }
            let compositor = try second.compositorPID()
            try second.directory.waitUntilAudioRouteIsKnown()
            let before = ProcessUsage.openDescriptorCount(of: compositor)
            #expect(before > 0)

            let first = try RunningPlayer(
                "count30.mp4", options: ["--pip", "--title=first", "--geometry=320x180+450+60"],
                directory: second.directory)
            try watcher.waitForFrame(in: .pictureInPicture) { $0 >= 10 }
            #expect(ProcessUsage.openDescriptorCount(of: compositor) > before)
            first.child.signal(SIGKILL)
            try first.child.waitForExit()
            try watcher.waitForNoWindow(.pictureInPicture)
            let freed = Deadline.poll(for: .seconds(5)) {
                ProcessUsage.openDescriptorCount(of: compositor) == before ? true : nil
            }
            #expect(freed == true, "\(ProcessUsage.openDescriptorCount(of: compositor)) descriptors, \(before) before")
            let isUnmapped = Deadline.poll(for: .seconds(5)) {
                ProcessUsage.memoryMaps(of: compositor).contains { $0.contains("memfd:swiftplay-frame") } ? nil : true
            }
            #expect(isUnmapped == true, "the frames of the killed player are still mapped")

            let third = try RunningPlayer(
                "count30.mp4", options: ["--pip", "--title=third"], directory: second.directory)
            try watcher.waitForFrame(in: .pictureInPicture) { $0 >= 10 }
            #expect(try third.compositorPID() == compositor)
            try third.quit()
            try second.quit()
        }
    }

    @Test("if the X server is killed, the player reports it and exits with 1", arguments: [[], ["--pip"]])
    func playerExitsWhenTheXServerIsKilled(options: [String]) async throws {
        try await TestEnvironment.runExclusively {
            let server = try ChildProcess(
                Products.systemProgram("Xvfb"),
                ["-displayfd", "1", "-screen", "0", "800x600x24", "-nolisten", "tcp", "-noreset"])
            #expect(server.output.wait(for: "\n"))
            let display = ":" + server.output.text.trimmingCharacters(in: .whitespacesAndNewlines)
            let player = try RunningPlayer("count30.mp4", options: options, environment: ["DISPLAY": display])
            try player.ipc.waitForProperty("picture-in-picture") { $0 == .bool(!options.isEmpty) }
            try player.ipc.waitForProperty("vo-frame-id") { ($0.number ?? 0) > 10 }
            server.signal(SIGKILL)
            let status = try player.child.waitForExit()
            #expect(status.reason == .exited(1))
            #expect(player.child.errors.text.contains("X server"), "\(player.child.errors.text)")
        }
    }

    @Test(
        "if the sound server is killed, the video continues; the audio returns with the next sound server",
        .measuresTime)
    func audioReturnsAfterTheSoundServerIsKilled() async throws {
        try await TestEnvironment.runExclusively {
            let sound = try SoundServerSetup()
            sound.server.signal(SIGKILL)
            try sound.server.waitForExit()
            try sound.watcher.waitForFrame(in: .player) { $0 >= sound.firstFrameNumber + 60 }
            try? FileManager.default.removeItem(atPath: sound.socket)
            let second = try SoundServerSetup.startServer(in: sound.scratch)
            let isBack = Deadline.poll(for: .seconds(10)) {
                (try? SoundServerSetup.playbackStreams(at: sound.socket))?.isEmpty == false ? true : nil
            }
            #expect(isBack == true, "\(sound.player.child.errors.text)")
            let later = try #require(sound.watcher.frameNumber(in: .player))
            try sound.watcher.waitForFrame(in: .player) { $0 >= later + 60 }
            let seen = sound.recorder.recording.between(sound.firstFrameTime, .max)
            #expect(seen.missedFrameNumbers.count <= 5, "missed \(seen.missedFrameNumbers)")
            try sound.player.quit()
            second.signal(SIGTERM)
        }
    }

    @Test(
        "if the sound server stops answering, the video continues, and the player can pause and quit",
        .measuresTime)
    func videoContinuesWhileTheSoundServerIsStopped() async throws {
        try await TestEnvironment.runExclusively {
            let sound = try SoundServerSetup()
            sound.server.signal(SIGSTOP)
            // 150 frames (5 s) are long enough for the player to detect the stopped sound server and to try to
            // reconnect several times.
            let end = try sound.recorder.wait { ($0.frame ?? 0) >= sound.firstFrameNumber + 150 }
            let seen = sound.recorder.recording.between(sound.firstFrameTime, end.time)
            // A busy machine may miss a few frames. A video that waits for the sound server would show no frame at all.
            #expect(seen.missedFrameNumbers.count <= 5, "missed \(seen.missedFrameNumbers)")
            #expect(seen.longestFreeze < 700_000_000, "\(seen.longestFreeze)")
            _ = try sound.player.pauseAtFrame(sound.watcher)
            #expect(try sound.player.quit().isSuccess)
            sound.server.signal(SIGCONT)
            sound.server.signal(SIGTERM)
        }
    }

    @Test(
        "after a signal the player removes its window and socket, and exits with 4",
        arguments: [SIGTERM, SIGINT, SIGHUP])
    func terminatedPlayerRemovesItsWindowAndSocket(signal: Int32) async throws {
        try await TestEnvironment.runExclusively {
            let player = try RunningPlayer("count30.mp4"), watcher = try ScreenWatcher()
            try watcher.waitForFrame(in: .player)
            player.child.signal(signal)
            #expect(try player.child.waitForExit().reason == .exited(4))
            try watcher.waitForNoWindow(.player)
            #expect(!FileManager.default.fileExists(atPath: player.socketPath))
        }
    }
}
