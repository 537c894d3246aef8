import SystemCalls
import TestSupport
import Testing

/// Tests that the picture moves from the player's window to the compositor's window and back without a visible or
/// audible gap.
@Suite("Picture-in-Picture")
struct PictureInPictureTests {
    @Test(
        "during playback both moves show every frame in one of the windows, in order, and the audio has no gap",
        .measuresTime)
    func movingThePictureShowsEveryFrame() async throws {
        try await TestEnvironment.runExclusively {
            let player = try RunningPlayer("count30.mp4"), watcher = try ScreenWatcher()
            try watcher.waitForFrame(in: .player) { $0 >= 5 }
            try player.ipc.waitForProperty("picture-in-picture-possible") { $0 == true }
            let audioRecorder = try AudioRecorder(), recorder = try ScreenRecorder([.player, .pictureInPicture])
            let startChange = try recorder.wait { $0.window == .player && $0.frame != nil }
            try recorder.wait { $0.window == .player && ($0.frame ?? 0) > (startChange.frame ?? 0) + 10 }

            try player.ipc.setProperty("picture-in-picture", true)
            let arrivalChange = try recorder.wait { $0.window == .pictureInPicture && $0.frame != nil }
            try recorder.wait { $0.window == .pictureInPicture && ($0.frame ?? 0) > (arrivalChange.frame ?? 0) + 25 }
            #expect(try watcher.waitForWindow(.pictureInPicture).title == "Picture-in-Picture")
            try player.ipc.waitForProperty("picture-in-picture") { $0 == true }
            // The player's window stays open and shows a placeholder.
            try watcher.waitForPlaceholder()
            let lastFrame = try #require(watcher.frameNumber(in: .pictureInPicture))

            try player.ipc.setProperty("picture-in-picture", false)
            let returnChange = try recorder.wait { $0.window == .player && ($0.frame ?? 0) >= lastFrame }
            try watcher.waitForNoWindow(.pictureInPicture)
            let returnFrame = returnChange.frame ?? 0
            let endChange = try recorder.wait { $0.window == .player && ($0.frame ?? 0) > returnFrame + 15 }
            try audioRecorder.wait(until: endChange.time)
            let recording = recorder.stopRecording().between(startChange.time, endChange.time)
            let droppedCount = try player.ipc.property("frame-drop-count")
            // On a busy machine the player may drop a few frames, which it counts. All other frames must be visible.
            #expect(
                recording.missedFrameNumbers.count <= Int(min(droppedCount.number ?? 0, 10)),
                "missed \(recording.missedFrameNumbers); the player dropped \(droppedCount)")
            #expect(recording.backwardStepCount(in: .player) == 0)
            #expect(recording.backwardStepCount(in: .pictureInPicture) == 0)
            let audioRecording = audioRecorder.stopRecording().between(startChange.time, endChange.time)
            #expect(audioRecording.silentGaps().isEmpty, "\(audioRecording.silentGaps())")
            #expect(audioRecording.clickTimes().isEmpty, "\(audioRecording.clickTimes())")
            #expect(audioRecording.toneAmplitude(200) > 0.015)
            try player.quit()
        }
    }

    @Test("while paused both windows show the same frame", .measuresTime)
    func pausedFrameIsTheSameInBothWindows() async throws {
        try await TestEnvironment.runExclusively {
            let player = try RunningPlayer("count30.mp4"), watcher = try ScreenWatcher()
            try watcher.waitForFrame(in: .player) { $0 >= 10 }
            let frame = try player.pauseAtFrame(watcher)
            let recorder = try ScreenRecorder([.player, .pictureInPicture])
            try player.enterPictureInPicture()
            try watcher.waitForFrame(in: .pictureInPicture) { $0 == frame }
            try watcher.waitForPlaceholder()
            try player.leavePictureInPicture()
            try watcher.waitForNoWindow(.pictureInPicture)
            try watcher.waitForFrame(in: .player) { $0 == frame }
            #expect(Set(recorder.stopRecording().frames().map(\.frame)) == [frame])
            #expect(try player.ipc.property("pause") == true)
            try player.ipc.setProperty("pause", false)
            try watcher.waitForFrame(in: .player) { $0 > frame + 5 }
            try player.quit()
        }
    }

    @Test("--pip starts in the floating window")
    func pipOptionStartsInTheFloatingWindow() async throws {
        try await TestEnvironment.runExclusively {
            let player = try RunningPlayer("count30.mp4", options: ["--pip"]), watcher = try ScreenWatcher()
            let firstFrame = try watcher.waitForFrame(in: .pictureInPicture)
            try watcher.waitForFrame(in: .pictureInPicture) { $0 > firstFrame + 10 }
            try watcher.waitForPlaceholder()
            try player.ipc.waitForProperty("picture-in-picture") { $0 == true }
            try player.quit()
            try watcher.waitForNoWindow(.pictureInPicture)
        }
    }

    @Test("the compositor maps frames read-only, and links neither demuxers nor decoders")
    func compositorMapsFramesReadOnly() async throws {
        try await TestEnvironment.runExclusively {
            let player = try RunningPlayer("count30.mp4", options: ["--pip"]), watcher = try ScreenWatcher()
            try watcher.waitForFrame(in: .pictureInPicture) { $0 >= 20 }
            let maps = ProcessUsage.memoryMaps(of: try player.compositorPID())
            let frames = maps.filter { $0.contains("memfd:swiftplay-frame") }
            #expect(!frames.isEmpty)
            #expect(frames.allSatisfy { $0.contains(" r--s ") }, "\(frames)")
            #expect(!maps.contains { $0.contains("libavformat") || $0.contains("libavcodec") })
            let libraries = try run("ldd", [Products.compositorPath])
            #expect(libraries.contains("libxcb"))
            #expect(!libraries.contains("libavformat") && !libraries.contains("libavcodec"))
            #expect(ProcessUsage.memoryMaps(of: player.child.pid).contains { $0.contains("memfd:swiftplay-frame") })
            try player.quit()
        }
    }
}
