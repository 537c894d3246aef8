import Glibc
import SwiftPlayKit
import SystemCalls

/// The JSON file of playback statistics that `--stats` writes.
enum StatisticsFile {
    /// Returns the contents of the statistics file; `item` is the last file that was played.
    static func json(_ statistics: PlaybackStatistics, of item: PlayerItem?, files: [String]) -> JSONValue {
        .object([
            "media": item.flatMap(mediaInfo) ?? .null,
            "files": .array(files.map { .string($0) }),
            "frames-decoded": .int(Int64(statistics.framesDecoded)),
            "frames-presented": .int(Int64(statistics.framesPresented)),
            "frames-dropped": .int(Int64(statistics.framesDropped)),
            "frames-late": .int(Int64(statistics.framesLate)),
            "frames-repeated": .int(Int64(statistics.framesRepeated)),
            "first-frame-time": statistics.firstFrameHostTime.map { .double($0.seconds) } ?? .null,
            "avsync": .double(statistics.synchronisation.offset),
            "avsync-largest": .double(statistics.synchronisation.largestOffset),
            "audio-underruns": .int(Int64(statistics.audio.underruns)),
            "audio-recoveries": .int(Int64(statistics.audio.recoveries)),
            "audio-losses": .int(Int64(statistics.audio.losses)),
            "audio-tries": .int(Int64(statistics.audio.attempts)),
            "audio-returns": .int(Int64(statistics.audio.returns)),
            "decode-times": millisecondHistogram(statistics.decodeTimes),
            "present-times": millisecondHistogram(statistics.presentTimes),
            "handoffs": .array(
                statistics.handoffs.map { handoff in
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
        guard let info = item.containerInfo else { return nil }
        return .object([
            "path": .string(item.location), "container": .string(info.container),
            "duration": item.duration.seconds.isFinite ? .double(item.duration.seconds) : .null,
            "seekable": .bool(item.isSeekable),
            "chapters": .int(Int64(info.chapterCount)), "video-streams": .int(Int64(info.videoStreamCount)),
            "audio-streams": .int(Int64(info.audioStreamCount)),
            "subtitle-streams": .int(Int64(info.subtitleStreamCount)),
            "video-stream": info.videoStreamIndex.map { .int(Int64($0)) } ?? .null,
            "first-audio-stream": info.firstAudioStreamIndex.map { .int(Int64($0)) } ?? .null,
            "audio-stream": info.audioStreamIndex.map { .int(Int64($0)) } ?? .null,
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
                let writtenCount = try systemCall("write") {
                    remainingBytes.withUnsafeBytes { Glibc.write(file.raw, $0.baseAddress, $0.count) }
                }
                remainingBytes = remainingBytes.dropFirst(writtenCount)
            }
            return nil
        } catch { return "cannot write \(path): \(error.reason)" }
    }
}
