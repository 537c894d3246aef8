import SharedFrames
import TestSupport
import Testing

@testable import SwiftPlay

@Suite struct PlayerLayerTests {
    @Test func videoRectFollowsTheVideoGravity() async throws {
        try await TestEnvironment.runExclusively {
            let rig = try PlayerTestRig("count30.mp4")
            let layer = rig.layer
            #expect(layer.videoRect == .zero)
            layer.router.setOutput(TestOutput())
            try rig.wait(for: "firstFrame")
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
            let rig = try PlayerTestRig("count30.mp4")
            let firstOutput = TestOutput(), secondOutput = TestOutput()
            func keepsScreenOnBecomes(_ expected: Bool, _ output: TestOutput) -> Bool {
                Deadline.poll(for: .seconds(30)) { output.keepsScreenOn == expected ? true : nil } ?? false
            }
            rig.layer.router.setOutput(firstOutput)
            try rig.wait(for: "firstFrame")
            #expect(!firstOutput.keepsScreenOn && rig.player.preventsDisplaySleepDuringVideoPlayback)
            rig.player.play()
            #expect(keepsScreenOnBecomes(true, firstOutput))
            rig.layer.router.setOutput(secondOutput)
            #expect(keepsScreenOnBecomes(true, secondOutput) && keepsScreenOnBecomes(false, firstOutput))
            rig.player.preventsDisplaySleepDuringVideoPlayback = false
            #expect(keepsScreenOnBecomes(false, secondOutput))
            rig.player.preventsDisplaySleepDuringVideoPlayback = true
            #expect(keepsScreenOnBecomes(true, secondOutput))
            rig.player.pause()
            #expect(keepsScreenOnBecomes(false, secondOutput))
            rig.player.play()
            #expect(keepsScreenOnBecomes(true, secondOutput))
            rig.player.close()
            #expect(keepsScreenOnBecomes(false, secondOutput))
        }
    }

    @Test func audioAloneDoesNotKeepTheScreenOn() async throws {
        try await TestEnvironment.runExclusively {
            let rig = try PlayerTestRig("audio.ogg")
            let output = TestOutput()
            rig.layer.router.setOutput(output)
            rig.player.rate = 2
            try rig.wait(for: "playedToEnd")
            #expect(!output.keepsScreenOn)
        }
    }

    @Test("a layer of characters is decoded without smoothing, a large layer and a video output with it")
    func smoothingFollowsTheLayer() async throws {
        try await TestEnvironment.runExclusively {
            let rig = try PlayerTestRig("count30.mp4")
            func showsTenthFrame(in output: TestOutput?) async throws -> [UInt8] {
                rig.layer.router.setOutput(output)
                // The first seek shows a frame in the output, and the second one uses the smoothing for that output.
                for seconds in [5, 1 / 3.0] { #expect(await rig.player.seekExactly(to: MediaTime(seconds: seconds))) }
                return try #require(rig.layer.displayedPixelBuffer()).withUnsafeBytes(ofPlane: 0) { Array($0) }
            }
            try rig.wait(for: "firstFrame")
            let exactPicture = try await showsTenthFrame(in: nil)
            let terminal = TestOutput(size: PixelSize(width: 640, height: 360), drawsCharacters: true)
            #expect(try await showsTenthFrame(in: terminal) != exactPicture)
            #expect(try await showsTenthFrame(in: TestOutput(size: PixelSize(width: 640, height: 360))) == exactPicture)
            let videoOutput = PlayerItemVideoOutput()
            try #require(rig.player.currentItem).add(videoOutput)
            #expect(try await showsTenthFrame(in: terminal) == exactPicture)
        }
    }

    @Test func pausedLayerReturnsItsDisplayedPixelBuffer() async throws {
        try await TestEnvironment.runExclusively {
            let rig = try PlayerTestRig("count30.mp4")
            let layer = rig.layer
            #expect(layer.displayedPixelBuffer() == nil, "no picture is shown yet")
            try rig.waitForFrames(1)
            let picture = try #require(layer.displayedPixelBuffer())
            #expect(picture.presentationTime == .zero && (picture.width, picture.height) == (640, 360))
            // The pixel buffer shares the memory of the player's frame instead of copying it.
            let baseAddress = picture.withUnsafeBytes(ofPlane: 0) { $0.baseAddress }
            #expect(baseAddress == rig.firstFrame?.withPicture { $0.plane(0) })
            rig.player.play()
            try rig.waitForFrames(5)
            #expect(layer.displayedPixelBuffer() == nil, "the player plays")
            rig.player.pause()
            let pausedPicture: PixelBuffer? = Deadline.poll(for: .seconds(30)) { layer.displayedPixelBuffer() }
            #expect(pausedPicture?.presentationTime.nanoseconds == rig.shownFrameTimes.last)
            #expect(await rig.player.seekExactly(to: MediaTime(seconds: 3)))
            #expect(layer.displayedPixelBuffer()?.presentationTime == MediaTime(seconds: 3))
            rig.player.replaceCurrentItem(with: nil)
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
                let rig = try PlayerTestRig("count30.mp4")
                let counter = Counter()
                let observation = rig.layer.observe { counter.add() }
                let values = rig.layer.values(of: \.isReadyForDisplay)
                try rig.waitForFrames(1)
                let isReady: Bool? = Deadline.poll(for: .seconds(30)) { rig.layer.isReadyForDisplay ? true : nil }
                #expect(isReady == true)
                let oldCount = counter.count
                if closesPlayer { rig.player.close() } else { rig.layer.player = nil }
                try counter.wait(for: oldCount + 1)
                #expect(!rig.layer.isReadyForDisplay)
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
            let rig = try PlayerTestRig("count30.mp4"), otherRig = try PlayerTestRig("count30.mp4")
            let windowID = ObjectIdentifier(rig), pictureID = ObjectIdentifier(otherRig)
            defer {
                ProgramVisibility.shared.setWindow(windowID, isShown: nil)
                ProgramVisibility.shared.setPictureInPictureUnderway(pictureID, false)
            }
            #expect(rig.player.audiovisualBackgroundPlaybackPolicy == .automatic)
            rig.player.audiovisualBackgroundPlaybackPolicy = .pauses
            rig.player.play()
            otherRig.player.play()
            try rig.waitForFrames(3)
            ProgramVisibility.shared.setWindow(windowID, isShown: true)
            // The player does not pause while Picture-in-Picture is about to start.
            ProgramVisibility.shared.setPictureInPictureUnderway(pictureID, true)
            ProgramVisibility.shared.setWindow(windowID, isShown: false)
            let shownFrameCount = rig.shownFrameTimes.count
            try rig.waitForFrames(shownFrameCount + 30)
            #expect(rig.player.rate == 1)
            ProgramVisibility.shared.setPictureInPictureUnderway(pictureID, false)
            let isPaused: Bool? = Deadline.poll(for: .seconds(30)) {
                rig.player.timeControlStatus == .paused ? true : nil
            }
            #expect(isPaused == true && rig.player.rate == 0)
            #expect(otherRig.player.rate == 1, "the policy of one player paused another player")
        }
    }
}
