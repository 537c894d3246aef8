import SharedFrames
import SystemCalls
import TestSupport
import Testing

@testable import SwiftPlay

@Suite struct PlayerPictureTransformTests {
    @Test func aChangeAppliesToThePictureOnScreen() async throws {
        try await TestEnvironment.runExclusively {
            let fixture = try PlayerFixture("count30.mp4")
            try fixture.waitForFrames(1)
            let item = try #require(fixture.player.currentItem), first = try #require(fixture.layer.router.currentFrame)
            #expect(item.presentationSize == VideoSize(width: 640, height: 360))

            fixture.player.pictureTransform.rotation = .added(quarterTurns: 1)
            try fixture.wait(for: "presentationSizeChanged", times: 2)
            #expect(item.presentationSize == VideoSize(width: 360, height: 640))
            let turned = try #require(fixture.layer.router.currentFrame)
            #expect(turned.presentationTime == first.presentationTime && turned.id != first.id)
            #expect(turned.format.displaySize == PixelSize(width: 360, height: 640))

            fixture.player.pictureTransform.aspectRatio = .ratio(1)
            try fixture.wait(for: "presentationSizeChanged", times: 3)
            #expect(item.presentationSize == VideoSize(width: 640, height: 640))

            fixture.player.pictureTransform = PictureTransform()
            try fixture.wait(for: "presentationSizeChanged", times: 4)
            #expect(fixture.layer.router.currentFrame?.format == first.format)
            #expect(fixture.player.currentTime() == .zero)
        }
    }

    @Test func theTransformAppliesToLaterFramesAndItems() async throws {
        try await TestEnvironment.runExclusively {
            let fixture = try PlayerFixture(), sizes = Monitor<Set<VideoSize>>([])
            fixture.player.pictureTransform.rotation = .ignored
            let observerNumber = fixture.player.core.addObserver { event in
                guard case .framePresented(let frame) = event else { return }
                let size = frame.format.displaySize
                sizes.update { _ = $0.insert(VideoSize(width: size.width, height: size.height)) }
            }
            for name in ["turned.mp4", "count30.mp4"] {
                fixture.player.insert(PlayerItem(location: try Fixtures.path(name)), after: nil)
            }
            try fixture.waitForFrames(1)
            fixture.player.play()
            try fixture.waitForFrames(4)
            fixture.player.advanceToNextItem()
            let expectedSizes: Set = [VideoSize(width: 180, height: 320), VideoSize(width: 640, height: 360)]
            let areShown = sizes.wait(until: Deadline.after(.seconds(60))) { $0 == expectedSizes ? true : nil }
            #expect(areShown == true, "\(sizes.withLock { $0 })")
            fixture.player.core.removeObserver(observerNumber)
        }
    }
}
