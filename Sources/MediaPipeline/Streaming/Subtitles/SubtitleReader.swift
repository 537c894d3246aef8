import HTTPTransfer
import SystemCalls

/// Fetches the segments of a rendition of subtitles around the playback position. Used by the thread that decodes the
/// subtitles, so that a slow or failing rendition does not delay audio and video.
final class SubtitleReader {
    /// What one step has done, or why it has done nothing.
    enum Step {
        /// A segment was read, with these new cues on the item's timeline.
        case cues([WebVTTCue])
        /// Nothing is needed until the stream has been read up to a time on the item's timeline, in nanoseconds.
        case upToDate(until: Int64)
        /// No segment follows until the next seek, or until a host time in nanoseconds.
        case idle(until: Int64?)
    }

    private let rendition: SubtitleRendition
    private let fetcher: PlaylistFetcher
    /// The playlist; nil until the first step.
    private var playlist: FollowedPlaylist?
    /// The numbers of the segments that were read, or could not be read, without a jump.
    private var handled = 0..<0
    private var merger = CueMerger()
    /// The number of segments in a row that could not be read.
    private var failures = 0
    /// Whether no more segments are requested, because too many failed.
    private var hasGivenUp = false

    /// The number of segments in a row that are skipped before the rendition is given up.
    private static let failureLimit = 3
    /// The time after which a live rendition that was given up is tried again, in nanoseconds.
    private static let retryInterval: Int64 = 30_000_000_000
    /// The largest segment in bytes.
    static let byteLimit = 8 << 20
    /// The number of bytes by which the format of a segment is recognised.
    private static let sniffedByteCount = 16
    /// The number of bytes of segments that are kept for seeks.
    private static let keptByteLimit = 2 << 20
    /// How often the clock of a new discontinuity number is looked for, in nanoseconds of the stream.
    private static let clockInterval: Int64 = 500_000_000

    init(_ rendition: SubtitleRendition, _ interruption: ReadingInterruption) {
        self.rendition = rendition
        fetcher = PlaylistFetcher(
            options: rendition.options, transfers: rendition.transfers, store: SegmentStore(limit: Self.keptByteLimit),
            interruption: interruption)
        (fetcher.seekEndsWaits, fetcher.presentation) = (true, rendition.presentation.map { PresentationFollower($0) })
    }

    /// Handles a seek: failed segments are requested again.
    func restart() {
        (handled, failures, hasGivenUp) = (0..<0, 0, false)
        merger.restart()
    }

    /// Tries again after the rendition was given up.
    func retry() { hasGivenUp = false }

    /// Whether to report the last failure: not those that repeat while a rendition is tried again and again.
    var reportsFailures: Bool { failures <= Self.failureLimit + 1 }

    /// Reads the next segment that is needed, if there is one.
    ///
    /// - Parameters:
    ///   - playhead: The time up to which the decoders of the stream have taken packets, on the item's timeline.
    ///   - readUntil: The time up to which the stream was read.
    /// - Throws: Why a segment or the playlist could not be read; the next step continues behind it. `interrupted` if
    ///   a seek or the end of the track cancelled the step.
    func step(playhead: Int64, readUntil: Int64) throws(MediaError) -> Step {
        if hasGivenUp { return .idle(until: retryTime) }
        do throws(MediaError) {
            let playlist = try openPlaylist()
            while true {
                let number = nextNumber(from: playhead, in: playlist.window)
                switch playlist.lookup(number) {
                case .ended: return .idle(until: nil)
                case .passed: handled = playlist.window.numbers.lowerBound..<playlist.window.numbers.lowerBound
                case .expected:
                    if playlist.window.end > readUntil { return .upToDate(until: playlist.window.end) }
                    guard let time = playlist.reloadTime else { return .idle(until: nil) }
                    guard fetcher.waits.sleep(until: time) else { throw MediaError(.interrupted, "was cancelled") }
                    try playlist.reload()
                case .segment(let segment):
                    guard let times = playlist.window.times(of: number) else { return .idle(until: nil) }
                    if let time = waitingTime(segment, times, readUntil) { return .upToDate(until: time) }
                    if !segment.isGap { return .cues(try cues(of: segment, times)) }
                    handled = handled.lowerBound..<number + 1
                }
            }
        } catch  where error.code != .interrupted {
            failures += 1
            // Without a playlist, and with an untrusted server, no segment can follow.
            hasGivenUp = failures > Self.failureLimit || playlist == nil || error.code == .untrustedServer
            throw error
        }
    }

