import SharedFrames
import TestSupport
import Testing

@testable import SwiftPlay

@Suite struct PlayerLayerTests {
    @Test func videoRectFollowsTheVideoGravity() async throws {
        try await TestEnvironment.runExclusively {
            let fixture = try PlayerFixture("count30.mp4")
            let layer = fixture.layer
            #expect(layer.videoRect == .zero)
            layer.router.setOutput(TestOutput())
            try fixture.wait(for: "firstFrame")
            // A 16:9 picture in an output of 16x16 pixels.
            #expect(layer.videoRect == VideoRect(x: 0, y: 3, width: 16, height: 9))
            layer.videoGravity = .resizeAspectFill
            #expect(layer.videoRect == VideoRect(x: 0, y: 0, width: 16, height: 16))
            layer.videoGravity = .resize
            #expect(layer.videoRect == VideoRect(x: 0, y: 0, width: 16, height: 16))
            layer.router.setOutput(nil)
            #expect(layer.videoRect == .zero)
        }
    }

    @Test func screenStaysOnWhileVideoPlays() async throws {
        try await TestEnvironment.runExclusively {
            let fixture = try PlayerFixture("count30.mp4")
            let firstOutput = TestOutput(), secondOutput = TestOutput()
            func keepsScreenOnBecomes(_ expected: Bool, _ output: TestOutput) -> Bool {
                Deadline.poll(for: .seconds(30)) { output.keepsScreenOn == expected ? true : nil } ?? false
            }
            fixture.layer.router.setOutput(firstOutput)
            try fixture.wait(for: "firstFrame")
            #expect(!firstOutput.keepsScreenOn && fixture.player.preventsDisplaySleepDuringVideoPlayback)
            fixture.player.play()
            #expect(keepsScreenOnBecomes(true, firstOutput))
            fixture.layer.router.setOutput(secondOutput)
            #expect(keepsScreenOnBecomes(true, secondOutput) && keepsScreenOnBecomes(false, firstOutput))
            fixture.player.preventsDisplaySleepDuringVideoPlayback = false
            #expect(keepsScreenOnBecomes(false, secondOutput))
            fixture.player.preventsDisplaySleepDuringVideoPlayback = true
            #expect(keepsScreenOnBecomes(true, secondOutput))
            fixture.player.pause()
            #expect(keepsScreenOnBecomes(false, secondOutput))
            fixture.player.play()
            #expect(keepsScreenOnBecomes(true, secondOutput))
            fixture.player.close()
            #expect(keepsScreenOnBecomes(false, secondOutput))
        }
    }

    @Test func audioAloneDoesNotKeepTheScreenOn() async throws {
        try await TestEnvironment.runExclusively {
            let fixture = try PlayerFixture("audio.ogg")
            let output = TestOutput()
            fixture.layer.router.setOutput(output)
            fixture.player.rate = 2
            try fixture.wait(for: "playedToEnd")
            #expect(!output.keepsScreenOn)
        }
    }

    @Test("a layer of characters is decoded without smoothing, a large layer and a video output with it")
    func smoothingFollowsTheLayer() async throws {
        try await TestEnvironment.runExclusively {
            let fixture = try PlayerFixture("count30.mp4")
            func showsTenthFrame(in output: TestOutput?) async throws -> [UInt8] {
                fixture.layer.router.setOutput(output)
                // The first seek shows a frame in the output, and the second one uses the smoothing for that output.
                for seconds in [5, 1 / 3.0] {
                    #expect(await fixture.player.seekExactly(to: MediaTime(seconds: seconds)))
                }
                return try #require(fixture.layer.displayedPixelBuffer()).withUnsafeBytes(ofPlane: 0) { Array($0) }
            }
            try fixture.wait(for: "firstFrame")
            let exactPicture = try await showsTenthFrame(in: nil)
            let terminal = TestOutput(size: PixelSize(width: 640, height: 360), drawsCharacters: true)
            #expect(try await showsTenthFrame(in: terminal) != exactPicture)
            #expect(try await showsTenthFrame(in: TestOutput(size: PixelSize(width: 640, height: 360))) == exactPicture)
            let videoOutput = PlayerItemVideoOutput()
            try #require(fixture.player.currentItem).add(videoOutput)
            #expect(try await showsTenthFrame(in: terminal) == exactPicture)
        }
    }

    @Test func pausedLayerReturnsItsDisplayedPixelBuffer() async throws {
        try await TestEnvironment.runExclusively {
            let fixture = try PlayerFixture("count30.mp4")
            let layer = fixture.layer
            #expect(layer.displayedPixelBuffer() == nil, "no picture is shown yet")
            try fixture.waitForFrames(1)
            let picture = try #require(layer.displayedPixelBuffer())
            #expect(picture.presentationTime == .zero && (picture.width, picture.height) == (640, 360))
            // The pixel buffer shares the memory of the player's frame instead of copying it.
            let baseAddress = picture.withUnsafeBytes(ofPlane: 0) { $0.baseAddress }
            #expect(baseAddress == fixture.firstFrame?.withPicture { $0.plane(0) })
            fixture.player.play()
            try fixture.waitForFrames(5)
            #expect(layer.displayedPixelBuffer() == nil, "the player plays")
            fixture.player.pause()
            let pausedPicture: PixelBuffer? = Deadline.poll(for: .seconds(30)) { layer.displayedPixelBuffer() }
            #expect(pausedPicture?.presentationTime.nanoseconds == fixture.shownFrameTimes.last)
            #expect(await fixture.player.seekExactly(to: MediaTime(seconds: 3)))
            #expect(layer.displayedPixelBuffer()?.presentationTime == MediaTime(seconds: 3))
            fixture.player.replaceCurrentItem(with: nil)
            let isRemoved: Bool? = Deadline.poll(for: .seconds(30)) { layer.displayedPixelBuffer() == nil ? true : nil }
            #expect(isRemoved == true)
        }
    }

