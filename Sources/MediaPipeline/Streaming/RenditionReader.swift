import CFFmpeg
import StreamPlaylists
import SystemCalls

/// Reads the packets of one sequence of segments: those of the variants, or those of an audio rendition. Used by the
/// reading thread.
final class RenditionReader {
    /// The source of the segments.
    enum Origin {
        /// The variants of the stream, one of which is chosen for each segment.
        case ladder(StreamLadder)
        /// The playlist of a rendition.
        case rendition(FollowedPlaylist)
    }

    let origin: Origin
    let fetcher: PlaylistFetcher
    /// The identifier of the item's track for each kind of stream; streams of other kinds are not read.
    let tracks: [MediaTrack.Kind: Int]
    /// The playlist of the current segment.
    private(set) var playlist: FollowedPlaylist?
    /// The number of the current variant; 0 for a rendition.
    private(set) var variant = 0
    /// The number of the next segment; nil if ``nextTime`` determines it.
    var nextNumber: Int?
    /// The position at which the next segment starts, in nanoseconds on the item's timeline.
    var nextTime: Int64
    /// The segment that is being read; nil between two segments.
    var segmentReader: SegmentReader?
    /// The end of the segment that was read before the current one; nil after a seek.
    var lastEnd: SegmentReader.End?
    /// The format for which each track's decoder is configured, by track identifier.
    var formats: [Int: CodecParameters] = [:]
    var overlapRule = SegmentOverlapRule()
    /// The states before the delivered segments, from which these segments can be delivered again in another variant.
    var checkpoints = SegmentCheckpoints()
    /// The target of the last seek, until the first video packet after the seek was read; then nil.
    private var soughtTime: Int64?
    /// The number of segments that were read since free memory was returned to the kernel.
    private var segmentsSinceTrim = 0
    /// The number of segments after which free memory is returned to the kernel.
    private static let trimInterval = 8
    /// The number of consecutive segments that could not be read.
    private var failureCount = 0
    /// Whether reading has ended, so that no segment follows.
    var hasEnded = false
    /// Whether a segment was opened since the start or the last seek.
    private(set) var hasOpenedSegment = false
    /// The position at which playback continues, if reading ended because the next segment was removed from a live
    /// stream; otherwise nil.
    var rejoin: LiveRejoin?
    /// Whether the next segment was not listed yet when the playlist was loaded last.
    var isAwaitingSegment = false
    /// Returns the position at which playback starts, in nanoseconds, for the window of the first loaded playlist.
    var initialPosition: (SegmentWindow) -> Int64 = { $0.initialPosition() }
    /// The time up to which segments were read, in nanoseconds on the item's timeline.
    var readEndTime: Int64

    /// The maximum number of consecutive unreadable segments that are skipped before reading ends with an error.
    private static let failureLimit = 3

    init(_ origin: Origin, tracks: [MediaTrack.Kind: Int], from time: Int64, _ fetcher: PlaylistFetcher) {
        (self.origin, self.tracks, self.fetcher) = (origin, tracks, fetcher)
        (nextTime, readEndTime) = (time, time)
        if case .rendition(let playlist) = origin { self.playlist = playlist }
    }

    /// Returns the current segment's stream of a media type; nil if the segment has none.
    func stream(_ type: AVMediaType) -> UnsafeMutablePointer<AVStream>? { segmentReader?.demuxer.stream(type) }
    /// The container format of the current segment.
    var containerFormat: SegmentFormat? { segmentReader?.demuxer.containerFormat }

    /// Moves to the segment that contains `time`, in nanoseconds on the item's timeline.
    func seek(to time: Int64) {
        (segmentReader, nextNumber, nextTime, readEndTime) = (nil, nil, time, time)
        (hasEnded, hasOpenedSegment, isAwaitingSegment, rejoin, failureCount) = (false, false, false, nil, 0)
        lastEnd = nil
        overlapRule.restart()
        checkpoints = SegmentCheckpoints()
        soughtTime = time
        if case .ladder(let ladder) = origin { ladder.restart() }
    }

