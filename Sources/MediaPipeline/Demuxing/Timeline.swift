/// One timeline for all streams of a container. It joins timestamp jumps and rejects implausible timestamps. A pure
/// value; all times are nanoseconds.
///
/// A transport stream that was cut together, or whose clock restarted, continues where it was. The first stream that
/// jumps determines the offset; the other streams follow it, so that audio and video stay in sync.
struct Timeline: Sendable {
    /// The smallest forward step that counts as a jump; a smaller step is a gap. nil joins no jumps.
    let tolerance: Int64?
    private struct Line {
        var offset: Int64
        /// The expected time of the next packet.
        var next: Int64?
    }
    private var lines: [Int: Line] = [:]
    /// The offset added to timestamps after the last jump.
    private(set) var offset: Int64 = 0
    /// The number of jumps so far.
    private(set) var jumps = 0
    /// The end of the packets read so far, on the timeline.
    private(set) var end: Int64?

    /// The smallest backward step that counts as a jump; packets within it are only out of order.
    static let disorder: Int64 = 1_000_000_000
    /// The smallest distance that counts as a damaged timestamp in a container without jumps.
    static let absurd: Int64 = 30 * 3600 * 1_000_000_000

    init(tolerance: Int64?) { self.tolerance = tolerance }

    /// Returns the offset to add to the timestamps of the next packet.
    ///
    /// - Parameters:
    ///   - time: The packet's decoding time in the container.
    ///   - leads: Whether the stream may determine the offset; false for streams that naturally have gaps (subtitles).
    /// - Returns: nil if the timestamps must be ignored.
    mutating func place(stream: Int, time: Int64, duration: Int64, leads: Bool) -> Int64? {
        var line = lines[stream] ?? Line(offset: offset)
        if let next = line.next {
            func distance(_ offset: Int64) -> Int64 { (time &+ offset) &- next }
            guard let tolerance else {
                if distance(0).magnitude > UInt64(Self.absurd) { return nil }
                return advance(&line, stream, time, duration)
            }
            func isJump(_ distance: Int64) -> Bool { distance > tolerance || distance < -Self.disorder }
            if !leads {
                line.offset = offset
            } else if line.offset != offset, !isJump(distance(offset)),
                distance(offset).magnitude < distance(line.offset).magnitude
            {
                line.offset = offset
            } else if isJump(distance(line.offset)) {
                line.offset = next &- time
                offset = line.offset
                jumps += 1
            }
        } else {
            line.offset = offset
        }
        return advance(&line, stream, time, duration)
    }

    private mutating func advance(_ line: inout Line, _ stream: Int, _ time: Int64, _ duration: Int64) -> Int64 {
        let next = time &+ line.offset &+ min(max(duration, 0), 10_000_000_000)
        line.next = next
        end = max(end ?? next, next)
        lines[stream] = line
        return line.offset
    }

    /// Restarts after a seek.
    mutating func restart(offset: Int64) {
        lines = [:]
        self.offset = offset
    }
}
