import Foundation
import Glibc
import SystemCalls
import TestSupport
import Testing

/// Tests players whose X server or compositor is stopped with SIGSTOP.
@Suite("Stopped servers")
struct StoppedServerTests {
    /// Starts a player on a private X server, and stops the X server with SIGSTOP during playback.
    private func playOnStoppedXServer(_ options: [String] = ["--loop-file"]) throws -> (
        player: RunningPlayer, desktop: PrivateDesktop
    ) {
        let desktop = try PrivateDesktop(hasWindowManager: false)
        let player = try RunningPlayer("count30.mp4", options: options, environment: desktop.environment)
        try player.ipc.waitForProperty("vo-frame-id") { ($0.number ?? 0) > 10 }
        kill(desktop.serverPID, SIGSTOP)
        return (player, desktop)
    }

    @Test("while the X server is stopped, IPC replies to all clients")
    func ipcRepliesWhileTheXServerIsStopped() async throws {
        try await TestEnvironment.runExclusively {
            let (player, desktop) = try playOnStoppedXServer()
            defer { kill(desktop.serverPID, SIGCONT) }
            // Wait until the thread that shows frames is blocked because the X server does not reply.
            var frameID = SteadyValue<JSONValue>()
            _ = try Deadline.poll(for: .seconds(10), every: .milliseconds(20)) { () throws -> Bool? in
                frameID.isSteady(try player.ipc.property("vo-frame-id")) ? true : nil
            }
            let secondClient = try IPCClient(path: player.socketPath)
            for name in ["frame-drop-count", "avsync", "time-pos", "pause", "seeking", "picture-in-picture-possible"] {
                #expect(try player.ipc.exchange(["get_property", .string(name)])["error"] == "success", "\(name)")
                #expect(try secondClient.exchange(["get_property", .string(name)])["error"] == "success", "\(name)")
            }
        }
    }

    /// Reads properties of the player over IPC repeatedly until host time `end` (nanoseconds).
    ///
    /// - Returns: the longest time that a reply took, in nanoseconds.
    private func longestReplyTime(
        reading names: String..., of player: RunningPlayer, until end: Int64
    ) throws -> Int64 {
        var longestTime: Int64 = 0
        while MonotonicTime.now < end {
            for name in names {
                let requestTime = MonotonicTime.now
                #expect(try player.ipc.exchange(["get_property", .string(name)])["error"] == "success", "\(name)")
                longestTime = max(longestTime, MonotonicTime.now - requestTime)
            }
            usleep(5000)
        }
        return longestTime
    }

