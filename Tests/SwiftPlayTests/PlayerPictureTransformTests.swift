import SharedFrames
import SystemCalls
import TestSupport
import Testing

@testable import SwiftPlay

@Suite struct PlayerPictureTransformTests {
    @Test func aChangeAppliesToThePictureOnScreen() async throws {
        try await TestEnvironment.runExclusively {
            let rig = try PlayerTestRig("count30.mp4")
            try rig.waitForFrames(1)
            let item = try #require(rig.player.currentItem), first = try #require(rig.layer.router.currentFrame)
            #expect(item.presentationSize == VideoSize(width: 640, height: 360))

            rig.player.pictureTransform.rotation = .added(quarterTurns: 1)
            try rig.wait(for: "presentationSizeChanged", times: 2)
            #expect(item.presentationSize == VideoSize(width: 360, height: 640))
            let turned = try #require(rig.layer.router.currentFrame)
            #expect(turned.presentationTime == first.presentationTime && turned.id != first.id)
            #expect(turned.format.displaySize == PixelSize(width: 360, height: 640))

            rig.player.pictureTransform.aspectRatio = .ratio(1)
            try rig.wait(for: "presentationSizeChanged", times: 3)
            #expect(item.presentationSize == VideoSize(width: 640, height: 640))

            rig.player.pictureTransform = PictureTransform()
            try rig.wait(for: "presentationSizeChanged", times: 4)
            #expect(rig.layer.router.currentFrame?.format == first.format)
            #expect(rig.player.currentTime() == .zero)
        }
    }

    @Test func theTransformAppliesToLaterFramesAndItems() async throws {
        try await TestEnvironment.runExclusively {
            let rig = try PlayerTestRig(), sizes = Monitor<Set<VideoSize>>([])
            rig.player.pictureTransform.rotation = .ignored
            let observerNumber = rig.player.core.addObserver { event in
                guard case .framePresented(let frame) = event else { return }
                let size = frame.format.displaySize
                sizes.update { _ = $0.insert(VideoSize(width: size.width, height: size.height)) }
            }
            for name in ["turned.mp4", "count30.mp4"] {
                rig.player.insert(PlayerItem(location: try Fixtures.path(name)), after: nil)
            }
            try rig.waitForFrames(1)
            rig.player.play()
            try rig.waitForFrames(4)
            rig.player.advanceToNextItem()
            let expectedSizes: Set = [VideoSize(width: 180, height: 320), VideoSize(width: 640, height: 360)]
            let areShown = sizes.wait(until: Deadline.after(.seconds(60))) { $0 == expectedSizes ? true : nil }
            #expect(areShown == true, "\(sizes.withLock { $0 })")
            rig.player.core.removeObserver(observerNumber)
        }
    }
}
