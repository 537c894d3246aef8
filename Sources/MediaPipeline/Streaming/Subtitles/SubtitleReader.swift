import HTTPTransfer
import StreamPlaylists
import SystemCalls

/// Fetches the segments of a subtitle rendition around the playback position. Used by the thread that decodes the
/// subtitles, so that a slow or failing rendition does not delay audio and video.
final class SubtitleReader {
    /// The outcome of one ``readNextSegment(playhead:readUntil:)``.
    enum ReadOutcome {
        /// A segment was read. The associated value has the new cues, with times on the item's timeline.
        case cues([WebVTTCue])
        /// No segment is needed until the stream has been read up to this time (nanoseconds on the item's timeline).
        case upToDate(until: Int64)
        /// No segment follows until the next seek, or until this host time in nanoseconds.
        case idle(until: Int64?)
    }

    private let rendition: SubtitleRendition
    private let fetcher: PlaylistFetcher
    /// The playlist of the rendition; nil before the first read.
    private var playlist: FollowedPlaylist?
    /// The numbers of the consecutive segments that need no further request, because they were read or cannot be read.
    private var handledNumbers = 0..<0
    private var cueMerger = CueMerger()
    /// The number of consecutive segments that could not be read.
    private var failureCount = 0
    /// Whether no more segments are requested, because too many requests failed.
    private var hasGivenUp = false

    /// The maximum number of consecutive unreadable segments that are skipped before the reader gives up the rendition.
    private static let failureLimit = 3
    /// The delay, in nanoseconds, before a live rendition that failed too often is requested again.
    private static let retryInterval: Int64 = 30_000_000_000
    /// The maximum size of a subtitle segment in bytes.
    static let byteLimit = 8 << 20
    /// The number of bytes from which the format of a segment is recognised.
    private static let recognitionByteCount = 16
    /// The maximum size, in bytes, of the segments that are kept for seeks.
    private static let keptByteLimit = 2 << 20
    /// The interval, in nanoseconds of the stream, at which the offset of a new discontinuity number is looked up.
    private static let clockInterval: Int64 = 500_000_000

    init(_ rendition: SubtitleRendition, _ interruption: ReadingInterruption) {
        self.rendition = rendition
        fetcher = PlaylistFetcher(
            options: rendition.options, transfers: rendition.transfers, store: SegmentStore(limit: Self.keptByteLimit),
            interruption: interruption)
        (fetcher.seekEndsWaits, fetcher.presentation) = (true, rendition.presentation.map { PresentationFollower($0) })
    }

    /// Resets the state after a seek, so that failed segments are requested again.
    func restart() {
        (handledNumbers, failureCount, hasGivenUp) = (0..<0, 0, false)
        cueMerger.restart()
    }

    /// Allows requests again after the rendition was given up.
    func retry() { hasGivenUp = false }

    /// Whether to report the last failure; false for repeated failures of a rendition that was given up.
    var reportsFailures: Bool { failureCount <= Self.failureLimit + 1 }

    /// Reads the next segment that is needed around the playhead, if there is one.
    ///
    /// - Parameters:
    ///   - playhead: The time up to which the stream's decoders have taken packets, in nanoseconds on the item's
    ///     timeline.
    ///   - readUntil: The time up to which the stream was read, in nanoseconds on the item's timeline.
    /// - Throws: The error of a segment or of the playlist; the next call continues after that segment. `interrupted`
    ///   if a seek or the end of the track cancelled the call.
    func readNextSegment(playhead: Int64, readUntil: Int64) throws(MediaError) -> ReadOutcome {
        if hasGivenUp { return .idle(until: retryTime) }
        do throws(MediaError) {
            let playlist = try openPlaylist()
            while true {
                let number = nextNumber(from: playhead, in: playlist.window)
                switch playlist.lookup(number) {
                case .ended: return .idle(until: nil)
                case .removed: handledNumbers = playlist.window.numbers.lowerBound..<playlist.window.numbers.lowerBound
                case .expected:
                    if playlist.window.end > readUntil { return .upToDate(until: playlist.window.end) }
                    guard let time = playlist.reloadTime else { return .idle(until: nil) }
                    guard fetcher.waitInterruption.sleep(until: time) else {
                        throw MediaError(.interrupted, "was cancelled")
                    }
                    try playlist.reload()
                case .segment(let segment):
                    guard let segmentTimes = playlist.window.times(of: number) else { return .idle(until: nil) }
                    if let time = requiredReadTime(segment, segmentTimes, readUntil) { return .upToDate(until: time) }
                    if !segment.isGap { return .cues(try cues(of: segment, segmentTimes)) }
                    handledNumbers = handledNumbers.lowerBound..<number + 1
                }
            }
        } catch  where error.code != .interrupted {
            failureCount += 1
            // Give up without a playlist or with an untrusted server, because no segment can follow.
            hasGivenUp = failureCount > Self.failureLimit || playlist == nil || error.code == .untrustedServer
            throw error
        }
    }

