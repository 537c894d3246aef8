import Glibc
import MediaPipeline
import SharedFrames
import SystemCalls

/// Plays arbitrary bytes with the real opener, demuxer and decoders, seeks in them, and returns the outcome. The fuzzer
/// and the tests of damaged files use this type.
package struct MediaTrial {
    /// The outcome of the playback of one file.
    package struct Outcome: Sendable, CustomStringConvertible {
        /// The information about the opened file; nil if the file was not opened.
        package var info: MediaInfo?
        /// The error that ended playback; nil if no error did.
        package var error: MediaError?
        /// The errors that did not end playback.
        package var warnings: [MediaError] = []
        /// The number of consumed frames.
        package var frameCount = 0
        /// The number of consumed audio blocks.
        package var blockCount = 0
        /// The largest amount of memory for decoded frames in use at one time, in bytes.
        package var peakFrameBytes = 0
        /// The size of the largest audio block, in bytes.
        package var largestBlockBytes = 0
        /// A description of the state in which playback hung; nil if playback ended.
        package var hang: String?

        package init() {}

        package var description: String {
            let mediaText = info.map { "\($0.container) \($0.video?.codec ?? "-") \($0.audio?.codec ?? "-")" }
            let hangText = hang.map { ", HANGS \($0)" } ?? ""
            return "\(mediaText ?? "not opened"), \(frameCount) frames, \(blockCount) blocks, "
                + (error?.message ?? "no error") + hangText
        }
    }

    /// The largest number of video frames to consume. A damaged file may have no end.
    package var frameLimit = 40
    /// The largest number of audio blocks to consume.
    package var blockLimit = 400
    /// The limits of the memory for decoded frames.
    package var poolLimit = FramePool.Limit(frameCount: 64, byteCount: 1 << 30)
    /// A seek, and the number of frames to consume after it.
    package struct Seek: Sendable {
        var precision = SeekRequest.Precision.exact
        /// The target time, in twentieths of the duration of the file.
        let targetInTwentieths: Int64
        var frames = 8
    }
    /// The seeks to perform after playback, if the file is seekable. The list includes short steps forward, for which
    /// the decoders may continue without a flush.
    package var seeks = [
        Seek(targetInTwentieths: 10), Seek(precision: .keyframe, targetInTwentieths: 0, frames: 1),
        Seek(targetInTwentieths: 8, frames: 1),
        Seek(targetInTwentieths: 9, frames: 1), Seek(targetInTwentieths: 19),
    ]

    /// The largest processor time for the playback and for each seek, in nanoseconds.
    package static let processorTimeLimit: Int64 = 10_000_000_000
    /// The largest elapsed time for the playback and for each seek, in nanoseconds. This limit is longer than
    /// ``processorTimeLimit``, because a slow machine may delay the process.
    package static let elapsedTimeLimit: Int64 = 60_000_000_000

    package init() {}

    /// Plays the bytes of a media file.
    ///
    /// - Parameter throughPipe: whether the bytes come through a pipe, which is not seekable, instead of a memory file.
    package func run(_ bytes: UnsafeRawBufferPointer, throughPipe: Bool = false) throws(SystemCallError) -> Outcome {
        throughPipe ? try runThroughPipe(bytes) : try runFromMemory(bytes)
    }

    private func runFromMemory(_ bytes: UnsafeRawBufferPointer) throws(SystemCallError) -> Outcome {
        let file = try MemoryFile(name: "trial", size: bytes.count)
        try Self.write(bytes, to: file.descriptor.raw)
        return try run(path: "/proc/self/fd/\(file.descriptor.raw)")
    }

    private func runThroughPipe(_ bytes: UnsafeRawBufferPointer) throws(SystemCallError) -> Outcome {
        var descriptors: [Int32] = [-1, -1]
        try systemCall("pipe") { pipe(&descriptors) }
        let readEnd = FileDescriptor(owning: descriptors[0])
        // Only the writer thread owns the write end of the pipe. When the thread closes the write end, the stream ends.
        let writeEnd = Monitor<SharedDescriptor?>(SharedDescriptor(FileDescriptor(owning: descriptors[1])))
        let copiedBytes = [UInt8](bytes)
        // The thread blocks all signals, so that a write to a closed pipe returns an error instead of raising SIGPIPE.
        let writer = try NamedThread("trial writer") {
            if let descriptor = writeEnd.withLock({ $0.take() }) {
                copiedBytes.withUnsafeBytes { try? Self.write($0, to: descriptor.raw) }
            }
        }
        let result: Result<Outcome, SystemCallError>
        do throws(SystemCallError) {
            result = .success(try run(path: "/proc/self/fd/\(readEnd.raw)"))
        } catch { result = .failure(error) }
        _ = consume readEnd
        writer.join()
        return try result.get()
    }

    private static func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) throws(SystemCallError) {
        var unwrittenBytes = bytes[...]
        while !unwrittenBytes.isEmpty {
            let writtenCount = try systemCall("write") {
                Glibc.write(
                    descriptor, UnsafeRawBufferPointer(rebasing: unwrittenBytes).baseAddress, unwrittenBytes.count)
            }
            unwrittenBytes = unwrittenBytes.dropFirst(writtenCount)
        }
    }

    /// Plays the file at `path`.
    package func run(path: String) throws(SystemCallError) -> Outcome {
        var configuration = MediaSourceConfiguration()
        configuration.policy.networkSchemes = []
        configuration.decoderThreads = 1
        let arrivalEvent = try EventDescriptor()
        let pool = FramePool(limit: poolLimit)
        let source = try LocalMediaSource(
            location: path, configuration: configuration, pool: pool, arrival: arrivalEvent, audioArrival: arrivalEvent)
        defer { source.close() }
        source.setAudioFormat(PCMFormat(rate: 48_000, channels: 2))
        try source.start()
        var playback = Playback(trial: self, source: source, pool: pool, arrivalEvent: arrivalEvent)
        playback.play()
        let outcome = playback.outcome
        guard outcome.hang == nil, let info = outcome.info, info.isSeekable, outcome.error == nil else {
            return outcome
        }
        for (number, seek) in seeks.enumerated() {
            let time = (info.duration ?? 2_000_000_000) / 20 * seek.targetInTwentieths
            playback.seek(
                SeekRequest(time: time, precision: seek.precision, generation: UInt32(number + 1)), frames: seek.frames)
            if playback.outcome.hang != nil { break }
        }
        return playback.outcome
    }
}