    /// When to try again after the rendition was given up: the server of a live stream may recover.
    private var retryTime: Int64? {
        rendition.timeline.current.window?.playlist.isComplete == false ? MonotonicTime.now + Self.retryInterval : nil
    }

    private func openPlaylist() throws(MediaError) -> FollowedPlaylist {
        if let playlist { return playlist }
        let made = try FollowedPlaylist(
            rendition.address, imports: rendition.imports, alignedWith: rendition.timeline.current.window, fetcher)
        playlist = made
        return made
    }

    /// Returns the number of the first segment that is needed at the playhead and was not handled yet: the one before
    /// the playhead, because it may contain a cue that is still visible, or a later one.
    private func nextNumber(from playhead: Int64, in window: SegmentWindow) -> Int {
        let current =
            playhead < window.start
            ? window.numbers.lowerBound : window.segment(at: playhead)?.number ?? window.numbers.upperBound
        let first = max(window.numbers.lowerBound, current - 1)
        if !(handled.lowerBound...handled.upperBound).contains(first) { handled = first..<first }
        return handled.upperBound
    }

    /// Returns the time up to which the stream is to be read before a segment is fetched; nil if it is due.
    private func waitingTime(_ segment: MediaSegment, _ times: Range<Int64>, _ readUntil: Int64) -> Int64? {
        if times.lowerBound > readUntil { return times.lowerBound }
        // The stream reaches the clock of the segment soon, unless only this rendition has such a discontinuity.
        let isKnown =
            segment.mediaTime != nil
            || rendition.timeline.current.clock.offset(discontinuity: segment.discontinuity) != nil
        return isKnown || readUntil >= times.upperBound
            ? nil : min(times.upperBound, readUntil &+ Self.clockInterval)
    }

    /// Fetches a segment, and returns its new cues on the item's timeline.
    private func cues(of segment: MediaSegment, _ times: Range<Int64>) throws(MediaError) -> [WebVTTCue] {
        let content: WebVTTSegment
        do throws(MediaError) { content = try fetch(segment) } catch {
            if error.code != .interrupted { handled = handled.lowerBound..<segment.number + 1 }
            throw error
        }
        (handled, failures) = (handled.lowerBound..<segment.number + 1, 0)
        let clock = rendition.timeline.current.clock
        let offset =
            segment.mediaTime.map { times.lowerBound &- $0 }
            ?? CueTimeRule.offset(
                of: content.cues, map: content.map,
                clockOffset: clock.offset(discontinuity: segment.discontinuity), segment: times)
        return merger.merge(content.cues.map { $0.moved(by: offset) })
    }

    private func fetch(_ segment: MediaSegment) throws(MediaError) -> WebVTTSegment {
        let bytes = try SegmentBytes(segment, fetcher) { $0.contentCount > Self.byteLimit }
        let address = segment.address.url
        do throws(MediaError) {
            let content = try Self.content(of: bytes)
            if case nil = bytes.stop, bytes.contentCount <= Self.byteLimit { return content }
        } catch {
            if case nil = bytes.stop { throw MediaError(error.code, error.message, of: address) }
        }
        switch bytes.stop {
        case .failed(let error): throw error
        case .interrupted: throw MediaError(.interrupted, "was cancelled")
        case nil, .abandoned:
            throw MediaError(.input, "a segment of subtitles is larger than \(Self.byteLimit) bytes", of: address)
        }
    }

    /// Reads the content of a segment. It is not valid if the bytes ended early, or are more than ``byteLimit``.
    private static func content(of bytes: SegmentBytes) throws(MediaError) -> WebVTTSegment {
        if SegmentFormat(firstBytes: bytes.peek(sniffedByteCount)) == .fragmentedMP4 {
            return try WebVTTSegment(try SegmentDemuxer(bytes))
        }
        return try WebVTTSegment(try TextEncoding.utf8(bytes.peek(byteLimit + 1)))
    }
}
