import Glibc
import MediaPipeline
import SharedFrames
import SystemCalls

/// Plays bytes, whatever they are, from opening to the last frame through the real opener, demuxer and decoders, seeks
/// in them, and says what came of it. What the fuzzer and the tests of damaged files run.
package struct MediaTrial {
    /// What came of one file.
    package struct Outcome: Sendable, CustomStringConvertible {
        package var info: MediaInfo?
        /// Why nothing (more) could be played.
        package var error: MediaError?
        package var warnings: [MediaError] = []
        package var frames = 0
        package var blocks = 0
        /// Most bytes of frame memory alive at once.
        package var frameBytes = 0
        /// Most bytes of one block of sound.
        package var blockBytes = 0
        /// It did not end: where it stood.
        package var hang: String?

        package init() {}

        package var description: String {
            "\(info.map { "\($0.container) \($0.video?.codec ?? "-") \($0.audio?.codec ?? "-")" } ?? "not opened"), "
                + "\(frames) frames, \(blocks) blocks, \(error?.message ?? "no error")\(hang.map { ", HANGS \($0)" } ?? "")"
        }
    }

    /// Frames taken at most, and blocks of sound: a file may say that it has no end.
    package var frameLimit = 40
    package var blockLimit = 400
    package var poolLimit = FramePool.Limit(frames: 64, bytes: 1 << 30)
    /// One seek: where to in the file, and how many frames are taken there.
    package struct Seek: Sendable {
        var precision = SeekRequest.Precision.exact
        /// Of the duration.
        let twentieths: Int64
        var frames = 8
    }
    /// Seeks to be done when the file has been played, if it says that one can. Short steps ahead, with decoders that
    /// are still under way: they may go on from there.
    package var seeks = [
        Seek(twentieths: 10), Seek(precision: .keyframe, twentieths: 0, frames: 1), Seek(twentieths: 8, frames: 1),
        Seek(twentieths: 9, frames: 1), Seek(twentieths: 19),
    ]

    /// Longer than this a file may not keep a processor busy, nanoseconds.
    package static let patience: Int64 = 10_000_000_000
    /// A file that keeps nobody busy is stuck when it takes this long; a machine that is merely slow gets so much.
    package static let longPatience: Int64 = 60_000_000_000

    package init() {}

    /// Plays `bytes` out of memory.
    ///
    /// - Parameter throughPipe: as something that cannot be sought in.
    package func run(_ bytes: UnsafeRawBufferPointer, throughPipe: Bool = false) throws(SystemCallError) -> Outcome {
        throughPipe ? try runThroughPipe(bytes) : try runFromMemory(bytes)
    }

    private func runFromMemory(_ bytes: UnsafeRawBufferPointer) throws(SystemCallError) -> Outcome {
        let file = try MemoryFile(name: "trial", size: bytes.count)
        try Self.write(bytes, to: file.descriptor.raw)
        return try run(path: "/proc/self/fd/\(file.descriptor.raw)")
    }

    private func runThroughPipe(_ bytes: UnsafeRawBufferPointer) throws(SystemCallError) -> Outcome {
        var ends: [Int32] = [-1, -1]
        try systemCall("pipe") { pipe(&ends) }
        let reading = FileDescriptor(owning: ends[0])
        // The thread alone holds this end: the reader hears the end of the file when it is closed.
        let handover = Monitor<SharedDescriptor?>(SharedDescriptor(FileDescriptor(owning: ends[1])))
        let copy = [UInt8](bytes)
        // Its signals are blocked: a pipe that nobody reads any more is an error, not a death.
        let writer = try NamedThread("trial writer") {
            if let descriptor = handover.withLock({ $0.take() }) {
                copy.withUnsafeBytes { try? Self.write($0, to: descriptor.raw) }
            }
        }
        let result: Result<Outcome, SystemCallError>
        do throws(SystemCallError) {
            result = .success(try run(path: "/proc/self/fd/\(reading.raw)"))
        } catch { result = .failure(error) }
        _ = consume reading
        writer.join()
        return try result.get()
    }

    private static func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) throws(SystemCallError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let n = try systemCall("write") {
                Glibc.write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
            }
            rest = rest.dropFirst(n)
        }
    }

    /// Plays the file at `path`.
    package func run(path: String) throws(SystemCallError) -> Outcome {
        var configuration = MediaSourceConfiguration()
        configuration.policy.networkSchemes = []
        configuration.decoderThreads = 1
        let arrival = try EventDescriptor()
        let pool = FramePool(limit: poolLimit)
        let source = try LocalMediaSource(
            location: path, configuration: configuration, pool: pool, arrival: arrival, soundArrival: arrival)
        defer { source.close() }
        source.setSoundFormat(PCMFormat(rate: 48_000, channels: 2))
        try source.start()
        var run = Run(trial: self, source: source, pool: pool, arrival: arrival)
        run.play()
        guard run.outcome.hang == nil, let info = run.outcome.info, info.isSeekable, run.outcome.error == nil else {
            return run.outcome
        }
        for (number, seek) in seeks.enumerated() {
            let time = (info.duration ?? 2_000_000_000) / 20 * seek.twentieths
            run.seek(
                SeekRequest(time: time, precision: seek.precision, generation: UInt32(number + 1)), frames: seek.frames)
            if run.outcome.hang != nil { break }
        }
        return run.outcome
    }
}
