/// A segment index (`sidx`) of a fragmented MP4 file (ISO/IEC 14496-12, section 8.16.3). A pure value.
struct SegmentIndex: Sendable, Equatable {
    /// A part of the file to which the index refers.
    struct Reference: Sendable, Equatable {
        /// Whether the part is another segment index instead of media.
        var isIndex: Bool
        /// The size of the part in bytes.
        var size: Int
        /// The duration of the part in units of ``SegmentIndex/timescale``.
        var duration: Int
    }

    /// The number of time units per second; at least 1.
    var timescale: Int
    /// The presentation time of the first sample, in time units.
    var earliestTime: Int
    /// The number of bytes between the segment index and the first part.
    var firstOffset: Int
    /// The offset of the byte after the index, counted from the start of the bytes that were parsed.
    var end: Int
    /// The subsegments and nested indexes in file order; each starts at the byte after the previous one.
    var references: [Reference]

    /// Reads the first `sidx` box.
    ///
    /// - Parameter bytes: The part of the file that contains the index, which may begin with other boxes.
    /// - Throws: `invalidIndex`.
    init(_ bytes: [UInt8]) throws(ManifestError) {
        var reader = BigEndianReader(bytes: bytes)
        guard let index = Self.read(&reader) else { throw ManifestError(.invalidIndex) }
        self = index
    }

    private init(timescale: Int, earliestTime: Int, firstOffset: Int, end: Int, references: [Reference]) {
        (self.timescale, self.earliestTime, self.firstOffset) = (timescale, earliestTime, firstOffset)
        (self.end, self.references) = (end, references)
    }

    /// Skips other boxes and reads the first `sidx` box; nil if there is none or it is malformed.
    private static func read(_ reader: inout BigEndianReader) -> SegmentIndex? {
        let sidxType = 0x7369_6478 // "sidx" in ASCII
        while true {
            let start = reader.position
            guard let size = reader.integer(4), let boxType = reader.integer(4), size >= 8 else { return nil }
            let (end, overflows) = start.addingReportingOverflow(size)
            guard !overflows, end <= reader.bytes.count else { return nil }
            if boxType == sidxType {
                reader.limit = end
                break
            }
            reader.position = end
        }
        guard let version = reader.integer(1), reader.skip(3), reader.skip(4), let timescale = reader.integer(4),
            timescale > 0
        else { return nil }
        let width = version == 0 ? 4 : 8
        guard let time = reader.integer(width), let offset = reader.integer(width), reader.skip(2),
            let count = reader.integer(2), time <= XMLElement.largestInteger, offset <= XMLElement.largestInteger
        else { return nil }
        var references: [Reference] = []
        for _ in 0..<count {
            guard let size = reader.integer(4), let duration = reader.integer(4), reader.skip(4) else { return nil }
            references.append(Reference(isIndex: size >> 31 == 1, size: size & 0x7FFF_FFFF, duration: duration))
        }
        return SegmentIndex(
            timescale: timescale, earliestTime: time, firstOffset: offset, end: reader.limit, references: references)
    }

    /// Reads big-endian integers.
    private struct BigEndianReader {
        let bytes: [UInt8]
        var position = 0
        /// The offset after the last byte of the box.
        var limit: Int

        init(bytes: [UInt8]) { (self.bytes, limit) = (bytes, bytes.count) }

        /// Reads an integer of 1 to 8 bytes; nil at the end, and if the integer is too large.
        mutating func integer(_ count: Int) -> Int? {
            guard count <= limit - position else { return nil }
            defer { position += count }
            let value = bytes[position..<position + count].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            return Int(exactly: value)
        }

        /// Skips bytes; false if fewer bytes remain.
        mutating func skip(_ count: Int) -> Bool {
            guard count <= limit - position else { return false }
            position += count
            return true
        }
    }
}
