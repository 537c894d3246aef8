import Synchronization
import SystemCalls
import Testing

@testable import AudioOutput

@Suite struct AudioClockTests {
    @Test func concurrentReadersReceiveConsistentSnapshots() throws {
        let clock = AudioClock()
        let isDone = DoneFlag()
        let writer = try NamedThread("writer") {
            for i in 1...50_000 {
                var snapshot = AudioClock.Snapshot()
                snapshot.frame = Double(i)
                snapshot.time = Int64(i)
                snapshot.writtenFrames = i
                snapshot.baseFrame = i
                clock.publish(snapshot)
            }
            isDone.flag.store(true, ordering: .releasing)
        }
        defer { writer.join() }
        var tornSnapshotCount = 0
        while !isDone.flag.load(ordering: .acquiring) {
            let snapshot = clock.snapshot
            let isConsistent =
                snapshot.writtenFrames == Int(snapshot.time) && snapshot.baseFrame == snapshot.writtenFrames
                && Int(snapshot.frame) == snapshot.writtenFrames
            if !isConsistent { tornSnapshotCount += 1 }
        }
        #expect(tornSnapshotCount == 0)
        #expect(clock.snapshot.writtenFrames == 50_000)
    }

    /// A flag that the writing thread sets after it has published its last snapshot of the clock.
    private final class DoneFlag: Sendable { let flag = Atomic<Bool>(false) }

    /// Returns the state of a running audio clock: the device plays frame 1000 at host time 1 s, at 48 kHz, and silence
    /// begins at frame 2000.
    private func snapshot() -> AudioClock.Snapshot {
        var snapshot = AudioClock.Snapshot()
        snapshot.isRunning = true
        snapshot.time = 1_000_000_000
        snapshot.frame = 1000
        snapshot.slope = 48000.0 / 1e9
        snapshot.writtenFrames = 3000
        snapshot.currentSegment = .init(deviceFrame: 0, streamFrame: 0, advancesStream: true)
        snapshot.nextSegment = .init(deviceFrame: 2000, streamFrame: 2000, advancesStream: false)
        return snapshot
    }

    @Test func positionAdvancesBetweenSnapshotsUntilSilence() {
        let clock = AudioClock()
        clock.publish(snapshot())
        let position = clock.reading(at: 1_010_000_000, flush: 0)?.position ?? 0
        #expect((1479...1480).contains(position))
        #expect(clock.reading(at: 1_010_000_000, flush: 0)?.isRunning == true)
        let silentReading = clock.reading(at: 1_100_000_000, flush: 0)
        #expect(silentReading?.position == 2000)
        #expect(silentReading?.isRunning == false)
        // A later reading for an earlier host time does not return an earlier position.
        #expect(clock.reading(at: 1_010_000_000, flush: 0)?.position == 2000)
    }

    @Test func requestedFlushResetsThePositionAtOnce() {
        let clock = AudioClock()
        clock.publish(snapshot())
        #expect(clock.reading(at: 1_010_000_000, flush: 1)?.position == 0)
    }

    @Test func clockOfALostDeviceHasNoReading() {
        let clock = AudioClock()
        var lostSnapshot = snapshot()
        lostSnapshot.isLost = true
        clock.publish(lostSnapshot)
        #expect(clock.reading(at: 1_010_000_000, flush: 0) == nil)
    }
}
