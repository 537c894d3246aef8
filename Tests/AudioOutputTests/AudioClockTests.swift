import Synchronization
import SystemCalls
import Testing

@testable import AudioOutput

@Suite struct AudioClockTests {
    @Test func readersSeeConsistentSnapshots() throws {
        let clock = AudioClock()
        let isDone = DoneFlag()
        let writer = try NamedThread("writer") {
            for i in 1...50_000 {
                var s = AudioClock.Snapshot()
                s.frame = Double(i)
                s.time = Int64(i)
                s.writtenFrames = i
                s.base = i
                clock.publish(s)
            }
            isDone.flag.store(true, ordering: .releasing)
        }
        defer { writer.join() }
        var torn = 0
        while !isDone.flag.load(ordering: .acquiring) {
            let s = clock.snapshot
            let isConsistent =
                s.writtenFrames == Int(s.time) && s.base == s.writtenFrames && Int(s.frame) == s.writtenFrames
            if !isConsistent { torn += 1 }
        }
        #expect(torn == 0)
        #expect(clock.snapshot.writtenFrames == 50_000)
    }

    /// A flag that the writing thread sets after it has published its last snapshot of the clock.
    private final class DoneFlag: Sendable { let flag = Atomic<Bool>(false) }

    /// Returns the state of a running audio clock: the device plays frame 1000 at host time 1 s, at 48 kHz, and silence
    /// begins at frame 2000.
    private func snapshot() -> AudioClock.Snapshot {
        var s = AudioClock.Snapshot()
        s.isRunning = true
        s.time = 1_000_000_000
        s.frame = 1000
        s.slope = 48000.0 / 1e9
        s.writtenFrames = 3000
        s.current = .init(device: 0, stream: 0, advances: true)
        s.next = .init(device: 2000, stream: 2000, advances: false)
        return s
    }

    @Test func positionAdvancesBetweenSnapshotsUntilSilence() {
        let clock = AudioClock()
        clock.publish(snapshot())
        let position = clock.reading(at: 1_010_000_000, flush: 0)?.position ?? 0
        #expect((1479...1480).contains(position))
        #expect(clock.reading(at: 1_010_000_000, flush: 0)?.isRunning == true)
        let silent = clock.reading(at: 1_100_000_000, flush: 0)
        #expect(silent?.position == 2000)
        #expect(silent?.isRunning == false)
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
        var s = snapshot()
        s.isLost = true
        clock.publish(s)
        #expect(clock.reading(at: 1_010_000_000, flush: 0) == nil)
    }
}
