import Foundation
import Glibc
import SystemCalls
import TestSupport
import Testing

/// A video call has the place of floating windows for a time: spec section 2, another's claim.
@Suite("Picture-in-Picture: a video call")
struct PictureInPictureCallTests {
    @Test("the window goes and what plays in it pauses, nobody else floats; after the call both are back as they were")
    func suspended() async throws {
        try await Desk.alone {
            let probe = try RunningProbe(), watcher = try ScreenWatcher()
            try probe.film("a", "count30.mp4")
            try probe.film("b", "count30.mkv", geometry: "320x180+500+60")
            try probe.start("a")
            let frame = try watcher.waitForFrame(in: .pictureInPicture)
            try watcher.waitForFrame(in: .pictureInPicture) { $0 > frame + 20 }
            let area = try #require(watcher.window(.pictureInPicture)?.area)

            try probe.directory.system(["video-call", "on"])
            try probe.wait(for: "a is suspended true")
            try watcher.waitForNoWindow(.pictureInPicture)
            #expect(try probe.state(of: "a").contains("active=true possible=false"))
            try probe.wait(for: "b is possible false")
            try probe.tell("start b")
            try probe.wait(for: "b failed")
            // Time goes by, as the other film shows.
            let other = try watcher.waitForFrame(in: .title("b"))
            try watcher.waitForFrame(in: .title("b")) { $0 > other + 40 }
            #expect(!watcher.windowExists(.pictureInPicture))

            let eyes = try ScreenRecorder([.pictureInPicture])
            try probe.directory.system(["video-call", "off"])
            try probe.wait(for: "a is suspended false")
            let first = try eyes.wait { $0.frame != nil }
            #expect(try abs(#require(first.frame) - frame) < 60, "frame \(frame) before, \(first.frame ?? -1) after")
            try watcher.waitForFrame(in: .pictureInPicture) { $0 > (first.frame ?? 0) + 10 }
            #expect(watcher.window(.pictureInPicture)?.area == area)
            #expect(try probe.state(of: "a").contains("active=true possible=true"))
            try probe.tell("stop a")
            try probe.wait(for: "a didStop")
            try watcher.waitForNoWindow(.pictureInPicture)
            try probe.quit()
        }
    }

    @Test(
        "what a program begins to play during the call goes on, unless it prohibits sound in the background",
        arguments: [false, true])
    func backgroundAudio(isProhibited: Bool) async throws {
        try await Desk.alone {
            let probe = try RunningProbe(), watcher = try ScreenWatcher()
            try probe.tell("drawing a 320x180+50+60")
            try probe.wait(for: "a is possible true")
            if isProhibited { try probe.tell("prohibitsBackgroundAudio a") }
            try probe.start("a")
            try watcher.waitForFrame(in: .pictureInPicture)
            try probe.directory.system(["video-call", "on"])
            try probe.wait(for: "a setPlaying false")
            try probe.wait(for: "a is suspended true")
            try probe.tell("play a")
            let state = try probe.state(of: "a")
            #expect(state.contains(isProhibited ? "rate=0.0" : "rate=1.0"))
            let expected = ["a setPlaying false", "a setPlaying true"] + (isProhibited ? ["a setPlaying false"] : [])
            #expect(probe.words(of: "a", "setPlaying") == expected)
            try probe.directory.system(["video-call", "off"])
            try probe.wait(for: "a is suspended false")
            try probe.quit()
        }
    }

    @Test(
        "a program that ends Picture-in-Picture during the call has its picture back at once, and nothing comes after it"
    )
    func stopped() async throws {
        try await Desk.alone {
            let (probe, watcher) = try inACall()
            try watcher.waitForNoWindow(.pictureInPicture)
            try probe.tell("stop a")
            try probe.wait(for: "a didStop")
            try probe.wait(for: "a is suspended false")
            try watcher.waitForFrame(in: .title("a"))
            try probe.directory.system(["video-call", "off"])
            try probe.wait(for: "a is possible true", times: 2)
            #expect(!watcher.windowExists(.pictureInPicture))
            try probe.start("a")
            try watcher.waitForFrame(in: .pictureInPicture)
            try probe.quit()
        }
    }

    @Test(
        "the compositor crashes during the call: what the call paused goes on in its window, and floats again only after the call"
    )
    func compositorDies() async throws {
        try await Desk.alone {
            let (probe, watcher) = try inACall()
            kill(try probe.compositor(), SIGKILL)
            try probe.wait(for: "a didStop")
            try probe.wait(for: "a is suspended false")
            let frame = try watcher.waitForFrame(in: .title("a"))
            try watcher.waitForFrame(in: .title("a")) { $0 > frame + 20 }
            #expect(try probe.directory.system(["sessions"]).contains("a video call"))
            #expect(try probe.state(of: "a").contains("possible=false"))
            try probe.directory.system(["video-call", "off"])
            try probe.wait(for: "a is possible true", times: 2)
            try probe.quit()
        }
    }

    /// A film that floated until a call began.
    private func inACall() throws -> (RunningProbe, ScreenWatcher) {
        let probe = try RunningProbe(), watcher = try ScreenWatcher()
        try probe.film("a", "count30.mp4")
        try probe.start("a")
        try probe.directory.system(["video-call", "on"])
        try probe.wait(for: "a is suspended true")
        return (probe, watcher)
    }
}
