/// One timeline for all streams of a container, which compensates timestamp jumps and rejects implausible timestamps. A
/// pure value; all times are nanoseconds.
///
/// If a transport stream is spliced or its clock restarts, the timeline continues without a gap. The first stream that
/// jumps determines the offset; the other streams use the same offset, so that audio and video stay in sync.
struct Timeline: Sendable {
    /// The smallest forward step of timestamps, in nanoseconds, that counts as a jump of the clock; a smaller step is a
    /// gap in the media. Nil: no step counts as a jump.
    let jumpTolerance: Int64?
    /// The timestamp offset and the expected time of one stream.
    private struct StreamTimes {
        /// The offset added to the stream's timestamps.
        var offset: Int64
        /// The expected time of the stream's next packet on the timeline; nil before the first packet.
        var expectedTime: Int64?
    }
    /// The timestamp offset and the expected time of each stream since the last seek.
    private var streamTimes: [Int: StreamTimes] = [:]
    /// The offset added to timestamps after the last jump.
    private(set) var offset: Int64 = 0
    /// The number of timestamp jumps so far.
    private(set) var jumpCount = 0
    /// The end of the packets read so far, on the timeline.
    private(set) var end: Int64?

    /// The smallest backward step of timestamps, in nanoseconds, that counts as a jump of the clock; packets with
    /// smaller steps are only out of order.
    static let reorderTolerance: Int64 = 1_000_000_000
    /// The smallest step of timestamps, in nanoseconds, that counts as damage in a container without jumps.
    static let implausibleStep: Int64 = 30 * 3600 * 1_000_000_000

    init(tolerance: Int64?) { jumpTolerance = tolerance }

    /// Returns the offset to add to the timestamps of the next packet.
    ///
    /// - Parameters:
    ///   - time: The packet's decoding time in the container.
    ///   - mayChangeOffset: Whether the stream may determine the offset; false for streams that naturally have gaps
    ///     (subtitles).
    /// - Returns: nil if the timestamps must be ignored.
    mutating func packetOffset(stream: Int, time: Int64, duration: Int64, mayChangeOffset: Bool) -> Int64? {
        var times = streamTimes[stream] ?? StreamTimes(offset: offset)
        if let expectedTime = times.expectedTime {
            func distance(_ offset: Int64) -> Int64 { (time &+ offset) &- expectedTime }
            guard let jumpTolerance else {
                if distance(0).magnitude > UInt64(Self.implausibleStep) { return nil }
                return recordPacket(&times, stream, time, duration)
            }
            func isJump(_ distance: Int64) -> Bool { distance > jumpTolerance || distance < -Self.reorderTolerance }
            if !mayChangeOffset {
                times.offset = offset
            } else if times.offset != offset, !isJump(distance(offset)),
                distance(offset).magnitude < distance(times.offset).magnitude
            {
                times.offset = offset
            } else if isJump(distance(times.offset)) {
                times.offset = expectedTime &- time
                offset = times.offset
                jumpCount += 1
            }
        } else {
            times.offset = offset
        }
        return recordPacket(&times, stream, time, duration)
    }

    /// Records the end of a packet, and returns the offset for its timestamps.
    private mutating func recordPacket(_ times: inout StreamTimes, _ stream: Int, _ time: Int64, _ duration: Int64)
        -> Int64
    {
        let packetEnd = time &+ times.offset &+ min(max(duration, 0), 10_000_000_000)
        times.expectedTime = packetEnd
        end = max(end ?? packetEnd, packetEnd)
        streamTimes[stream] = times
        return times.offset
    }

    /// Clears the expected times after a seek; `offset` is added to the timestamps from now on.
    mutating func restart(offset: Int64) {
        streamTimes = [:]
        self.offset = offset
    }
}