    /// Reads the next packet. Format changes and warnings precede it.
    ///
    /// - Returns: The items in order; empty if there is nothing to deliver yet.
    /// - Throws: The error because of which reading ends; `interrupted` if it was cancelled.
    func read(_ clock: inout StreamClock) throws(MediaError) -> [PacketSourceItem] {
        if hasEnded { return [] }
        do throws(MediaError) {
            if segmentReader == nil { return try openSegment(&clock) }
            guard let segmentReader else { return [] }
            guard let packet = try segmentReader.demuxer.read() else { return try endSegment(segmentReader) }
            return deliver(packet, segmentReader, &clock)
        } catch  where error.code != .interrupted {
            return try skipSegment(after: error)
        }
    }

    // MARK: Segments

    /// Opens the next segment; waits if a live playlist does not list it yet.
    func openSegment(_ clock: inout StreamClock) throws(MediaError) -> [PacketSourceItem] {
        // If the next segment was not listed at the last attempt, its variant is already chosen.
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
        let remainingSegmentCount = remainingCount(behind: segment.number, in: playlist)
        let bytes = try SegmentBytes(segment, fetcher) { [unowned self] bytes in
            guard case .ladder(let ladder) = origin else { return false }
            return ladder.decideToAbandon(
                bytes, variant: variant, deliveredEnd: overlapRule.deliveredEnd ?? times.lowerBound,
                remaining: remainingSegmentCount)
        }
        let demuxer: SegmentDemuxer
        do throws(MediaError) { demuxer = try SegmentDemuxer(bytes) } catch {
            guard case .abandoned? = bytes.earlyEnd else { throw error }
            recordDownload(bytes, end: nil)
            return []
        }
        segmentReader = SegmentReader(demuxer: demuxer, segment: segment, times: times, previous: lastEnd)
        if case .ladder = origin {
            checkpoints.append(time: times.lowerBound, overlapRule: overlapRule, formats: formats, previous: lastEnd)
        }
        hasOpenedSegment = true
        overlapRule.beginSegment()
        return formatChanges(demuxer)
    }

    /// Chooses the variant of the next segment, and returns its playlist; nil if that playlist cannot be loaded. A
    /// rendition has only one playlist.
    private func choosePlaylist() throws(MediaError) -> FollowedPlaylist? {
        guard case .ladder(let ladder) = origin else { return playlist }
        let currentWindow = playlist?.window
        let choice = ladder.choose(
            at: nextTime, duration: currentWindow?.playlist.targetDuration ?? 4_000_000_000,
            remaining: nextNumber.flatMap { number in
                playlist.flatMap { remainingCount(behind: number - 1, in: $0) }
            })
        guard choice.variant != variant || playlist == nil else { return playlist }
        do throws(MediaError) {
            let newPlaylist = try ladder.playlist(of: choice.variant, alignedWith: currentWindow)
            if let playlist {
                newPlaylist.inheritStallTime(from: playlist)
            } else {
                nextTime = max(nextTime, initialPosition(newPlaylist.window))
            }
            (playlist, variant, nextNumber) = (newPlaylist, choice.variant, nil)
            ladder.forgetOutdatedPlaylists(except: variant)
            return newPlaylist
        } catch  where error.code != .interrupted {
            guard ladder.hasAlternative(to: choice.variant), failureCount < Self.failureLimit * 2 else { throw error }
            ladder.exclude(choice.variant)
            failureCount += 1
            return nil
        }
    }

    /// Returns the number of segments after the segment `number`; nil if the end of the stream is unknown.
    private func remainingCount(behind number: Int, in playlist: FollowedPlaylist) -> Int? {
        playlist.window.playlist.isComplete ? max(0, playlist.window.numbers.upperBound - 1 - number) : nil
    }

