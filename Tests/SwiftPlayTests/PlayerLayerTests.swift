import TestSupport
import Testing
@testable import SwiftPlay

@Suite struct PlayerLayerTests {
    @Test func thePicturesPlaceFollowsTheGravity() async throws { try await Desk.alone {
        let rig = try Rig("count30.mp4")
        let layer = rig.layer
        #expect(layer.videoRect == (0, 0, 0, 0))
        layer.router.setOutput(TestOutput())
        try rig.wait(for: "firstFrame")
        // 16:9 in a square of 16.
        #expect(layer.videoRect == (0, 3, 16, 9))
        layer.videoGravity = .resizeAspectFill
        #expect(layer.videoRect == (0, 0, 16, 16))
        layer.videoGravity = .resize
        #expect(layer.videoRect == (0, 0, 16, 16))
        layer.router.setOutput(nil)
        #expect(layer.videoRect == (0, 0, 0, 0))
    } }

    @Test func theScreenIsKeptOnWhileVideoPlays() async throws { try await Desk.alone {
        let rig = try Rig("count30.mp4")
        let place = TestOutput(), other = TestOutput()
        func becomes(_ on: Bool, _ output: TestOutput) -> Bool {
            Deadline.poll(for: .seconds(30)) { output.keepsScreenOn == on ? true : nil } ?? false
        }
        rig.layer.router.setOutput(place)
        try rig.wait(for: "firstFrame")
        #expect(!place.keepsScreenOn && rig.player.preventsDisplaySleepDuringVideoPlayback)
        rig.player.play()
        #expect(becomes(true, place))
        rig.layer.router.setOutput(other)
        #expect(!place.keepsScreenOn && other.keepsScreenOn)
        rig.player.preventsDisplaySleepDuringVideoPlayback = false
        #expect(becomes(false, other))
        rig.player.preventsDisplaySleepDuringVideoPlayback = true
        #expect(becomes(true, other))
        rig.player.pause()
        #expect(becomes(false, other))
        rig.player.play()
        #expect(becomes(true, other))
        rig.player.close()
        #expect(!other.keepsScreenOn)
    } }

    @Test func soundAloneKeepsNoScreenOn() async throws { try await Desk.alone {
        let rig = try Rig("audio.ogg")
        let place = TestOutput()
        rig.layer.router.setOutput(place)
        rig.player.rate = 2
        try rig.wait(for: "playedToEnd")
        #expect(!place.keepsScreenOn)
    } }

    @Test func thePictureOnScreenIsGivenInAPause() async throws { try await Desk.alone {
        let rig = try Rig("count30.mp4")
        let layer = rig.layer
        #expect(layer.displayedPixelBuffer() == nil, "there is none")
        try rig.waitForFrames(1)
        let picture = try #require(layer.displayedPixelBuffer())
        #expect(picture.presentationTime == .zero && (picture.width, picture.height) == (640, 360))
        // The very memory of the player, not a copy of it.
        let base = picture.withUnsafeBytes(ofPlane: 0) { $0.baseAddress }
        #expect(base == rig.firstFrame?.withPicture { $0.plane(0) })
        rig.player.play()
        try rig.waitForFrames(5)
        #expect(layer.displayedPixelBuffer() == nil, "it plays")
        rig.player.pause()
        let paused: PixelBuffer? = Deadline.poll(for: .seconds(30)) { layer.displayedPixelBuffer() }
        #expect(paused?.presentationTime.nanoseconds == rig.shownTimes.last)
        #expect(await rig.player.seek(to: MediaTime(seconds: 3)))
        #expect(layer.displayedPixelBuffer()?.presentationTime == MediaTime(seconds: 3))
        rig.player.replaceCurrentItem(with: nil)
        let gone: Bool? = Deadline.poll(for: .seconds(30)) { layer.displayedPixelBuffer() == nil ? true : nil }
        #expect(gone == true)
    } }
}
