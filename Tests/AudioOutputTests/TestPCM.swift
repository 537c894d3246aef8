import Glibc
import SystemCalls

@testable import AudioOutput

/// A device for tests: a ``NullPCM`` that keeps what was heard through it, and fails when told to.
///
/// `@unchecked Sendable`: `null` is used by the render thread alone, everything else is behind a lock.
final class TestPCM: PCMDevice, @unchecked Sendable {
    /// What goes wrong next; each kind once for each time it was asked for, `forever` until the end.
    struct Faults {
        var write: [Int32] = []
        var timing: [Int32] = []
        var wait: [Int32] = []
        var resume: [Int32] = []
        var prepareForever: Int32 = 0
        var isNeverReady = false
        var extraDelay = 0
    }

    struct Record {
        /// Channel 0 of every frame that the device took.
        var samples: [Float] = []
        var prepares = 0, pauses = 0, drops = 0, resumes = 0
        var isClosed = false
    }

    /// While true, a write does not return.
    let hold = Monitor(false)
    let null: NullPCM
    let faults: Monitor<Faults>
    let record = Monitor(Record())
    let name = "test"
    var format: AudioFormat { null.format }
    var bufferFrames: Int { null.bufferFrames }
    var periodFrames: Int { null.periodFrames }
    var canPause: Bool { null.canPause }

    init(canPause: Bool = true, speedPercent: Int64 = 100, faults: sending Faults = Faults()) {
        null = NullPCM(format: AudioFormat(rate: 48000, channels: 2), canPause: canPause, speedPercent: speedPercent)
        self.faults = Monitor(faults)
    }

    private func fail(_ step: PCMFailure.Step, _ list: WritableKeyPath<Faults, [Int32]>) throws(PCMFailure) {
        let code: Int32 = faults.withLock { $0[keyPath: list].isEmpty ? 0 : $0[keyPath: list].removeFirst() }
        if code != 0 { throw PCMFailure(step, code) }
    }

    func prepare() throws(PCMFailure) {
        let code = faults.withLock { $0.prepareForever }
        if code != 0 { throw PCMFailure(.prepare, code) }
        record.update { $0.prepares += 1 }
        try null.prepare()
    }

    func start() throws(PCMFailure) { try null.start() }

    func write(_ samples: UnsafePointer<Float>, frames: Int) throws(PCMFailure) -> Int {
        let _: Bool? = hold.wait { $0 ? nil : true }
        try fail(.write, \.write)
        if faults.withLock({ $0.isNeverReady }) { return 0 }
        let count = try null.write(samples, frames: frames)
        record.update { for i in 0..<count { $0.samples.append(samples[i * 2]) } }
        return count
    }

    func setPaused(_ paused: Bool) throws(PCMFailure) {
        record.update { $0.pauses += paused ? 1 : 0 }
        try null.setPaused(paused)
    }

    func drop() throws(PCMFailure) {
        record.update { $0.drops += 1 }
        try null.drop()
    }

    func resume() throws(PCMFailure) {
        record.update { $0.resumes += 1 }
        try fail(.resume, \.resume)
    }

    func timing() throws(PCMFailure) -> PCMTiming {
        try fail(.timing, \.timing)
        let (isNeverReady, extra) = faults.withLock { ($0.isNeverReady, $0.extraDelay) }
        if isNeverReady { return PCMTiming(available: 0, delay: bufferFrames, hostTime: MonotonicTime.now) }
        var timing = try null.timing()
        timing.delay += extra
        return timing
    }

    func wait(forSpace space: Bool, wake: EventDescriptor, until deadline: Int64?) throws(PCMFailure) {
        if space { try fail(.wait, \.wait) }
        try null.wait(forSpace: space, wake: wake, until: deadline)
    }

    func close() { record.update { $0.isClosed = true } }
}
