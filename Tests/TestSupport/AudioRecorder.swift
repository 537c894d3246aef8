import Glibc
import SystemCalls

/// Records the audio that a sink of the test sound server plays, with `parec`.
package final class AudioRecorder: Sendable {
    private struct State {
        /// The samples received so far: 16-bit little-endian, stereo, interleaved.
        var bytes: [UInt8] = []
        /// Estimates of the host time of the first sample, in nanoseconds: one for each block of samples received from
        /// `parec`.
        var startTimes: [Int64] = []
    }
    private let state: Monitor<State>
    /// The `parec` process.
    private let recorder: ChildProcess

    /// Starts recording and waits for the first samples.
    ///
    /// - Parameters:
    ///   - source: the PulseAudio source; `null.monitor` records what ALSA's default device plays.
    ///   - timeout: the time limit for the arrival of the first samples.
    /// - Throws: ``TestFailure`` if the test environment is not set up or no samples arrive.
    package init(source: String = "null.monitor", within timeout: Duration = .seconds(5)) throws {
        try TestEnvironment.checkIsSetUp()
        let state = Monitor(State())
        self.state = state
        recorder = try ChildProcess(
            Products.systemProgram("parec"),
            [
                "-d", source, "--raw", "--format=s16le", "--rate=\(AudioRecording.rate)", "--channels=2",
                "--latency-msec=5",
            ]
        ) { bytes in
            let now = MonotonicTime.now
            state.update { state in
                state.bytes += bytes
                state.startTimes.append(now - Int64(state.bytes.count / 4) * 1_000_000_000 / Int64(AudioRecording.rate))
            }
        }
        guard state.wait(until: Deadline.after(timeout), { $0.bytes.isEmpty ? nil : true }) != nil else {
            throw TestFailure("the sound server sent no samples within \(timeout): \(recorder.errors.text)")
        }
    }

    /// The audio recorded so far.
    package var recording: AudioRecording {
        let (bytes, times) = state.withLock { ($0.bytes, $0.startTimes) }
        let frames = bytes.count / 4
        let (left, right) = bytes.withUnsafeBytes { raw in
            func channel(_ offset: Int) -> [Float] {
                (0..<frames).map {
                    Float(Int16(littleEndian: raw.loadUnaligned(fromByteOffset: $0 * 4 + offset, as: Int16.self)))
                        / 32768
                }
            }
            return (channel(0), channel(2))
        }
        // A block of samples can arrive late but not early, so the true start time of the recording is near the
        // smallest estimate. The tenth percentile ignores outliers.
        let start = times.isEmpty ? MonotonicTime.now : times.sorted()[times.count / 10]
        return AudioRecording(samples: left, right: right, startTime: start)
    }

    /// Waits until the recording contains all samples up to host time `time`, in nanoseconds.
    package func wait(until time: Int64, within timeout: Duration = .seconds(10)) throws(TestFailure) {
        let isComplete = state.wait(until: Deadline.after(timeout)) { state -> Bool? in
            guard let startTime = state.startTimes.last else { return nil }
            let duration = Int64(state.bytes.count / 4) * 1_000_000_000 / Int64(AudioRecording.rate)
            return startTime + duration >= time ? true : nil
        }
        if isComplete == nil { throw TestFailure("the sound server has stopped: \(recorder.errors.text)") }
    }

    /// Waits for a sample above `threshold` at or after host time `time`.
    ///
    /// - Returns: the host time of the sample.
    /// - Throws: ``TestFailure`` if the sink stays silent for `timeout`.
    @discardableResult
    package func waitForSound(
        above threshold: Float = 0.005, after time: Int64 = 0, within timeout: Duration = .seconds(10)
    ) throws(TestFailure) -> Int64 {
        let soundTime = Deadline.poll(for: timeout, every: .milliseconds(20)) { () -> Int64? in
            let recording = recording
            let firstIndex = recording.index(at: time)
            return recording.samples[firstIndex...].firstIndex { abs($0) > threshold }.map { recording.time(of: $0) }
        }
        guard let soundTime else { throw TestFailure("the sink was silent for \(timeout)") }
        return soundTime
    }

    /// Stops the recorder and returns the recording.
    package func stopRecording() -> AudioRecording {
        recorder.signal(SIGTERM)
        _ = try? recorder.waitForExit()
        return recording
    }
}
