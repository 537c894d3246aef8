import SystemCalls
import TestSupport
import Testing

/// The picture goes from the player's window to the compositor's and back: who looks and listens notices nothing.
@Suite("Picture-in-Picture")
struct PictureInPictureTests {
    @Test(
        "while playing, over and back: every frame is seen somewhere, in order, and the sound has no seam",
        .measuresTime)
    func playing() async throws {
        try await Desk.alone {
            let player = try RunningPlayer("count30.mp4"), watcher = try ScreenWatcher()
            try watcher.waitForFrame(in: .player) { $0 >= 5 }
            try player.ipc.waitForProperty("picture-in-picture-possible") { $0 == true }
            let ears = try SoundRecorder(), eyes = try ScreenRecorder([.player, .pictureInPicture])
            let start = try eyes.wait { $0.window == .player && $0.frame != nil }
            try eyes.wait { $0.window == .player && ($0.frame ?? 0) > (start.frame ?? 0) + 10 }

            try player.ipc.setProperty("picture-in-picture", true)
            let arrived = try eyes.wait { $0.window == .pictureInPicture && $0.frame != nil }
            try eyes.wait { $0.window == .pictureInPicture && ($0.frame ?? 0) > (arrived.frame ?? 0) + 25 }
            #expect(try watcher.waitForWindow(.pictureInPicture).title == "Picture-in-Picture")
            try player.ipc.waitForProperty("picture-in-picture") { $0 == true }
            // The window stays, and something stands in the picture's place.
            try watcher.waitForPlaceholder()
            let last = try #require(watcher.frame(in: .pictureInPicture))

            try player.ipc.setProperty("picture-in-picture", false)
            let back = try eyes.wait { $0.window == .player && ($0.frame ?? 0) >= last }
            try watcher.waitForNoWindow(.pictureInPicture)
            let end = try eyes.wait { $0.window == .player && ($0.frame ?? 0) > (back.frame ?? 0) + 15 }
            try ears.wait(until: end.time)
            let seen = eyes.finish().between(start.time, end.time)
            let dropped = try player.ipc.property("frame-drop-count")
            // A busy machine may make the player drop a few frames, and then it says so; all others are seen.
            #expect(
                seen.missed.count <= Int(min(dropped.number ?? 0, 10)),
                "missed \(seen.missed); the player dropped \(dropped)")
            #expect(seen.backwardSteps(in: .player) == 0 && seen.backwardSteps(in: .pictureInPicture) == 0)
            let heard = ears.finish().between(start.time, end.time)
            #expect(heard.silentGaps().isEmpty, "\(heard.silentGaps())")
            #expect(heard.clicks().isEmpty, "\(heard.clicks())")
            #expect(heard.toneAmplitude(200) > 0.015)
            try player.quit()
        }
    }

    @Test("while paused the same frame stands in the one place and in the other")
    func paused() async throws {
        try await Desk.alone {
            let player = try RunningPlayer("count30.mp4"), watcher = try ScreenWatcher()
            try watcher.waitForFrame(in: .player) { $0 >= 10 }
            let frame = try player.pause(watcher)
            let eyes = try ScreenRecorder([.player, .pictureInPicture])
            try player.enterPictureInPicture()
            try watcher.waitForFrame(in: .pictureInPicture) { $0 == frame }
            try watcher.waitForPlaceholder()
            try player.leavePictureInPicture()
            try watcher.waitForNoWindow(.pictureInPicture)
            try watcher.waitForFrame(in: .player) { $0 == frame }
            #expect(Set(eyes.finish().frames().map(\.frame)) == [frame])
            #expect(try player.ipc.property("pause") == true)
            try player.ipc.setProperty("pause", false)
            try watcher.waitForFrame(in: .player) { $0 > frame + 5 }
            try player.quit()
        }
    }

    @Test("--pip begins in the floating window")
    func fromTheStart() async throws {
        try await Desk.alone {
            let player = try RunningPlayer("count30.mp4", options: ["--pip"]), watcher = try ScreenWatcher()
            let first = try watcher.waitForFrame(in: .pictureInPicture)
            try watcher.waitForFrame(in: .pictureInPicture) { $0 > first + 10 }
            try watcher.waitForPlaceholder()
            try player.ipc.waitForProperty("picture-in-picture") { $0 == true }
            try player.quit()
            try watcher.waitForNoWindow(.pictureInPicture)
        }
    }

    @Test("the pixels cross as memory that the compositor can only read, and it has no demuxer and no decoder")
    func memory() async throws {
        try await Desk.alone {
            let player = try RunningPlayer("count30.mp4", options: ["--pip"]), watcher = try ScreenWatcher()
            try watcher.waitForFrame(in: .pictureInPicture) { $0 >= 20 }
            let maps = ProcessMaps.lines(of: try player.compositor())
            let frames = maps.filter { $0.contains("memfd:swiftplay-frame") }
            #expect(!frames.isEmpty)
            #expect(frames.allSatisfy { $0.contains(" r--s ") }, "\(frames)")
            #expect(!maps.contains { $0.contains("libavformat") || $0.contains("libavcodec") })
            let linked = try run("ldd", [Products.compositor])
            #expect(linked.contains("libxcb") && !linked.contains("libavformat") && !linked.contains("libavcodec"))
            #expect(ProcessMaps.lines(of: player.child.pid).contains { $0.contains("memfd:swiftplay-frame") })
            try player.quit()
        }
    }
}
