/// A segment that is being read.
final class SegmentReader {
    let demuxer: SegmentDemuxer
    let segment: MediaSegment
    /// The segment's start and end on the item's timeline.
    let times: Range<Int64>
    /// The end of the segment that was read before this one; nil after a seek.
    private let previous: End?
    /// What is added to the segment's timestamps; nil before the first packet.
    private var offset: Int64?
    /// The offset without that of the DASH period, as ``StreamClock`` knows it; nil before the first packet.
    private var clockOffset: Int64?
    /// The end of the packet that was read last, by track, on the item's timeline.
    var endByTrack: [Int: Int64] = [:]
    /// The placed packets of video that were not delivered yet.
    var pictures = ReorderBuffer<Packet>()

    /// Where a segment ended.
    struct End {
        /// The segment's discontinuity number.
        var discontinuity: Int
        /// The end that the playlist states, on the item's timeline.
        var statedTime: Int64
        /// The offset of the segment's clock, and the end of its packets.
        var actual: StreamClock.Continuation
    }

    /// The end of the packets that were read so far; nil before the first packet.
    var end: End? {
        guard let clockOffset, let time = endByTrack.values.max() else { return nil }
        return End(
            discontinuity: segment.discontinuity, statedTime: times.upperBound,
            actual: .init(offset: clockOffset, time: time))
    }

    init(demuxer: SegmentDemuxer, segment: MediaSegment, times: Range<Int64>, previous: End?) {
        (self.demuxer, self.segment, self.times, self.previous) = (demuxer, segment, times, previous)
    }

    /// Returns how the clock of the previous segment goes on: the expected start of this one keeps the distance that
    /// the playlist states. Nil after a seek or a discontinuity.
    private var continuation: StreamClock.Continuation? {
        guard let previous, previous.discontinuity == segment.discontinuity else { return nil }
        var result = previous.actual
        result.time = result.time &+ (times.lowerBound &- previous.statedTime)
        return result
    }

    /// Returns the time of a timestamp on the item's timeline. A clock of 33 bits may wrap around within the segment.
    func place(_ stamp: Int64, _ offset: Int64) -> Int64 {
        guard demuxer.containerFormat.wraps, let end = endByTrack.values.max() else { return stamp &+ offset }
        return stamp &+ StreamClock.unwrap(offset, stamp, near: end)
    }

    /// Returns the offset from the segment's timestamps to the item's timeline.
    ///
    /// - Parameter first: The first timestamp, in nanoseconds; nil if it is unknown.
    func offset(first: Int64?, _ clock: inout StreamClock) -> Int64 {
        if let offset { return offset }
        let first = first ?? 0
        // Packed audio counts from 0; its tag states the time of the first sample on the stream's clock.
        let tagged = demuxer.containerFormat.isPackedAudio ? demuxer.taggedTime ?? first : first
        let wraps = demuxer.containerFormat.wraps, origin = segment.mediaTimeOrigin
        let shared = clock.offset(
            discontinuity: segment.discontinuity, first: (wraps ? tagged : segment.mediaTime ?? tagged) &- origin,
            segment: times, wraps: wraps, continuing: continuation)
        clockOffset = shared
        let result = shared &- origin &+ (tagged &- first)
        offset = result
        return result
    }
}
