import AudioPolicy
import Dispatch
import FoundationEssentials
import SystemCalls
import TestSupport
import Testing

@testable import SwiftPlay

/// Tests the behaviour on which programs rely: error types, bounds of settings, and notifications.
@Suite struct PlayerContractTests {
    @Test func playerIsReadyAfterItsFirstItemAndFailedAfterClosing() async throws {
        try await TestEnvironment.runExclusively {
            let player = try Player()
            #expect(player.status == .unknown && player.error == nil)
            player.replaceCurrentItem(with: PlayerItem(location: "/nowhere/film.mp4"))
            #expect(player.status == .readyToPlay)
            player.replaceCurrentItem(with: nil)
            #expect(player.status == .readyToPlay && player.error == nil)
            player.close()
            #expect(player.status == .failed && player.error?.code == .playerClosed)
        }
    }

    @Test func localizedErrorContainsTheMessageAndTheUnderlyingError() throws {
        let diskError = PlaybackError(.input, "the disk")
        let error: any Error = PlaybackError(.notFound, "there is no such file", underlying: diskError)
        let localizedError = try #require(error as? any LocalizedError)
        #expect(localizedError.errorDescription == "there is no such file")
        #expect(localizedError.failureReason == "the disk")
    }

    @Test func creatingAPlayerWithoutFreeDescriptorsThrowsResourcesError() throws {
        func errorWithoutFreeDescriptors(_ makePlayer: @escaping @Sendable () throws(PlaybackError) -> Player) throws
            -> PlaybackError?
        {
            try DescriptorShortage.during { () -> PlaybackError? in
                do throws(PlaybackError) {
                    try makePlayer().close()
                    return nil
                } catch { return error }
            }
        }
        for thrownError in [
            try errorWithoutFreeDescriptors { () throws(PlaybackError) in try Player(playerItem: nil) },
            try errorWithoutFreeDescriptors { () throws(PlaybackError) in try QueuePlayer() },
        ] {
            let error = try #require(thrownError, "a player was made without a descriptor")
            #expect(error.code == .resources)
            #expect(error.message == "cannot create a player: Too many open files")
        }
    }

    @Test("Observers are called in the order of their registration")
    func observersAreCalledInTheOrderOfTheirRegistration() async throws {
        let player = try Player()
        defer { player.close() }
        let calledObservers = Monitor<[Int]>([])
        let queue = DispatchQueue(label: "observers")
        let observations = (0..<20).map { number in
            player.observe(on: queue) { _ in calledObservers.update { $0.append(number) } }
        }
        player.core.notify(.itemChanged(nil))
        queue.sync {}
        #expect(calledObservers.withLock { $0 } == Array(0..<20))
        withExtendedLifetime(observations) {}
    }

    @Test func volumeIgnoresNonFiniteValuesAndIsClamped() async throws {
        try await TestEnvironment.runExclusively {
            let fixture = try PlayerFixture()
            fixture.player.volume = 0.25
            for volume in [Float.nan, .infinity, -.infinity] {
                fixture.player.volume = volume
                #expect(fixture.player.volume == 0.25)
            }
            fixture.player.volume = 5000
            #expect(fixture.player.volume == 1000)
        }
    }

    @Test func interruptionReportsEachRateChangeOnce() async throws {
        try await TestEnvironment.runExclusively {
            let fixture = try PlayerFixture("count30.mp4", audioOutput: .alsa(device: "default"))
            fixture.player.play()
            try fixture.waitForFrames(3)
            let rateChangeCount = fixture.count("rateChanged")
            #expect(rateChangeCount == 1)
            fixture.player.core.post(.session(.interrupted))
            let isPaused: Bool? = Deadline.poll(for: .seconds(30)) {
                fixture.player.timeControlStatus == .paused ? true : nil
            }
            #expect(isPaused == true)
            fixture.player.core.post(.session(.interruptionEnded(shouldResume: true)))
            try fixture.wait(for: "rateChanged", times: rateChangeCount + 2)
            let isPlaying: Bool? = Deadline.poll(for: .seconds(30)) {
                fixture.player.timeControlStatus == .playing ? true : nil
            }
            #expect(isPlaying == true && fixture.player.rate == 1)
            #expect(fixture.count("rateChanged") == rateChangeCount + 2)
        }
    }

    @Test func audioSessionWithoutSharedGainMemoryActivatesAndDeactivates() async throws {
        try await TestEnvironment.runExclusively {
            // Without shared memory for the gain, an audio session is activated without a request to the compositor.
            let session = AudioSession(link: CompositorLink(), gain: nil)
            await session.refreshOtherSessions()
            #expect(!session.isOtherAudioPlaying)
            try await session.activate()
            #expect(session.isActive)
            try await session.deactivate(options: .notifyOthersOnDeactivation)
            #expect(!session.isActive)
        }
    }

    @Test func categoryChangeNotifiesItsObserver() throws {
        let session = AudioSession(link: CompositorLink(), gain: nil), counter = Counter()
        var observation: AudioSession.CategoryObservation? = session.observeCategory { counter.add() }
        try session.setCategory(.playback)
        #expect(counter.count == 1)
        withExtendedLifetime(observation) {}
        observation = nil
        try session.setCategory(.ambient)
        #expect(counter.count == 1)
    }
}