    @Test(
        "while the X server is stopped for 3 s, audio and commands continue; then the picture catches up",
        .measuresTime)
    func pictureCatchesUpWithTheAudioWhenTheXServerContinues() async throws {
        try await TestEnvironment.runExclusively {
            let recorder = try AudioRecorder(), scratch = try TemporaryDirectory()
            let (player, desktop) = try playOnStoppedXServer(["--stats=\(scratch.file("stats"))"])
            defer { kill(desktop.serverPID, SIGCONT) }
            let makeWatcher = { try ScreenWatcher(display: desktop.display) }
            let stopTime = MonotonicTime.now, startPosition = try player.ipc.property("time-pos").number ?? 0
            let longestTime = try longestReplyTime(
                reading: "time-pos", "frame-drop-count", of: player, until: stopTime + 3_000_000_000)
            #expect(longestTime < 250_000_000, "the longest reply took \(Double(longestTime) / 1e6) ms")
            let now = MonotonicTime.now, endPosition = try player.ipc.property("time-pos").number ?? 0
            let positionAdvance = endPosition - startPosition
            #expect(
                abs(positionAdvance - Double(now - stopTime) / 1e9) < 0.2, "from \(startPosition) to \(endPosition)")
            try recorder.wait(until: now)
            #expect(recorder.recording.between(stopTime, now).silentGaps().isEmpty)
            kill(desktop.serverPID, SIGCONT)
            let watcher = try makeWatcher()
            let hasCaughtUp = try Deadline.poll(for: .seconds(10)) { () throws -> Bool? in
                guard let frame = watcher.frameNumber(in: .player),
                    let time = try player.ipc.property("time-pos").number
                else { return nil }
                return abs(Double(frame) / 30 - time) < 0.15 ? true : nil
            }
            #expect(hasCaughtUp == true, "the picture did not catch up")
            try player.quit()
            let statistics = try JSONDecoder().decode(JSONValue.self, from: Data(scratch.text("stats").utf8))
            #expect(statistics["audio-underruns"] == 0)
        }
    }

    @Test("a stopped X server does not prevent pausing and resuming")
    func stoppedXServerDoesNotPreventPausing() async throws {
        try await TestEnvironment.runExclusively {
            let recorder = try AudioRecorder()
            let (player, desktop) = try playOnStoppedXServer([])
            defer { kill(desktop.serverPID, SIGCONT) }
            _ = try longestReplyTime(reading: "time-pos", of: player, until: MonotonicTime.now + 500_000_000)
            try player.ipc.setProperty("pause", true)
            let silenceStart = MonotonicTime.now + 500_000_000
            try recorder.wait(until: silenceStart + 500_000_000)
            let recording = recorder.recording.between(silenceStart, silenceStart + 500_000_000)
            #expect(recording.trimmed().duration == 0, "\(recording.trimmed().duration) s of sound in a pause")
            let pausedPosition = try player.ipc.property("time-pos")
            try player.ipc.setProperty("pause", false)
            let hasResumed = try Deadline.poll(for: .seconds(10)) { () throws -> Bool? in
                try (player.ipc.property("time-pos").number ?? 0) > (pausedPosition.number ?? 0) + 0.5 ? true : nil
            }
            #expect(hasResumed == true)
        }
    }

    @Test("a stopped X server does not prevent the player's exit", arguments: ["quit", "SIGTERM", "seek and quit"])
    func stoppedXServerDoesNotPreventExiting(by exitMethod: String) async throws {
        try await TestEnvironment.runExclusively {
            let (player, desktop) = try playOnStoppedXServer()
            defer { kill(desktop.serverPID, SIGCONT) }
            // A seek makes the player redraw its window.
            if exitMethod == "seek and quit" { try player.ipc.command(["seek", 10, "absolute"]) }
            if exitMethod == "SIGTERM" { player.child.signal(SIGTERM) } else { try player.ipc.command(["quit"]) }
            // The X server is continued only after the player has exited.
            let status = try player.child.waitForExit(within: .seconds(20))
            #expect(status.reason == .exited(exitMethod == "SIGTERM" ? 4 : 0), "\(status)")
        }
    }

    @Test("a stopped X server does not block the main queue when Picture-in-Picture ends", .measuresTime)
    func stoppedXServerDoesNotBlockTheMainQueue() async throws {
        try await TestEnvironment.runExclusively {
            let desktop = try PrivateDesktop(hasWindowManager: false), clip = try Fixtures.path("count30.mp4")
            let player = try RunningPlayer("count30.mp4", options: ["--loop-file"], environment: desktop.environment)
            try player.enterPictureInPicture()
            kill(desktop.serverPID, SIGSTOP)
            defer { kill(desktop.serverPID, SIGCONT) }
            try player.ipc.setProperty("picture-in-picture", false)
            var longestTime: Int64 = 0, fileCount = 1.0
            // The player's main queue appends the files to the playlist, so the time until a file is appended measures
            // the delay of the queue.
            let deadline = MonotonicTime.now + 1_000_000_000
            while MonotonicTime.now < deadline {
                let requestTime = MonotonicTime.now
                try player.ipc.command(["loadfile", .string(clip), "append"])
                fileCount += 1
                try player.ipc.waitForProperty("playlist-count") { $0.number == fileCount }
                longestTime = max(longestTime, MonotonicTime.now - requestTime)
            }
            #expect(longestTime < 200_000_000, "the main queue was blocked for \(Double(longestTime) / 1e6) ms")
            kill(desktop.serverPID, SIGCONT)
            let watcher = try ScreenWatcher(display: desktop.display)
            let frame = try watcher.waitForFrame(in: .player) { _ in true }
            try watcher.waitForFrame(in: .player) { $0 != frame }
            try player.ipc.waitForProperty("picture-in-picture") { $0 == false }
            try player.quit()
        }
    }

    @Test("IPC refuses Picture-in-Picture while it is not possible")
    func ipcRefusesImpossiblePictureInPicture() async throws {
        try await TestEnvironment.runExclusively {
            let player = try RunningPlayer(
                "count30.mp4", options: ["--vo=null", "--ao=null", "--loop-file"])
            try player.ipc.waitForProperty("vo-frame-id") { ($0.number ?? 0) > 0 }
            #expect(
                try player.ipc.exchange(["set_property", "picture-in-picture", true])["error"] == "property unavailable"
            )
            #expect(try player.ipc.exchange(["cycle", "picture-in-picture"])["error"] != "success")
            #expect(try player.ipc.exchange(["set_property", "picture-in-picture", false])["error"] == "success")
            try player.quit()
        }
    }

    @Test("the player in the floating window and a new player log that the compositor is stopped")
    func playersLogAStoppedCompositor() async throws {
        try await TestEnvironment.runExclusively {
            let directory = try RuntimeDirectory()
            let player = try RunningPlayer("count30.mp4", options: ["--loop-file"], directory: directory)
            try player.enterPictureInPicture()
            let compositor = try player.compositorPID()
            kill(compositor, SIGSTOP)
            defer { kill(compositor, SIGCONT) }
            #expect(
                player.child.errors.wait(for: "swiftplay-compositor accepts no frames"), "\(player.child.errors.text)")
            let newPlayer = try RunningPlayer("count30.mp4", options: ["--loop-file"], directory: directory)
            #expect(
                newPlayer.child.errors.wait(for: "swiftplay-compositor does not respond"),
                "\(newPlayer.child.errors.text)")
            kill(compositor, SIGCONT)
            try newPlayer.ipc.waitForProperty("picture-in-picture-possible") { $0 == true }
            try newPlayer.quit()
            try player.quit()
        }
    }

    @Test("while the compositor is stopped the player's window shows the frames, then the floating window again")
    func playersWindowShowsTheFramesWhileTheCompositorIsStopped() async throws {
        try await TestEnvironment.runExclusively {
            let player = try RunningPlayer("count30.mp4", options: ["--loop-file"]), watcher = try ScreenWatcher()
            try player.enterPictureInPicture()
            try watcher.waitForPlaceholder()
            // Wait for the end of the animation to the floating window, which covers the player's window.
            var area = SteadyValue<Window.Area>(for: .milliseconds(800))
            let isSteady = Deadline.poll(for: .seconds(10), every: .milliseconds(20)) { () -> Bool? in
                area.isSteady(watcher.window(.pictureInPicture)?.area) ? true : nil
            }
            try #require(isSteady == true)
            let compositor = try player.compositorPID()
            kill(compositor, SIGSTOP)
            defer { kill(compositor, SIGCONT) }
            try player.ipc.waitForProperty("picture-in-picture-stalled") { $0 == true }
            let frame = try watcher.waitForFrame(in: .player) { _ in true }
            try watcher.waitForFrame(in: .player) { $0 != frame }
            #expect(
                player.child.errors.wait(for: "swiftplay-compositor accepts no frames"), "\(player.child.errors.text)")
            #expect(try player.ipc.property("picture-in-picture") == true)
            kill(compositor, SIGCONT)
            try player.ipc.waitForProperty("picture-in-picture-stalled") { $0 == false }
            try watcher.waitForPlaceholder()
            let floatingFrame = try watcher.waitForFrame(in: .pictureInPicture) { _ in true }
            try watcher.waitForFrame(in: .pictureInPicture) { $0 != floatingFrame }
            try player.leavePictureInPicture()
            try watcher.waitForFrame(in: .player) { _ in true }
            try player.quit()
        }
    }

    @Test("a stopped compositor delays a new player only briefly", arguments: [[], ["--pip"]])
    func stoppedCompositorDelaysANewPlayerOnlyBriefly(options: [String]) async throws {
        try await TestEnvironment.runExclusively {
            let directory = try RuntimeDirectory()
            let player = try RunningPlayer("count30.mp4", options: ["--loop-file"], directory: directory)
            try player.ipc.waitForProperty("picture-in-picture-possible") { $0 == true }
            let compositor = try player.compositorPID()
            kill(compositor, SIGSTOP)
            defer { kill(compositor, SIGCONT) }
            let newPlayer = try RunningPlayer("count30.mp4", options: options, directory: directory)
            try newPlayer.ipc.waitForProperty("vo-frame-id") { ($0.number ?? 0) > 0 }
            let firstFrameTime = MonotonicTime.now
            try newPlayer.ipc.waitForProperty("time-pos") { ($0.number ?? 0) > 0 }
            // The player waits at most half a second for the compositor's permission to play audio.
            let delay = MonotonicTime.now - firstFrameTime
            #expect(delay < 1_500_000_000, "\(Double(delay) / 1e9) s")
            try newPlayer.quit()
        }
    }
}
