import Glibc
import SwiftPlayKit
import SystemCalls

/// The JSON file of playback statistics that `--stats` writes.
enum StatisticsFile {
    /// Returns the contents of the statistics file; `item` is the last file that was played.
    static func json(_ s: PlaybackStatistics, of item: PlayerItem?, files: [String]) -> JSONValue {
        .object([
            "media": item.flatMap(mediaInfo) ?? .null,
            "files": .array(files.map { .string($0) }),
            "frames-decoded": .int(Int64(s.framesDecoded)),
            "frames-presented": .int(Int64(s.framesPresented)),
            "frames-dropped": .int(Int64(s.framesDropped)),
            "frames-late": .int(Int64(s.framesLate)),
            "frames-repeated": .int(Int64(s.framesRepeated)),
            "first-frame-time": s.firstFrameHostTime.map { .double($0.seconds) } ?? .null,
            "avsync": .double(s.synchronisation.offset),
            "avsync-largest": .double(s.synchronisation.largestOffset),
            "audio-underruns": .int(Int64(s.audio.underruns)),
            "audio-recoveries": .int(Int64(s.audio.recoveries)),
            "audio-losses": .int(Int64(s.audio.losses)),
            "audio-tries": .int(Int64(s.audio.attempts)),
            "audio-returns": .int(Int64(s.audio.returns)),
            "decode-times": millisecondHistogram(s.decodeTimes),
            "present-times": millisecondHistogram(s.presentTimes),
            "handoffs": .array(
                s.handoffs.map { handoff in
                    .object([
                        "direction": .string(handoff.direction.rawValue), "requested": .double(handoff.requested),
                        "completed": .double(handoff.completed),
                        "milliseconds": .double((handoff.completed - handoff.requested) * 1000),
                        "frame": .int(Int64(clamping: handoff.frame)),
                    ])
                }),
        ])
    }

    /// Returns information about the container of the last played file; nil if the file could not be opened.
    private static func mediaInfo(_ item: PlayerItem) -> JSONValue? {
        guard let values = item.containerInfo else { return nil }
        return .object([
            "path": .string(item.location), "container": .string(values.container),
            "duration": item.duration.seconds.isFinite ? .double(item.duration.seconds) : .null,
            "seekable": .bool(item.isSeekable),
            "chapters": .int(Int64(values.chapters)), "video-streams": .int(Int64(values.videoStreams)),
            "audio-streams": .int(Int64(values.audioStreams)), "subtitle-streams": .int(Int64(values.subtitleStreams)),
            "video-stream": values.videoStream.map { .int(Int64($0)) } ?? .null,
            "first-audio-stream": values.firstAudioStream.map { .int(Int64($0)) } ?? .null,
            "audio-stream": values.audioStream.map { .int(Int64($0)) } ?? .null,
        ])
    }

    /// Returns a histogram of durations in milliseconds: the count, the mean, upper bounds of the median, of the 90th
    /// percentile and of the maximum, and all non-empty buckets as pairs of upper bound and count.
    private static func millisecondHistogram(_ histogram: PlaybackStatistics.Histogram) -> JSONValue {
        func milliseconds(_ seconds: Double?) -> JSONValue { seconds.map { .double($0 * 1000) } ?? .null }
        return .object([
            "count": .int(Int64(histogram.count)), "mean": milliseconds(histogram.mean),
            "median-below": milliseconds(histogram.quantile(0.5)),
            "90%-below": milliseconds(histogram.quantile(0.9)), "all-below": milliseconds(histogram.quantile(1)),
            "histogram": .array(
                histogram.buckets.filter { $0.count > 0 }.map {
                    .array([.double($0.upperBound * 1000), .int(Int64($0.count))])
                }),
        ])
    }

    /// Writes the playback statistics to the file at `path`.
    ///
    /// - Returns: A message for the user if writing failed; nil on success.
    static func write(_ statistics: PlaybackStatistics, of item: PlayerItem?, files: [String], to path: String)
        -> String?
    {
        let bytes = Array((json(statistics, of: item, files: files).encoded + "\n").utf8)
        do throws(SystemCallError) {
            let file = try FileDescriptor(opening: path, flags: O_WRONLY | O_CREAT | O_TRUNC, mode: 0o644)
            var remainingBytes = bytes[...]
            while !remainingBytes.isEmpty {
                let n = try systemCall("write") {
                    remainingBytes.withUnsafeBytes { Glibc.write(file.raw, $0.baseAddress, $0.count) }
                }
                remainingBytes = remainingBytes.dropFirst(n)
            }
            return nil
        } catch { return "cannot write \(path): \(error.reason)" }
    }
}
