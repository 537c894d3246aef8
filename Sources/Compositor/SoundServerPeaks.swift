import CPulse
import SystemCalls

/// Measures at the sound server which processes are audible, from peaks. A peak is the loudest sample of 40 ms.
enum SoundServerPeaks {
    /// The number of peaks per second of each stream.
    private static let peaksPerSecond: UInt32 = 25
    /// The number of peaks that arrive together: 80 ms of audio at 25 peaks per second. Players' own streams wake the
    /// server more often, so the measurement adds no wake-ups.
    private static let peaksPerFragment = 2
    /// The lowest peak that counts as audible, as a linear amplitude: -60 dB of full scale.
    private static let audiblePeakThreshold: Float = 0.001
    /// The largest number of streams in one measurement.
    private static let streamLimit = 16

    #if _endian(little)
        private static let sampleFormat = PA_SAMPLE_FLOAT32LE
    #else
        private static let sampleFormat = PA_SAMPLE_FLOAT32BE
    #endif

    /// A record stream that delivers one process's peaks.
    private final class PeakMeter {
        /// The process whose stream is measured.
        let processID: Int32
        /// The record stream that monitors the process's playback stream.
        private let stream: OpaquePointer
        /// The number of peaks above ``audiblePeakThreshold`` so far.
        private var audiblePeakCount = 0

        /// Starts to record the peaks of the playback stream `streamIndex` of a process.
        init?(_ processID: Int32, stream streamIndex: UInt32, _ server: SoundServerConnection) {
            var format = pa_sample_spec(format: sampleFormat, rate: peaksPerSecond, channels: 1)
            guard let stream = pa_stream_new(server.context, "peaks", &format, nil) else { return nil }
            (self.processID, self.stream) = (processID, stream)
            var buffer = pa_buffer_attr(
                maxlength: .max, tlength: .max, prebuf: .max, minreq: .max,
                fragsize: UInt32(peaksPerFragment * MemoryLayout<Float>.size))
            let flags = [
                PA_STREAM_PEAK_DETECT, PA_STREAM_ADJUST_LATENCY, PA_STREAM_DONT_MOVE,
                PA_STREAM_DONT_INHIBIT_AUTO_SUSPEND,
            ].reduce(0) { $0 | $1.rawValue }
            guard pa_stream_set_monitor_stream(stream, streamIndex) >= 0,
                pa_stream_connect_record(stream, nil, &buffer, pa_stream_flags_t(flags)) >= 0
            else { return nil }
        }

        /// Ends the recording.
        deinit {
            pa_stream_disconnect(stream)
            pa_stream_unref(stream)
        }

        /// Whether the record stream is ready, or has failed because the measured stream no longer exists.
        var hasStartedOrFailed: Bool { pa_stream_get_state(stream) != PA_STREAM_CREATING }

        /// Reads the peaks that have arrived and counts the audible peaks.
        func read() {
            while pa_stream_get_state(stream) == PA_STREAM_READY,
                (1...(1 << 20)).contains(pa_stream_readable_size(stream))
            {
                var peakData: UnsafeRawPointer?, length = 0
                guard pa_stream_peek(stream, &peakData, &length) >= 0, length > 0 else { return }
                if let peakData {
                    let peaks = UnsafeRawBufferPointer(start: peakData, count: length)
                    for offset in stride(from: 0, to: length / 4 * 4, by: 4)
                    where peaks.loadUnaligned(fromByteOffset: offset, as: Float.self) > audiblePeakThreshold {
                        audiblePeakCount += 1
                    }
                }
                pa_stream_drop(stream)
            }
        }

        /// Returns whether the process was audible for at least half of a measurement of `duration` nanoseconds. A
        /// shorter sound, such as a mouse click, does not count.
        func wasAudible(during duration: Int64) -> Bool {
            audiblePeakCount * 2 >= Int(duration * Int64(peaksPerSecond) / 1_000_000_000)
        }
    }

    /// Measures which of some processes are audible. Waits for the sound server.
    ///
    /// - Parameters:
    ///   - processes: The process IDs.
    ///   - duration: The length of the measurement, in nanoseconds.
    ///   - deadline: The host time at which the measurement fails.
    ///   - isCancelled: Called on the calling thread; the measurement fails after it returns true.
    /// - Returns: The audible processes; `nil` if there is no sound server, or it did not answer in time.
    static func audibleProcesses(
        among processes: Set<Int32>, for duration: Int64, until deadline: Int64, isCancelled: @escaping () -> Bool
    ) -> Set<Int32>? {
        guard let server = SoundServerConnection(until: deadline, isCancelled: isCancelled),
            let streams = server.streams()
        else { return nil }
        // A desktop shows a recording indicator during a measurement, so silent streams are not measured. If there are
        // more streams than ``streamLimit``, the choice is random, so that no stream is always left out.
        let meters = streams.filter { processes.contains($0.processID) && !$0.isSilent }.shuffled().prefix(streamLimit)
            .compactMap { PeakMeter($0.processID, stream: $0.index, server) }
        guard !meters.isEmpty else { return [] }
        guard server.wait({ meters.allSatisfy(\.hasStartedOrFailed) }) else { return nil }
        let endTime = MonotonicTime.now + duration
        _ = server.wait(until: endTime) {
            for meter in meters { meter.read() }
            return false
        }
        // If the connection was lost before the end, the measurement is incomplete.
        guard MonotonicTime.now >= endTime else { return nil }
        return Set(meters.filter { $0.wasAudible(during: duration) }.map(\.processID))
    }
}
