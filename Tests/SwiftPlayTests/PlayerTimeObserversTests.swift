import Dispatch
import SystemCalls
import TestSupport
import Testing

@testable import SwiftPlay

@Suite struct PlayerTimeObserversTests {
    private let queue = DispatchQueue(label: "observer")

    @Test(.measuresTime) func periodicObserverFollowsTheItemsTime() async throws {
        try await TestEnvironment.runExclusively {
            let fixture = try PlayerFixture("short.mp4")
            let times = Monitor<[MediaTime]>([])
            let observer = fixture.player.addPeriodicTimeObserver(
                forInterval: MediaTime(value: 1, timescale: 5), queue: queue
            ) { time in
                times.withLock { $0.append(time) }
            }
            fixture.player.rate = 2
            try fixture.wait(for: "playedToEnd")
            queue.sync {}
            fixture.player.removeTimeObserver(observer)
            let reportedTimes = times.withLock { $0.map(\.seconds) }
            // The clip lasts 2 s. The observer is called once for each 0.2 s of the clip, at any rate. A busy machine
            // may combine two calls into one.
            #expect(reportedTimes.count >= 8, "\(reportedTimes)")
            #expect(zip(reportedTimes, reportedTimes.dropFirst()).allSatisfy { $0 <= $1 }, "\(reportedTimes)")
        }
    }

    @Test func seekAcrossABoundaryTimeDoesNotCallItsObserver() async throws {
        try await TestEnvironment.runExclusively {
            let fixture = try PlayerFixture("count30.mp4")
            let boundaryCalls = Counter(), periodicCalls = Counter()
            try fixture.wait(for: "firstFrame")
            #expect(await fixture.player.seekExactly(to: MediaTime(value: 5, timescale: 1)))
            let boundaryObserver = fixture.player.addBoundaryTimeObserver(
                forTimes: [MediaTime(value: 10, timescale: 1)], queue: queue
            ) { boundaryCalls.add() }
            let periodicObserver = fixture.player.addPeriodicTimeObserver(
                forInterval: MediaTime(value: 1000, timescale: 1), queue: queue
            ) { _ in periodicCalls.add() }
            #expect(await fixture.player.seekExactly(to: MediaTime(value: 15, timescale: 1)))
            try periodicCalls.wait(for: 1)
            fixture.player.play()
            try fixture.waitForFrames(10)
            queue.sync {}
            #expect(boundaryCalls.count == 0)
            // Playback across the boundary calls the observer.
            #expect(await fixture.player.seekExactly(to: MediaTime(seconds: 9.8)))
            try boundaryCalls.wait(for: 1)
            fixture.player.pause()
            queue.sync {
                fixture.player.removeTimeObserver(boundaryObserver)
                fixture.player.removeTimeObserver(periodicObserver)
            }
            let oldCallCount = periodicCalls.count
            #expect(await fixture.player.seekExactly(to: MediaTime(value: 1, timescale: 1)))
            queue.sync {}
            #expect(periodicCalls.count == oldCallCount)
        }
    }

    @Test func periodicTimesAreAvailableAsAnAsyncSequence() async throws {
        try await TestEnvironment.runExclusively {
            let fixture = try PlayerFixture("short.mp4")
            let times = fixture.player.times(every: MediaTime(value: 1, timescale: 10))
            fixture.player.play()
            var reportedTimes: [MediaTime] = []
            for await time in times {
                reportedTimes.append(time)
                if reportedTimes.count == 5 { break }
            }
            #expect(reportedTimes.count == 5)
        }
    }

    @Test func removedTimeObserverIsReleased() async throws {
        try await TestEnvironment.runExclusively {
            let fixture = try PlayerFixture()
            weak var weakCounter: Counter?
            do {
                let counter = Counter()
                weakCounter = counter
                let observer = fixture.player.addPeriodicTimeObserver(
                    forInterval: MediaTime(value: 1, timescale: 1), queue: queue
                ) { _ in counter.add() }
                fixture.player.removeTimeObserver(observer)
            }
            #expect(weakCounter == nil)
        }
    }
}
