import CFFmpeg
import SystemCalls

/// Reads the packets of one chain of segments: the variants with their video, or an audio rendition. Used by the
/// reading thread.
final class RenditionReader {
    /// Where the segments come from.
    enum Origin {
        /// The variants of the stream, one of which is chosen for each segment.
        case ladder(StreamLadder)
        /// The playlist of a rendition.
        case rendition(FollowedPlaylist)
    }

    private let origin: Origin
    private let fetcher: PlaylistFetcher
    /// The identifiers of the item's tracks by the kinds of streams; streams of other kinds are not read.
    let tracks: [MediaTrack.Kind: Int]
    /// The playlist of the current segment.
    private(set) var playlist: FollowedPlaylist?
    /// The number of the current variant; 0 for a rendition.
    private(set) var variant = 0
    /// The number of the next segment; nil if ``nextTime`` determines it.
    private var nextNumber: Int?
    /// The position at which the next segment starts, on the item's timeline.
    private(set) var nextTime: Int64
    /// The segment that is being read; nil between two segments.
    private(set) var current: SegmentReader?
    /// The formats that the decoders have, by track.
    var formats: [Int: CodecParameters] = [:]
    var seam = SeamRule()
    /// The number of segments in a row that could not be read.
    private var failures = 0
    /// Whether no segment follows.
    private(set) var hasEnded = false
    /// The time of the packet that was read last, on the item's timeline.
    var readTime: Int64

    /// The number of segments in a row that are skipped before reading ends with an error.
    private static let failureLimit = 3

    init(_ origin: Origin, tracks: [MediaTrack.Kind: Int], from time: Int64, _ fetcher: PlaylistFetcher) {
        (self.origin, self.tracks, self.fetcher) = (origin, tracks, fetcher)
        (nextTime, readTime) = (time, time)
        if case .rendition(let playlist) = origin { self.playlist = playlist }
    }

    /// The stream of the current segment for a kind of track; nil if it has none.
    func stream(_ type: AVMediaType) -> UnsafeMutablePointer<AVStream>? { current?.demuxer.stream(type) }
    /// The container format of the current segment.
    var containerFormat: SegmentFormat? { current?.demuxer.containerFormat }

    /// Continues at another time, with the segment that contains it.
    func seek(to time: Int64) {
        (current, nextNumber, nextTime, readTime) = (nil, nil, time, time)
        (hasEnded, failures) = (false, 0)
        seam.restart()
        if case .ladder(let ladder) = origin { ladder.restart() }
    }

    /// Reads the next packet, and changes of formats and warnings before it.
    ///
    /// - Returns: The items in their order; empty if there was nothing to deliver.
    /// - Throws: Why reading cannot continue; `interrupted` if it was cancelled.
    func read(_ clock: inout StreamClock) throws(MediaError) -> [PacketSourceItem] {
        if hasEnded { return [] }
        do throws(MediaError) {
            if current == nil { return try openSegment(&clock) }
            guard let current else { return [] }
            guard let packet = try current.demuxer.read() else {
                try endSegment(current)
                return []
            }
            return deliver(packet, current, &clock)
        } catch  where error.code != .interrupted {
            return [.warning(try skipSegment(after: error))]
        }
    }

    // MARK: Segments

    /// Opens the next segment, and waits for it if it is not listed yet.
    func openSegment(_ clock: inout StreamClock) throws(MediaError) -> [PacketSourceItem] {
        guard let playlist = try choosePlaylist() else { return [] }
        guard let segment = try nextSegment(of: playlist) else { return [] }
        guard !segment.isGap else {
            advance(behind: segment, in: playlist)
            return []
        }
        guard let times = playlist.window.times(of: segment.number) else { return [] }
        let remaining = remainingCount(behind: segment.number, in: playlist)
        let bytes = try SegmentBytes(segment, fetcher) { [unowned self] bytes in
            guard case .ladder(let ladder) = origin else { return false }
            return ladder.abandons(
                bytes, variant: variant, deliveredEnd: seam.deliveredEnd ?? times.lowerBound, remaining: remaining)
        }
        let demuxer: SegmentDemuxer
        do throws(MediaError) { demuxer = try SegmentDemuxer(bytes) } catch {
            guard case .abandoned? = bytes.stop else { throw error }
            if case .ladder(let ladder) = origin { ladder.record(bytes.sample(), end: nil) }
            return []
        }
        current = SegmentReader(demuxer: demuxer, segment: segment, times: times)
        seam.beginSegment()
        return formatChanges(demuxer)
    }

    /// Returns the playlist in which the next segment is fetched.
    private func choosePlaylist() throws(MediaError) -> FollowedPlaylist? {
        guard case .ladder(let ladder) = origin else { return playlist }
        let old = playlist?.window
        let choice = ladder.choose(
            duration: old?.playlist.targetDuration ?? 4_000_000_000,
            remaining: nextNumber.flatMap { number in
                playlist.flatMap { remainingCount(behind: number - 1, in: $0) }
            })
        guard choice.variant != variant || playlist == nil else { return playlist }
        do throws(MediaError) {
            let new = try ladder.playlist(of: choice.variant, alignedWith: old)
            if playlist == nil, old == nil, !new.window.playlist.isComplete || new.window.playlist.start != nil {
                nextTime = max(nextTime, new.window.initialPosition())
            }
            (playlist, variant, nextNumber) = (new, choice.variant, nil)
            ladder.forgetOutdatedPlaylists(except: variant)
            return new
        } catch  where error.code != .interrupted {
            guard ladder.hasAlternative(to: choice.variant), failures < Self.failureLimit * 2 else { throw error }
            ladder.exclude(choice.variant)
            failures += 1
            return nil
        }
    }

