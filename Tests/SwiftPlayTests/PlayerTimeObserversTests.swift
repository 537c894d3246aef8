import Dispatch
import SystemCalls
import TestSupport
import Testing

@testable import SwiftPlay

@Suite struct PlayerTimeObserversTests {
    private let queue = DispatchQueue(label: "observer")

    @Test(.measuresTime) func periodicObserverFollowsTheItemsTime() async throws {
        try await TestEnvironment.runExclusively {
            let rig = try PlayerTestRig("short.mp4")
            let times = Monitor<[MediaTime]>([])
            let observer = rig.player.addPeriodicTimeObserver(
                forInterval: MediaTime(value: 1, timescale: 5), queue: queue
            ) { time in
                times.withLock { $0.append(time) }
            }
            rig.player.rate = 2
            try rig.wait(for: "playedToEnd")
            queue.sync {}
            rig.player.removeTimeObserver(observer)
            let seen = times.withLock { $0.map(\.seconds) }
            // The clip lasts 2 s. The observer is called once for each 0.2 s of the clip, at any rate. A busy machine
            // may combine two calls into one.
            #expect(seen.count >= 8, "\(seen)")
            #expect(zip(seen, seen.dropFirst()).allSatisfy { $0 <= $1 }, "\(seen)")
        }
    }

    @Test func seekAcrossABoundaryTimeDoesNotCallItsObserver() async throws {
        try await TestEnvironment.runExclusively {
            let rig = try PlayerTestRig("count30.mp4")
            let boundary = Counter(), periodic = Counter()
            try rig.wait(for: "firstFrame")
            #expect(await rig.player.seekExactly(to: MediaTime(value: 5, timescale: 1)))
            let first = rig.player.addBoundaryTimeObserver(forTimes: [MediaTime(value: 10, timescale: 1)], queue: queue)
            { boundary.add() }
            let second = rig.player.addPeriodicTimeObserver(
                forInterval: MediaTime(value: 1000, timescale: 1), queue: queue
            ) { _ in periodic.add() }
            #expect(await rig.player.seekExactly(to: MediaTime(value: 15, timescale: 1)))
            try periodic.wait(for: 1)
            rig.player.play()
            try rig.waitForFrames(10)
            queue.sync {}
            #expect(boundary.count == 0)
            // Playback across the boundary calls the observer.
            #expect(await rig.player.seekExactly(to: MediaTime(seconds: 9.8)))
            try boundary.wait(for: 1)
            rig.player.pause()
            queue.sync {
                rig.player.removeTimeObserver(first)
                rig.player.removeTimeObserver(second)
            }
            let count = periodic.count
            #expect(await rig.player.seekExactly(to: MediaTime(value: 1, timescale: 1)))
            queue.sync {}
            #expect(periodic.count == count)
        }
    }

    @Test func periodicTimesAreAvailableAsAnAsyncSequence() async throws {
        try await TestEnvironment.runExclusively {
            let rig = try PlayerTestRig("short.mp4")
            let times = rig.player.times(every: MediaTime(value: 1, timescale: 10))
            rig.player.play()
            var seen: [MediaTime] = []
            for await time in times {
                seen.append(time)
                if seen.count == 5 { break }
            }
            #expect(seen.count == 5)
        }
    }

    @Test func removedTimeObserverIsReleased() async throws {
        try await TestEnvironment.runExclusively {
            let rig = try PlayerTestRig()
            weak var kept: Counter?
            do {
                let counter = Counter()
                kept = counter
                let observer = rig.player.addPeriodicTimeObserver(
                    forInterval: MediaTime(value: 1, timescale: 1), queue: queue
                ) { _ in counter.add() }
                rig.player.removeTimeObserver(observer)
            }
            #expect(kept == nil)
        }
    }
}
