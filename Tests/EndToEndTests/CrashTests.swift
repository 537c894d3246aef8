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
            let startChange = try recorder.wait { $0.window == .pictureInPicture && ($0.frame ?? 0) >= 20 }
            let firstCompositor = try player.compositorPID()
            let lastFrame = try #require(watcher.frameNumber(in: .pictureInPicture))
            kill(firstCompositor, SIGKILL)
            let returnChange = try recorder.wait { $0.window == .player && ($0.frame ?? 0) >= lastFrame }
            #expect(returnChange.frame ?? 0 <= lastFrame + 3)
            try recorder.wait { $0.window == .player && ($0.frame ?? 0) > lastFrame + 30 }
            let recording = recorder.recording.between(startChange.time, .max)
            #expect(recording.missedFrameNumbers.count <= 2, "missed \(recording.missedFrameNumbers)")
            #expect(try player.ipc.property("pause") == false)
            try player.ipc.waitForProperty("picture-in-picture") { $0 == false }

            try player.enterPictureInPicture()
            let frame = try watcher.waitForFrame(in: .pictureInPicture)
            try watcher.waitForFrame(in: .pictureInPicture) { $0 > frame + 10 }
            #expect(try player.compositorPID() != firstCompositor)
            try player.quit()
        }
    }

    @Test(
        "if a player is killed in Picture-in-Picture, the compositor frees its resources and serves the next player"
    )
    func compositorFreesTheResourcesOfAKilledPlayer() async throws {
        try await TestEnvironment.runExclusively {
            let
                otherPlayer = try RunningPlayer(
                    "count30.mp4", options: ["--title=second", "--geometry=320x180+50+60"]),
                watcher = try ScreenWatcher()
            try otherPlayer.ipc.waitForProperty("picture-in-picture-possible") { $0 == true }
            let compositor = try otherPlayer.compositorPID()
            try otherPlayer.directory.waitUntilAudioRouteIsKnown()
            let initialCount = ProcessUsage.openDescriptorCount(of: compositor)
            #expect(initialCount > 0)

            let killedPlayer = try RunningPlayer(
                "count30.mp4", options: ["--pip", "--title=first", "--geometry=320x180+450+60"],
                directory: otherPlayer.directory)
            try watcher.waitForFrame(in: .pictureInPicture) { $0 >= 10 }
            #expect(ProcessUsage.openDescriptorCount(of: compositor) > initialCount)
            killedPlayer.child.signal(SIGKILL)
            try killedPlayer.child.waitForExit()
            try watcher.waitForNoWindow(.pictureInPicture)
            let isFreed = Deadline.poll(for: .seconds(5)) {
                ProcessUsage.openDescriptorCount(of: compositor) == initialCount ? true : nil
            }
            let count = ProcessUsage.openDescriptorCount(of: compositor)
            #expect(isFreed == true, "\(count) descriptors, \(initialCount) before")
            let isUnmapped = Deadline.poll(for: .seconds(5)) {
                ProcessUsage.memoryMaps(of: compositor).contains { $0.contains("memfd:swiftplay-frame") } ? nil : true
            }
            #expect(isUnmapped == true, "the frames of the killed player are still mapped")

            let nextPlayer = try RunningPlayer(
                "count30.mp4", options: ["--pip", "--title=third"], directory: otherPlayer.directory)
            try watcher.waitForFrame(in: .pictureInPicture) { $0 >= 10 }
            #expect(try nextPlayer.compositorPID() == compositor)
            try nextPlayer.quit()
            try otherPlayer.quit()
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
            let setup = try SoundServerSetup()
            setup.server.signal(SIGKILL)
            try setup.server.waitForExit()
            try setup.watcher.waitForFrame(in: .player) { $0 >= setup.firstFrameNumber + 60 }
            try? FileManager.default.removeItem(atPath: setup.socket)
            let newServer = try SoundServerSetup.startServer(in: setup.scratch)
            let hasReturned = Deadline.poll(for: .seconds(10)) {
                (try? SoundServerSetup.playbackStreams(at: setup.socket))?.isEmpty == false ? true : nil
            }
            #expect(hasReturned == true, "\(setup.player.child.errors.text)")
            let frameNumber = try #require(setup.watcher.frameNumber(in: .player))
            try setup.watcher.waitForFrame(in: .player) { $0 >= frameNumber + 60 }
            let recording = setup.recorder.recording.between(setup.firstFrameTime, .max)
            #expect(recording.missedFrameNumbers.count <= 5, "missed \(recording.missedFrameNumbers)")
            try setup.player.quit()
            newServer.signal(SIGTERM)
        }
    }

    @Test(
        "if the sound server is stopped, the video continues, and the player can pause and quit",
        .measuresTime)
    func videoContinuesWhileTheSoundServerIsStopped() async throws {
        try await TestEnvironment.runExclusively {
            let setup = try SoundServerSetup()
            setup.server.signal(SIGSTOP)
            // 150 frames (5 s) are long enough for the player to detect the stopped sound server and to try to
            // reconnect several times.
            let endChange = try setup.recorder.wait { ($0.frame ?? 0) >= setup.firstFrameNumber + 150 }
            let recording = setup.recorder.recording.between(setup.firstFrameTime, endChange.time)
            // A busy machine may miss a few frames. A video that waits for the sound server would show no frame at all.
            #expect(recording.missedFrameNumbers.count <= 5, "missed \(recording.missedFrameNumbers)")
            #expect(recording.longestFreeze < 700_000_000, "\(recording.longestFreeze)")
            _ = try setup.player.pauseAtFrame(setup.watcher)
            #expect(try setup.player.quit().isSuccess)
            setup.server.signal(SIGCONT)
            setup.server.signal(SIGTERM)
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