    /// Handles the end of the current segment's bytes, and returns the pictures that were waiting for the segment's
    /// end.
    private func endSegment(_ reader: SegmentReader) throws(MediaError) -> [PacketSourceItem] {
        let bytes = reader.demuxer.bytes
        switch bytes.earlyEnd {
        case nil:
            segmentReader = nil
            failureCount = 0
            recordDownload(bytes, end: reader.times.upperBound)
            lastEnd = reader.end
            if let playlist { advance(past: reader.segment, in: playlist) }
            returnFreeMemoryAtIntervals()
            return readyPictures(of: reader, isSegmentComplete: true)
        case .interrupted:
            segmentReader = nil
            throw MediaError(.interrupted, "was cancelled")
        case .abandoned:
            // Fetch the same segment again in another variant.
            segmentReader = nil
            recordDownload(bytes, end: nil)
            (nextNumber, nextTime) = (nil, reader.times.lowerBound)
            return []
        case .failed(let error): throw error
        }
    }

    /// Returns the free memory of the heap to the kernel after every few segments. Otherwise, in the course of hours,
    /// packets of all sizes would fragment the heap, which would then hold much unused memory.
    private func returnFreeMemoryAtIntervals() {
        guard case .ladder = origin else { return }
        segmentsSinceTrim += 1
        guard segmentsSinceTrim >= Self.trimInterval else { return }
        segmentsSinceTrim = 0
        HeapTuning.trimHeap()
    }

    /// Records the download of a segment.
    ///
    /// - Parameter end: The end of the segment on the item's timeline; nil if the download was abandoned.
    func recordDownload(_ bytes: SegmentBytes, end: Int64?) {
        let content: SegmentDownload.Content
        if case .ladder(let ladder) = origin {
            ladder.recordDownload(bytes, variant: variant, end: end)
            content = .main
        } else {
            content = tracks[.audio] != nil ? .audio : .other
        }
        guard let sample = bytes.sample() else { return }
        fetcher.downloads?.add(SegmentDownload(content: content, sample: sample, isComplete: end != nil))
    }

    /// Handles a segment that cannot be read: fetches it again in another variant, or skips it.
    ///
    /// - Returns: The last pictures of a skipped segment, and a warning about the error.
    /// - Throws: `error` if too many consecutive segments could not be read.
    private func skipSegment(after error: MediaError) throws(MediaError) -> [PacketSourceItem] {
        let reader = segmentReader
        let segment = segmentReader?.segment ?? nextNumber.flatMap { playlist?.window.segment($0) }
        segmentReader = nil
        failureCount += 1
        if case .ladder(let ladder) = origin, ladder.hasAlternative(to: variant), failureCount <= Self.failureLimit {
            ladder.exclude(variant)
            if let segment, let times = playlist?.window.times(of: segment.number) { nextTime = times.lowerBound }
            nextNumber = nil
            return [.warning(error)]
        }
        guard failureCount <= Self.failureLimit, let segment, let playlist, error.code != .untrustedServer else {
            hasEnded = true
            throw error
        }
        advance(past: segment, in: playlist)
        return (reader.map { readyPictures(of: $0, isSegmentComplete: true) } ?? []) + [.warning(error)]
    }

    /// Moves back to the previous segment if the first picture after a seek starts later than the sought time, because
    /// playlists round the times of segments.
    ///
    /// - Parameter time: The time of the first video packet, in nanoseconds on the item's timeline.
    /// - Returns: Whether this reader has moved back, so that the caller drops the packet.
    func returnToEarlierSegmentIfNeeded(_ reader: SegmentReader, first time: Int64) -> Bool {
        guard let targetTime = soughtTime.take(), time > targetTime, overlapRule.isEmpty, let window = playlist?.window,
            let earlierSegment = window.segment(reader.segment.number - 1), !earlierSegment.isGap,
            let times = window.times(of: earlierSegment.number)
        else { return false }
        (segmentReader, nextNumber, nextTime) = (nil, earlierSegment.number, times.lowerBound)
        checkpoints = SegmentCheckpoints()
        return true
    }

    private func advance(past segment: MediaSegment, in playlist: FollowedPlaylist) {
        nextNumber = segment.number + 1
        nextTime = playlist.window.times(of: segment.number)?.upperBound ?? nextTime
        readEndTime = max(readEndTime, nextTime)
    }
}