    /// The host time, in nanoseconds, at which to request a rendition again that failed too often; nil if the stream is
    /// not live.
    private var retryTime: Int64? {
        rendition.timeline.currentValues.window?.playlist.isComplete == false
            ? MonotonicTime.now + Self.retryInterval : nil
    }

    /// Returns the playlist of the rendition; loads it if it is not loaded yet.
    private func openPlaylist() throws(MediaError) -> FollowedPlaylist {
        if let playlist { return playlist }
        let newPlaylist = try FollowedPlaylist(
            rendition.address, imports: rendition.imports, alignedWith: rendition.timeline.currentValues.window, fetcher
        )
        playlist = newPlaylist
        return newPlaylist
    }

    /// Returns the number of the first segment that was not requested yet, starting with the segment before the
    /// playhead, whose cues may still be visible.
    private func nextNumber(from playhead: Int64, in window: SegmentWindow) -> Int {
        let currentNumber =
            playhead < window.start
            ? window.numbers.lowerBound : window.segment(at: playhead)?.number ?? window.numbers.upperBound
        let firstNumber = max(window.numbers.lowerBound, currentNumber - 1)
        if !(handledNumbers.lowerBound...handledNumbers.upperBound).contains(firstNumber) {
            handledNumbers = firstNumber..<firstNumber
        }
        return handledNumbers.upperBound
    }

    /// Returns the time up to which the stream must be read before the segment is fetched; nil if the segment can be
    /// fetched now.
    private func requiredReadTime(_ segment: MediaSegment, _ times: Range<Int64>, _ readUntil: Int64) -> Int64? {
        if times.lowerBound > readUntil { return times.lowerBound }
        // Wait until the stream reaches the segment's discontinuity, which determines the clock, but not beyond the
        // segment's end: only this rendition may have the discontinuity.
        let isClockKnown =
            segment.mediaTime != nil
            || rendition.timeline.currentValues.clock.offset(discontinuity: segment.discontinuity) != nil
        return isClockKnown || readUntil >= times.upperBound
            ? nil : min(times.upperBound, readUntil &+ Self.clockInterval)
    }

    /// Fetches a segment and returns its new cues on the item's timeline.
    private func cues(of segment: MediaSegment, _ times: Range<Int64>) throws(MediaError) -> [WebVTTCue] {
        let content: WebVTTSegment
        do throws(MediaError) { content = try fetch(segment) } catch {
            if error.code != .interrupted { handledNumbers = handledNumbers.lowerBound..<segment.number + 1 }
            throw error
        }
        (handledNumbers, failureCount) = (handledNumbers.lowerBound..<segment.number + 1, 0)
        let clock = rendition.timeline.currentValues.clock
        let offset =
            segment.mediaTime.map { times.lowerBound &- $0 }
            ?? CueTimeRule.offset(
                of: content.cues, map: content.map,
                clockOffset: clock.offset(discontinuity: segment.discontinuity), segment: times)
        return cueMerger.merge(content.cues.map { $0.moved(by: offset) })
    }

    /// Fetches a segment and parses its content.
    private func fetch(_ segment: MediaSegment) throws(MediaError) -> WebVTTSegment {
        let bytes = try SegmentBytes(segment, fetcher) { $0.contentByteCount > Self.byteLimit }
        let address = segment.address.url
        do throws(MediaError) {
            let content = try Self.content(of: bytes)
            if case nil = bytes.earlyEnd, bytes.contentByteCount <= Self.byteLimit { return content }
        } catch {
            if case nil = bytes.earlyEnd { throw MediaError(error.code, error.message, of: address) }
        }
        switch bytes.earlyEnd {
        case .failed(let error): throw error
        case .interrupted: throw MediaError(.interrupted, "was cancelled")
        case nil, .abandoned:
            throw MediaError(.input, "a segment of subtitles is larger than \(Self.byteLimit) bytes", of: address)
        }
    }

    /// Parses the content of a segment. The result is not valid if the bytes ended early or exceed ``byteLimit``.
    private static func content(of bytes: SegmentBytes) throws(MediaError) -> WebVTTSegment {
        if SegmentFormat(firstBytes: bytes.peek(recognitionByteCount)) == .fragmentedMP4 {
            return try WebVTTSegment(try SegmentDemuxer(bytes))
        }
        return try WebVTTSegment(try TextEncoding.utf8(bytes.peek(byteLimit + 1)))
    }
}
