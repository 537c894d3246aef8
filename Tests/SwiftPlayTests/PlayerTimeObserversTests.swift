import Dispatch
import SystemCalls
import TestSupport
import Testing

@testable import SwiftPlay

@Suite struct PlayerTimeObserversTests {
    private let queue = DispatchQueue(label: "observer")

    @Test func periodicFollowsTheItemsTime() async throws {
        try await Desk.alone {
            let rig = try Rig("short.mp4")
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
            // Each fifth of a second of the item, whatever the speed; a late machine may make two of them one.
            #expect(seen.count >= 8, "\(seen)")
            #expect(zip(seen, seen.dropFirst()).allSatisfy { $0 <= $1 }, "\(seen)")
        }
    }

    @Test func boundaryIsNotCalledByASeekAcrossIt() async throws {
        try await Desk.alone {
            let rig = try Rig("count30.mp4")
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
            // Across it by playing.
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

    @Test func timesComeAsAStream() async throws {
        try await Desk.alone {
            let rig = try Rig("short.mp4")
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

    @Test func aRemovedObserverIsLetGo() async throws {
        try await Desk.alone {
            let rig = try Rig()
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
