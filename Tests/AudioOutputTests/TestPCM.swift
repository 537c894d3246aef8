import Glibc
import SystemCalls

@testable import AudioOutput

/// An audio device for tests that records the samples it receives and fails on request. A ``NullPCM`` consumes the
/// samples without playing them.
///
/// `@unchecked Sendable`: only the render thread uses `nullPCM`; a lock protects all other state.
final class TestPCM: PCMDevice, @unchecked Sendable {
    /// The failures to simulate.
    ///
    /// Each call of a method fails with the next error code of its list; with 0, or when the list is empty, it
    /// succeeds.
    struct Faults {
        var writeErrors: [Int32] = []
        var timingErrors: [Int32] = []
        var waitErrors: [Int32] = []
        var resumeErrors: [Int32] = []
        /// The error code with which every call of ``prepare()`` fails; 0 succeeds.
        var permanentPrepareError: Int32 = 0
        /// Whether the device never accepts samples.
        var isNeverReady = false
        /// The number of frames that the device adds to its reported delay.
        var extraDelay = 0
    }

    /// The samples and method calls that the device has received.
    struct Record {
        /// The samples of channel 0 of every frame that the device has received.
        var samples: [Float] = []
        var prepareCount = 0, pauseCount = 0, dropCount = 0, resumeCount = 0
        var isClosed = false
    }

    /// While the value is true, ``write(_:frames:)`` blocks.
    let blocksWrites = Monitor(false)
    let nullPCM: NullPCM
    let faults: Monitor<Faults>
    let record = Monitor(Record())
    let name = "test"
    var format: AudioFormat { nullPCM.format }
    var bufferFrames: Int { nullPCM.bufferFrames }
    var periodFrames: Int { nullPCM.periodFrames }
    var canPause: Bool { nullPCM.canPause }

    init(canPause: Bool = true, speedPercent: Int64 = 100, faults: sending Faults = Faults()) {
        nullPCM = NullPCM(format: AudioFormat(rate: 48000, channels: 2), canPause: canPause, speedPercent: speedPercent)
        self.faults = Monitor(faults)
    }

    /// Throws the next error code of a list of ``Faults``; a code of 0 and an empty list cause no error.
    private func throwError(
        _ operation: PCMFailure.Operation, _ list: WritableKeyPath<Faults, [Int32]>
    ) throws(PCMFailure) {
        let errorCode: Int32 = faults.withLock { $0[keyPath: list].isEmpty ? 0 : $0[keyPath: list].removeFirst() }
        if errorCode != 0 { throw PCMFailure(operation, errorCode) }
    }

    func prepare() throws(PCMFailure) {
        let errorCode = faults.withLock { $0.permanentPrepareError }
        if errorCode != 0 { throw PCMFailure(.prepare, errorCode) }
        record.update { $0.prepareCount += 1 }
        try nullPCM.prepare()
    }

    func start() throws(PCMFailure) { try nullPCM.start() }

    func write(_ samples: UnsafePointer<Float>, frames: Int) throws(PCMFailure) -> Int {
        let _: Bool? = blocksWrites.wait { $0 ? nil : true }
        try throwError(.write, \.writeErrors)
        if faults.withLock({ $0.isNeverReady }) { return 0 }
        let count = try nullPCM.write(samples, frames: frames)
        record.update { for i in 0..<count { $0.samples.append(samples[i * 2]) } }
        return count
    }

    func setPaused(_ paused: Bool) throws(PCMFailure) {
        record.update { $0.pauseCount += paused ? 1 : 0 }
        try nullPCM.setPaused(paused)
    }

    func drop() throws(PCMFailure) {
        record.update { $0.dropCount += 1 }
        try nullPCM.drop()
    }

    func resume() throws(PCMFailure) {
        record.update { $0.resumeCount += 1 }
        try throwError(.resume, \.resumeErrors)
    }

    func timing() throws(PCMFailure) -> PCMTiming {
        try throwError(.timing, \.timingErrors)
        let (isNeverReady, extraDelay) = faults.withLock { ($0.isNeverReady, $0.extraDelay) }
        if isNeverReady { return PCMTiming(available: 0, delay: bufferFrames, hostTime: MonotonicTime.now) }
        var timing = try nullPCM.timing()
        timing.delay += extraDelay
        return timing
    }

    func wait(forSpace needsSpace: Bool, wake: EventDescriptor, until deadline: Int64?) throws(PCMFailure) {
        if needsSpace { try throwError(.wait, \.waitErrors) }
        try nullPCM.wait(forSpace: needsSpace, wake: wake, until: deadline)
    }

    func close() { record.update { $0.isClosed = true } }
}