    @Test func layerRetainsItsPlayerButPlayerDoesNotRetainTheLayer() async throws {
        try await TestEnvironment.runExclusively {
            var layer: PlayerLayer? = PlayerLayer()
            weak var weakPlayer: Player?
            weak var weakLayer: PlayerLayer?
            do {
                var configuration = Player.Configuration()
                configuration.audioOutput = .null
                let player = try Player(configuration: configuration)
                player.replaceCurrentItem(with: PlayerItem(location: try Fixtures.path("count30.mp4")))
                layer?.player = player
                (weakPlayer, weakLayer) = (player, layer)
            }
            #expect(weakPlayer != nil && layer?.player === weakPlayer)
            weakPlayer?.play()
            let isReady: Bool? = Deadline.poll(for: .seconds(30)) { layer?.isReadyForDisplay == true ? true : nil }
            #expect(isReady == true)
            layer = nil
            let areReleased: Bool? = Deadline.poll(for: .seconds(30)) {
                weakPlayer == nil && weakLayer == nil ? true : nil
            }
            #expect(areReleased == true)
        }
    }

    @Test func releasingALayerDuringPlaybackEndsItsPlayer() async throws {
        try await TestEnvironment.runExclusively {
            // The player's own thread may release the last reference to the player. The thread must not join itself.
            for round in 0..<40 {
                var configuration = Player.Configuration()
                configuration.audioOutput = .null
                configuration.isUntimed = true
                var layer: PlayerLayer? = PlayerLayer(player: try Player(configuration: configuration))
                weak let core = layer?.player?.core
                layer?.router.setOutput(TestOutput())
                layer?.player?.replaceCurrentItem(with: PlayerItem(location: try Fixtures.path("count30.mp4")))
                layer?.player?.play()
                let isReady: Bool? = Deadline.poll(for: .seconds(30)) { layer?.isReadyForDisplay == true ? true : nil }
                #expect(isReady == true)
                layer = nil
                let isReleased: Bool? = Deadline.poll(for: .seconds(30)) { core == nil ? true : nil }
                guard isReleased == true else { throw TestFailure("player \(round) does not end") }
            }
        }
    }

    @Test func removingOrClosingThePlayerClearsTheLayer() async throws {
        try await TestEnvironment.runExclusively {
            for closesPlayer in [true, false] {
                let fixture = try PlayerFixture("count30.mp4")
                let counter = Counter()
                let observation = fixture.layer.observe { counter.add() }
                let values = fixture.layer.values(of: \.isReadyForDisplay)
                try fixture.waitForFrames(1)
                let isReady: Bool? = Deadline.poll(for: .seconds(30)) { fixture.layer.isReadyForDisplay ? true : nil }
                #expect(isReady == true)
                let oldCount = counter.count
                if closesPlayer { fixture.player.close() } else { fixture.layer.player = nil }
                try counter.wait(for: oldCount + 1)
                #expect(!fixture.layer.isReadyForDisplay)
                var lastValue: Bool?
                for await value in values {
                    lastValue = value
                    if !value { break }
                }
                #expect(lastValue == false)
                withExtendedLifetime(observation) {}
            }
        }
    }

    @Test func videoPausesInTheBackgroundIfItsPolicyIsPauses() async throws {
        try await TestEnvironment.runExclusively {
            let fixture = try PlayerFixture("count30.mp4"), otherFixture = try PlayerFixture("count30.mp4")
            let windowID = ObjectIdentifier(fixture), pictureID = ObjectIdentifier(otherFixture)
            defer {
                ProgramVisibility.shared.setWindow(windowID, isShown: nil)
                ProgramVisibility.shared.setPictureInPictureUnderway(pictureID, false)
            }
            #expect(fixture.player.audiovisualBackgroundPlaybackPolicy == .automatic)
            fixture.player.audiovisualBackgroundPlaybackPolicy = .pauses
            fixture.player.play()
            otherFixture.player.play()
            try fixture.waitForFrames(3)
            ProgramVisibility.shared.setWindow(windowID, isShown: true)
            // The player does not pause while Picture-in-Picture is about to start.
            ProgramVisibility.shared.setPictureInPictureUnderway(pictureID, true)
            ProgramVisibility.shared.setWindow(windowID, isShown: false)
            let shownFrameCount = fixture.shownFrameTimes.count
            try fixture.waitForFrames(shownFrameCount + 30)
            #expect(fixture.player.rate == 1)
            ProgramVisibility.shared.setPictureInPictureUnderway(pictureID, false)
            let isPaused: Bool? = Deadline.poll(for: .seconds(30)) {
                fixture.player.timeControlStatus == .paused ? true : nil
            }
            #expect(isPaused == true && fixture.player.rate == 0)
            #expect(otherFixture.player.rate == 1, "the policy of one player paused another player")
        }
    }
}