    /// Returns the number of segments behind one up to the end of the stream; nil if the end is unknown.
    private func remainingCount(behind number: Int, in playlist: FollowedPlaylist) -> Int? {
        playlist.window.playlist.isComplete ? max(0, playlist.window.numbers.upperBound - 1 - number) : nil
    }

    /// Returns the next segment; waits until a live playlist lists it. Nil if the stream has ended.
    private func nextSegment(of playlist: FollowedPlaylist) throws(MediaError) -> MediaSegment? {
        while true {
            let number = nextNumber ?? number(at: nextTime, in: playlist.window)
            switch playlist.lookup(number) {
            case .segment(let segment):
                nextNumber = number
                return segment
            case .ended:
                hasEnded = true
                return nil
            case .passed:
                // Playback was paused for longer than the server keeps segments: continue at the live edge.
                (nextTime, nextNumber) = (playlist.window.initialPosition(), nil)
            case .expected(let time):
                guard fetcher.waits.sleep(until: time) else {
                    throw MediaError(.interrupted, "was cancelled")
                }
                try playlist.reload()
            }
        }
    }

    /// Returns the number of the segment at a time: the one that contains it, or the next one if it contains almost
    /// nothing behind it, because the durations in a playlist are rounded.
    private func number(at time: Int64, in window: SegmentWindow) -> Int {
        guard let segment = window.segment(at: max(time, window.start)), let times = window.times(of: segment.number)
        else { return window.numbers.upperBound }
        let isAlmostOver = times.upperBound &- time < (times.upperBound &- times.lowerBound) / 4 && !seam.isEmpty
        return isAlmostOver ? segment.number + 1 : segment.number
    }

    /// Handles the end of the current segment's bytes.
    private func endSegment(_ reader: SegmentReader) throws(MediaError) {
        current = nil
        let bytes = reader.demuxer.bytes
        switch bytes.stop {
        case nil:
            failures = 0
            if case .ladder(let ladder) = origin { ladder.record(bytes.sample(), end: reader.times.upperBound) }
            if let playlist { advance(behind: reader.segment, in: playlist) }
        case .interrupted: throw MediaError(.interrupted, "was cancelled")
        case .abandoned:
            // The same segment is fetched again in a lower variant.
            if case .ladder(let ladder) = origin { ladder.record(bytes.sample(), end: nil) }
            (nextNumber, nextTime) = (nil, reader.times.lowerBound)
        case .failed(let error): throw error
        }
    }

    /// Handles a segment that cannot be read: fetches it in another variant, or skips it.
    ///
    /// - Returns: The warning about it.
    /// - Throws: `error` if too many segments in a row could not be read.
    private func skipSegment(after error: MediaError) throws(MediaError) -> MediaError {
        let segment = current?.segment ?? nextNumber.flatMap { playlist?.window.segment($0) }
        current = nil
        failures += 1
        if case .ladder(let ladder) = origin, ladder.hasAlternative(to: variant), failures <= Self.failureLimit {
            ladder.exclude(variant)
            if let segment, let times = playlist?.window.times(of: segment.number) { nextTime = times.lowerBound }
            nextNumber = nil
            return error
        }
        guard failures <= Self.failureLimit, let segment, let playlist, error.code != .untrustedServer else {
            hasEnded = true
            throw error
        }
        advance(behind: segment, in: playlist)
        return error
    }

    private func advance(behind segment: MediaSegment, in playlist: FollowedPlaylist) {
        nextNumber = segment.number + 1
        nextTime = playlist.window.times(of: segment.number)?.upperBound ?? nextTime
        readTime = max(readTime, nextTime)
    }
}

/// A segment that is being read.
final class SegmentReader {
    let demuxer: SegmentDemuxer
    let segment: MediaSegment
    /// The segment's start and end on the item's timeline.
    let times: Range<Int64>
    /// What is added to the segment's timestamps; nil before the first packet.
    private var offset: Int64?

    init(demuxer: SegmentDemuxer, segment: MediaSegment, times: Range<Int64>) {
        (self.demuxer, self.segment, self.times) = (demuxer, segment, times)
    }

    /// Returns the offset from the segment's timestamps to the item's timeline.
    ///
    /// - Parameter first: The first timestamp, in nanoseconds; nil if it is unknown.
    func offset(first: Int64?, _ clock: inout StreamClock) -> Int64 {
        if let offset { return offset }
        let first = first ?? 0
        // Packed audio counts from 0; its tag states the time of the first sample on the stream's clock.
        let tagged = demuxer.containerFormat.isPackedAudio ? demuxer.taggedTime ?? first : first
        let shared = clock.offset(
            discontinuity: segment.discontinuity, first: tagged, segment: times,
            wraps: demuxer.containerFormat.wraps)
        let result = shared &+ (tagged &- first)
        offset = result
        return result
    }
}
