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

    let origin: Origin
    let fetcher: PlaylistFetcher
    /// The identifiers of the item's tracks by the kinds of streams; streams of other kinds are not read.
    let tracks: [MediaTrack.Kind: Int]
    /// The playlist of the current segment.
    private(set) var playlist: FollowedPlaylist?
    /// The number of the current variant; 0 for a rendition.
    private(set) var variant = 0
    /// The number of the next segment; nil if ``nextTime`` determines it.
    var nextNumber: Int?
    /// The position at which the next segment starts, on the item's timeline.
    var nextTime: Int64
    /// The segment that is being read; nil between two segments.
    var current: SegmentReader?
    /// The end of the segment that was read before the current one; nil after a seek.
    var lastEnd: SegmentReader.End?
    /// The formats that the decoders have, by track.
    var formats: [Int: CodecParameters] = [:]
    var seam = SeamRule()
    /// The states before the delivered segments, which allow to deliver these segments again.
    var starts = SegmentStarts()
    /// The time of the last seek until the first packet behind it was read; nil afterwards.
    private var soughtTime: Int64?
    /// The number of segments in a row that could not be read.
    private var failures = 0
    /// Whether no segment follows.
    var hasEnded = false
    /// Whether a segment was opened since the start or the last seek.
    private(set) var hasOpenedSegment = false
    /// How playback continues because the next segment was removed from a live stream; nil unless this has ended
    /// reading.
    var rejoin: LiveRejoin?
    /// Whether the next segment was not listed yet when the playlist was loaded last.
    var isAwaitingSegment = false
    /// Returns the position at which the first segment is played.
    var initialPosition: (SegmentWindow) -> Int64 = { $0.initialPosition() }
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
        (hasEnded, hasOpenedSegment, isAwaitingSegment, rejoin, failures) = (false, false, false, nil, 0)
        lastEnd = nil
        seam.restart()
        starts = SegmentStarts()
        soughtTime = time
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
            guard let packet = try current.demuxer.read() else { return try endSegment(current) }
            return deliver(packet, current, &clock)
        } catch  where error.code != .interrupted {
            return try skipSegment(after: error)
        }
    }

    // MARK: Segments

    /// Opens the next segment, and waits for it if it is not listed yet.
    func openSegment(_ clock: inout StreamClock) throws(MediaError) -> [PacketSourceItem] {
        // The variant was chosen already if its next segment is awaited.
        guard let playlist = isAwaitingSegment ? playlist : try choosePlaylist() else { return [] }
        guard let segment = try nextSegment(of: playlist) else {
            return playlist.takeWarning().map { [.warning($0)] } ?? []
        }
        guard !segment.isGap else {
            advance(past: segment, in: playlist)
            return []
        }
        guard let times = playlist.window.times(of: segment.number) else { return [] }
        if case .ladder(let ladder) = origin { recordRequest(ladder, from: times.lowerBound, fetcher.downloads) }
        let remaining = remainingCount(behind: segment.number, in: playlist)
        let bytes = try SegmentBytes(segment, fetcher) { [unowned self] bytes in
            guard case .ladder(let ladder) = origin else { return false }
            return ladder.abandons(
                bytes, variant: variant, deliveredEnd: seam.deliveredEnd ?? times.lowerBound, remaining: remaining)
        }
        let demuxer: SegmentDemuxer
        do throws(MediaError) { demuxer = try SegmentDemuxer(bytes) } catch {
            guard case .abandoned? = bytes.stop else { throw error }
            record(bytes, end: nil)
            return []
        }
        current = SegmentReader(demuxer: demuxer, segment: segment, times: times, previous: lastEnd)
        if case .ladder = origin {
            starts.append(time: times.lowerBound, seam: seam, formats: formats, previous: lastEnd)
        }
        hasOpenedSegment = true
        seam.beginSegment()
        return formatChanges(demuxer)
    }

    /// Returns the playlist in which the next segment is fetched.
    private func choosePlaylist() throws(MediaError) -> FollowedPlaylist? {
        guard case .ladder(let ladder) = origin else { return playlist }
        let old = playlist?.window
        let choice = ladder.choose(
            at: nextTime, duration: old?.playlist.targetDuration ?? 4_000_000_000,
            remaining: nextNumber.flatMap { number in
                playlist.flatMap { remainingCount(behind: number - 1, in: $0) }
            })
        guard choice.variant != variant || playlist == nil else { return playlist }
        do throws(MediaError) {
            let new = try ladder.playlist(of: choice.variant, alignedWith: old)
            if let playlist {
                new.inheritSilence(from: playlist)
            } else {
                nextTime = max(nextTime, initialPosition(new.window))
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

    /// Handles the end of the current segment's bytes, and returns the pictures that have waited for it.
    private func endSegment(_ reader: SegmentReader) throws(MediaError) -> [PacketSourceItem] {
        let bytes = reader.demuxer.bytes
        switch bytes.stop {
        case nil:
            current = nil
            failures = 0
            record(bytes, end: reader.times.upperBound)
            lastEnd = reader.end
            if let playlist { advance(past: reader.segment, in: playlist) }
            return readyPictures(of: reader, all: true)
        case .interrupted:
            current = nil
            throw MediaError(.interrupted, "was cancelled")
        case .abandoned:
            // The same segment is fetched again in a lower variant.
            current = nil
            record(bytes, end: nil)
            (nextNumber, nextTime) = (nil, reader.times.lowerBound)
            return []
        case .failed(let error): throw error
        }
    }

    /// Records the download of a segment.
    ///
    /// - Parameter end: The end of the segment on the item's timeline; nil if the download was abandoned.
    func record(_ bytes: SegmentBytes, end: Int64?) {
        let content: SegmentDownload.Content
        if case .ladder(let ladder) = origin {
            ladder.record(bytes, variant: variant, end: end)
            content = .main
        } else {
            content = tracks[.audio] != nil ? .audio : .other
        }
        guard let sample = bytes.sample() else { return }
        fetcher.downloads?.add(SegmentDownload(content: content, sample: sample, isComplete: end != nil))
    }

    /// Handles a segment that cannot be read: fetches it in another variant, or skips it.
    ///
    /// - Returns: The warning about it, behind the last pictures of a skipped segment.
    /// - Throws: `error` if too many segments in a row could not be read.
    private func skipSegment(after error: MediaError) throws(MediaError) -> [PacketSourceItem] {
        let reader = current
        let segment = current?.segment ?? nextNumber.flatMap { playlist?.window.segment($0) }
        current = nil
        failures += 1
        if case .ladder(let ladder) = origin, ladder.hasAlternative(to: variant), failures <= Self.failureLimit {
            ladder.exclude(variant)
            if let segment, let times = playlist?.window.times(of: segment.number) { nextTime = times.lowerBound }
            nextNumber = nil
            return [.warning(error)]
        }
        guard failures <= Self.failureLimit, let segment, let playlist, error.code != .untrustedServer else {
            hasEnded = true
            throw error
        }
        advance(past: segment, in: playlist)
        return (reader.map { readyPictures(of: $0, all: true) } ?? []) + [.warning(error)]
    }

    /// Returns to the segment before the current one if the first picture after a seek is later than the sought time:
    /// the times in playlists are rounded.
    ///
    /// - Parameter time: The time of the first packet of video, on the item's timeline.
    func returnsToEarlierSegment(_ reader: SegmentReader, first time: Int64) -> Bool {
        guard let target = soughtTime.take(), time > target, seam.isEmpty, let window = playlist?.window,
            let earlier = window.segment(reader.segment.number - 1), !earlier.isGap,
            let times = window.times(of: earlier.number)
        else { return false }
        (current, nextNumber, nextTime) = (nil, earlier.number, times.lowerBound)
        starts = SegmentStarts()
        return true
    }

    private func advance(past segment: MediaSegment, in playlist: FollowedPlaylist) {
        nextNumber = segment.number + 1
        nextTime = playlist.window.times(of: segment.number)?.upperBound ?? nextTime
        readTime = max(readTime, nextTime)
    }
}
