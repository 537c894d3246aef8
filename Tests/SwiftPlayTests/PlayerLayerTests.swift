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
