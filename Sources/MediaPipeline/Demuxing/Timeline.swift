/// One timeline for all streams of a container: what jumps is joined, what is absurd is left out. A pure value;
/// nanoseconds throughout.
///
/// A transport stream that was cut together, or whose counter began anew, goes on where it was. The first stream that
/// jumps decides by how much; the others follow it, so that sound and picture stay together.
struct Timeline: Sendable {
    /// Further ahead than this is a jump; less is a gap. nil: nothing is joined.
    let tolerance: Int64?
    private struct Line {
        var offset: Int64
        /// Where the stream goes on.
        var next: Int64?
    }
    private var lines: [Int: Line] = [:]
    /// Added to the stamps of what follows the last jump.
    private(set) var offset: Int64 = 0
    /// How often something jumped.
    private(set) var jumps = 0
    /// The end of what was read, on the timeline.
    private(set) var end: Int64?

    /// Further back than this is a jump: packets within it were merely sent out of order.
    static let disorder: Int64 = 1_000_000_000
    /// A container without jumps that says this has a damaged stamp.
    static let absurd: Int64 = 30 * 3600 * 1_000_000_000

    init(tolerance: Int64?) { self.tolerance = tolerance }

    /// What to add to the stamps of the packet that comes next.
    ///
    /// - Parameters:
    ///   - time: the packet's decoding time as it stands in the container.
    ///   - leads: false for a stream with gaps by nature (subtitles), which follows and never decides.
    /// - Returns: nil when the stamps must be ignored.
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

    /// Reading goes on elsewhere.
    mutating func restart(offset: Int64) {
        lines = [:]
        self.offset = offset
    }
}
