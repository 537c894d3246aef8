import Foundation
import Glibc
import SystemCalls
import TestSupport
import Testing

/// Tests that a video call hides Picture-in-Picture windows for as long as it lasts.
@Suite("Picture-in-Picture: a video call")
struct PictureInPictureVideoCallTests {
    @Test("a video call hides the window, pauses its player and prevents new windows; its end restores all of it")
    func videoCallSuspendsPictureInPicture() async throws {
        try await TestEnvironment.runExclusively {
            let probe = try RunningProbe(), watcher = try ScreenWatcher()
            try probe.openFilm("a", "count30.mp4")
            try probe.openFilm("b", "count30.mkv", geometry: "320x180+500+60")
            try probe.startPictureInPicture("a")
            let frame = try watcher.waitForFrame(in: .pictureInPicture)
            try watcher.waitForFrame(in: .pictureInPicture) { $0 > frame + 20 }
            let area = try #require(watcher.window(.pictureInPicture)?.area)

            try probe.directory.runSystemCommand(["video-call", "on"])
            try probe.wait(for: "a is suspended true")
            try watcher.waitForNoWindow(.pictureInPicture)
            #expect(try probe.state(of: "a").contains("active=true possible=false"))
            try probe.wait(for: "b is possible false")
            try probe.send("start b")
            try probe.wait(for: "b failed")
            // The film in scene b continues for 40 frames, in which no Picture-in-Picture window appears.
            let otherFrame = try watcher.waitForFrame(in: .title("b"))
            try watcher.waitForFrame(in: .title("b")) { $0 > otherFrame + 40 }
            #expect(!watcher.windowExists(.pictureInPicture))

            let recorder = try ScreenRecorder([.pictureInPicture])
            try probe.directory.runSystemCommand(["video-call", "off"])
            try probe.wait(for: "a is suspended false")
            let firstChange = try recorder.wait { $0.frame != nil }
            let firstFrame = try #require(firstChange.frame)
            #expect(abs(firstFrame - frame) < 60, "frame \(frame) before, \(firstFrame) after")
            try watcher.waitForFrame(in: .pictureInPicture) { $0 > firstFrame + 10 }
            #expect(watcher.window(.pictureInPicture)?.area == area)
            #expect(try probe.state(of: "a").contains("active=true possible=true"))
            try probe.send("stop a")
            try probe.wait(for: "a didStop")
            try watcher.waitForNoWindow(.pictureInPicture)
            try probe.quit()
        }
    }

    @Test(
        "playback that starts during the call continues, unless the program prohibits background audio",
        arguments: [false, true])
    func playbackStartedDuringAVideoCallContinues(isProhibited: Bool) async throws {
        try await TestEnvironment.runExclusively {
            let probe = try RunningProbe(), watcher = try ScreenWatcher()
            try probe.send("drawing a 320x180+50+60")
            try probe.wait(for: "a is possible true")
            if isProhibited { try probe.send("prohibitsBackgroundAudio a") }
            try probe.startPictureInPicture("a")
            try watcher.waitForFrame(in: .pictureInPicture)
            try probe.directory.runSystemCommand(["video-call", "on"])
            try probe.wait(for: "a setPlaying false")
            try probe.wait(for: "a is suspended true")
            try probe.send("play a")
            let state = try probe.state(of: "a")
            #expect(state.contains(isProhibited ? "rate=0.0" : "rate=1.0"))
            let expectedCalls =
                ["a setPlaying false", "a setPlaying true"] + (isProhibited ? ["a setPlaying false"] : [])
            #expect(probe.outputLines(of: "a", "setPlaying") == expectedCalls)
            try probe.directory.runSystemCommand(["video-call", "off"])
            try probe.wait(for: "a is suspended false")
            try probe.quit()
        }
    }

    @Test("stopping during the call shows the picture in its layer at once, and no window opens after the call")
    func stopDuringAVideoCallReturnsThePicture() async throws {
        try await TestEnvironment.runExclusively {
            let (probe, watcher) = try startFilmAndVideoCall()
            try watcher.waitForNoWindow(.pictureInPicture)
            try probe.send("stop a")
            try probe.wait(for: "a didStop")
            try probe.wait(for: "a is suspended false")
            try watcher.waitForFrame(in: .title("a"))
            try probe.directory.runSystemCommand(["video-call", "off"])
            try probe.wait(for: "a is possible true", times: 2)
            #expect(!watcher.windowExists(.pictureInPicture))
            try probe.startPictureInPicture("a")
            try watcher.waitForFrame(in: .pictureInPicture)
            try probe.quit()
        }
    }

    @Test("after a crash during the call the player resumes in its own window, and can float only after the call")
    func playerResumesAfterACompositorCrashDuringAVideoCall() async throws {
        try await TestEnvironment.runExclusively {
            let (probe, watcher) = try startFilmAndVideoCall()
            kill(try probe.compositorPID(), SIGKILL)
            try probe.wait(for: "a didStop")
            try probe.wait(for: "a is suspended false")
            let frame = try watcher.waitForFrame(in: .title("a"))
            do { try watcher.waitForFrame(in: .title("a")) { $0 > frame + 20 } } catch {
                throw TestFailure("\(error); \(try probe.state(of: "a")); \(probe.child.errors.text.suffix(1000))")
            }
            #expect(try probe.directory.runSystemCommand(["sessions"]).contains("a video call"))
            #expect(try probe.state(of: "a").contains("possible=false"))
            try probe.directory.runSystemCommand(["video-call", "off"])
            try probe.wait(for: "a is possible true", times: 2)
            try probe.quit()
        }
    }

    /// Starts a film in Picture-in-Picture, and then a video call that suspends Picture-in-Picture.
    private func startFilmAndVideoCall() throws -> (RunningProbe, ScreenWatcher) {
        let probe = try RunningProbe(), watcher = try ScreenWatcher()
        try probe.openFilm("a", "count30.mp4")
        try probe.startPictureInPicture("a")
        try probe.directory.runSystemCommand(["video-call", "on"])
        try probe.wait(for: "a is suspended true")
        return (probe, watcher)
    }
}
