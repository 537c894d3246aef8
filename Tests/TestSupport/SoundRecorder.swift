import Glibc
import SystemCalls

/// Ears at a sink of the desk's sound server.
package final class SoundRecorder: Sendable {
    private struct State {
        var bytes: [UInt8] = []
        /// The earliest host time the first sample can have been played, by each piece that came.
        var startTimes: [Int64] = []
    }
    private let state: Monitor<State>
    private let recorder: ChildProcess

    /// Starts listening; returns when the first samples have come.
    ///
    /// - Parameter source: `null.monitor` hears what ALSA's default device plays.
    package init(source: String = "null.monitor", within patience: Duration = .seconds(5)) throws {
        try Desk.require()
        let state = Monitor(State())
        self.state = state
        recorder = try ChildProcess(
            Products.system("parec"),
            [
                "-d", source, "--raw", "--format=s16le", "--rate=\(SoundRecording.rate)", "--channels=2",
                "--latency-msec=5",
            ]
        ) { piece in
            let now = MonotonicTime.now
            state.update { state in
                state.bytes += piece
                state.startTimes.append(now - Int64(state.bytes.count / 4) * 1_000_000_000 / Int64(SoundRecording.rate))
            }
        }
        guard state.wait(until: Deadline.after(patience), { $0.bytes.isEmpty ? nil : true }) != nil else {
            throw RigError("no sound server heard within \(patience): \(recorder.errors.text)")
        }
    }

    /// What has been heard so far.
    package var recording: SoundRecording {
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
        // Pieces come late, never early: the smallest lateness, but for outliers, is the best estimate.
        let start = times.isEmpty ? MonotonicTime.now : times.sorted()[times.count / 10]
        return SoundRecording(samples: left, right: right, startTime: start)
    }

    /// Waits until what was heard has all of a host time's sound in it.
    package func wait(until time: Int64, within patience: Duration = .seconds(10)) throws(RigError) {
        let heard = state.wait(until: Deadline.after(patience)) { state -> Bool? in
            guard let last = state.startTimes.last else { return nil }
            return last + Int64(state.bytes.count / 4) * 1_000_000_000 / Int64(SoundRecording.rate) >= time ? true : nil
        }
        if heard == nil { throw RigError("the sound server has stopped: \(recorder.errors.text)") }
    }

    /// Waits until something louder than `threshold` is heard at or after host time `time`; returns its host time.
    @discardableResult
    package func waitForSound(
        above threshold: Float = 0.005, after time: Int64 = 0, within patience: Duration = .seconds(10)
    ) throws(RigError) -> Int64 {
        let heard = Deadline.poll(for: patience, every: .milliseconds(20)) { () -> Int64? in
            let recording = recording
            let first = recording.index(at: time)
            return recording.samples[first...].firstIndex { abs($0) > threshold }.map { recording.time(of: $0) }
        }
        guard let heard else { throw RigError("nothing was heard within \(patience)") }
        return heard
    }

    /// Ends listening and returns all that was heard.
    package func finish() -> SoundRecording {
        recorder.signal(SIGTERM)
        _ = try? recorder.waitForExit()
        return recording
    }
}
