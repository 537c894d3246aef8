import StreamPlaylists

/// A segment that is being read, and the offset of its timestamps. Used by the reading thread.
final class SegmentReader {
    let demuxer: SegmentDemuxer
    let segment: MediaSegment
    /// The segment's start and end on the item's timeline, in nanoseconds.
    let times: Range<Int64>
    /// The end of the segment that was read before this one; nil after a seek.
    private let previousEnd: End?
    /// The offset to add to the segment's timestamps, in nanoseconds; nil before the first packet.
    private var offset: Int64?
    /// The offset of the clock that ``StreamClock`` manages, without the DASH period's own offset, in nanoseconds; nil
    /// before the first packet.
    private var clockOffset: Int64?
    /// The end of the last packet read, in nanoseconds on the item's timeline, by track.
    var endByTrack: [Int: Int64] = [:]
    /// The video packets with final timestamps that wait for their delivery.
    var pictures = ReorderBuffer<Packet>()

    /// The end of a segment, as the playlist states it and as its packets show it.
    struct End {
        /// The discontinuity number of the segment.
        var discontinuity: Int
        /// The segment's end as the playlist states it, in nanoseconds on the item's timeline.
        var statedTime: Int64
        /// The offset of the segment's clock, and the actual end of its packets.
        var actualEnd: StreamClock.Continuation
    }

    /// The end of the segment according to the packets read so far; nil before the first packet.
    var end: End? {
        guard let clockOffset, let time = endByTrack.values.max() else { return nil }
        return End(
            discontinuity: segment.discontinuity, statedTime: times.upperBound,
            actualEnd: .init(offset: clockOffset, time: time))
    }

    init(demuxer: SegmentDemuxer, segment: MediaSegment, times: Range<Int64>, previous: End?) {
        (self.demuxer, self.segment, self.times, previousEnd) = (demuxer, segment, times, previous)
    }

    /// The clock of the previous segment, with the time at which this segment is expected to start: the previous
    /// segment's actual end plus the gap that the playlist states. Nil after a seek or a discontinuity.
    private var continuation: StreamClock.Continuation? {
        guard let previousEnd, previousEnd.discontinuity == segment.discontinuity else { return nil }
        var result = previousEnd.actualEnd
        result.time = result.time &+ (times.lowerBound &- previousEnd.statedTime)
        return result
    }

    /// Converts a timestamp to nanoseconds on the item's timeline. A clock of 33 bits may wrap around within the
    /// segment.
    func timelineTime(of timestamp: Int64, offset: Int64) -> Int64 {
        guard demuxer.containerFormat.timestampsWrap, let end = endByTrack.values.max() else {
            return timestamp &+ offset
        }
        return timestamp &+ StreamClock.unwrap(offset, timestamp, near: end)
    }

    /// Returns the offset, in nanoseconds, from the segment's timestamps to the item's timeline.
    ///
    /// - Parameter first: The segment's first timestamp, in nanoseconds; nil if it is unknown.
    func offset(first: Int64?, _ clock: inout StreamClock) -> Int64 {
        if let offset { return offset }
        let first = first ?? 0
        // Timestamps of packed audio start at 0; the ID3 tag states the first sample's time on the stream's clock.
        let startTime = demuxer.containerFormat.isPackedAudio ? demuxer.taggedTime ?? first : first
        let wraps = demuxer.containerFormat.timestampsWrap, origin = segment.mediaTimeOrigin
        let sharedOffset = clock.offset(
            discontinuity: segment.discontinuity, first: (wraps ? startTime : segment.mediaTime ?? startTime) &- origin,
            segment: times, wraps: wraps, continuing: continuation)
        clockOffset = sharedOffset
        let result = sharedOffset &- origin &+ (startTime &- first)
        offset = result
        return result
    }
}
