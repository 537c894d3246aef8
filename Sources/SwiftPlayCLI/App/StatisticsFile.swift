import Glibc
import SwiftPlayKit
import SystemCalls

/// The JSON file of playback statistics that `--stats` writes.
enum StatisticsFile {
    static func json(_ s: PlaybackStatistics, of item: PlayerItem?, files: [String]) -> JSONValue {
        .object([
            "media": item.flatMap(media) ?? .null,
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
            "audio-tries": .int(Int64(s.audio.tries)),
            "audio-returns": .int(Int64(s.audio.returns)),
            "decode-times": times(s.decodeTimes),
            "present-times": times(s.presentTimes),
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

    /// Returns the container information of the last file; nil if the file could not be opened.
    private static func media(_ item: PlayerItem) -> JSONValue? {
        guard let facts = item.containerFacts else { return nil }
        return .object([
            "path": .string(item.location), "container": .string(facts.container),
            "duration": item.duration.seconds.isFinite ? .double(item.duration.seconds) : .null,
            "seekable": .bool(item.isSeekable),
            "chapters": .int(Int64(facts.chapters)), "video-streams": .int(Int64(facts.videoStreams)),
            "audio-streams": .int(Int64(facts.audioStreams)), "subtitle-streams": .int(Int64(facts.subtitleStreams)),
            "video-stream": facts.videoStream.map { .int(Int64($0)) } ?? .null,
            "first-audio-stream": facts.firstAudioStream.map { .int(Int64($0)) } ?? .null,
            "audio-stream": facts.audioStream.map { .int(Int64($0)) } ?? .null,
        ])
    }

    /// Milliseconds: the mean, bounds of what half, nine and all of ten took, and the whole as pairs of bound and
    /// count.
    private static func times(_ histogram: PlaybackStatistics.Histogram) -> JSONValue {
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

    /// Writes the statistics to `path`.
    ///
    /// - Returns: A message if writing failed; nil on success.
    static func write(_ statistics: PlaybackStatistics, of item: PlayerItem?, files: [String], to path: String)
        -> String?
    {
        let bytes = Array((json(statistics, of: item, files: files).encoded + "\n").utf8)
        do throws(SystemCallError) {
            let file = try FileDescriptor(opening: path, flags: O_WRONLY | O_CREAT | O_TRUNC, mode: 0o644)
            var rest = bytes[...]
            while !rest.isEmpty {
                let n = try systemCall("write") {
                    rest.withUnsafeBytes { Glibc.write(file.raw, $0.baseAddress, $0.count) }
                }
                rest = rest.dropFirst(n)
            }
            return nil
        } catch { return "cannot write \(path): \(error.reason)" }
    }
}
