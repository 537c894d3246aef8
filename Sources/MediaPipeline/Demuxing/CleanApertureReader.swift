import CFFmpeg
import SharedFrames

/// A reader of the `clap` (clean aperture) boxes of an ISO media file, which FFmpeg before 7.1 ignores. Each box states
/// the crop of a track.
///
/// Reads only headers, through libavformat's I/O context of the file, and restores the read position. Validates every
/// length.
struct CleanApertureReader {
    /// The I/O context of the file, which libavformat uses too.
    private let io: UnsafeMutablePointer<AVIOContext>
    /// The crop of each track, by track ID.
    private var crops: [UInt32: PictureCrop] = [:]
    /// The ID of the track whose boxes are being read.
    private var trackID: UInt32?
    /// The number of boxes that may still be read, so that reading a file of endless headers stops soon.
    private var remainingBoxCount = 4096

    /// Returns the crops of a seekable file, by track ID.
    static func crops(in io: UnsafeMutablePointer<AVIOContext>) -> [UInt32: PictureCrop] {
        let size = avio_size(io), position = avio_seek(io, 0, SEEK_CUR)
        guard size > 0, position >= 0 else { return [:] }
        var reader = CleanApertureReader(io: io)
        reader.read(0..<size, depth: 0)
        _ = avio_seek(io, position, SEEK_SET)
        return reader.crops
    }

    private init(io: UnsafeMutablePointer<AVIOContext>) { self.io = io }

    /// Parses the ISO media boxes in a byte range of the file, and the boxes inside them.
    private mutating func read(_ range: Range<Int64>, depth: Int) {
        var boxStart = range.lowerBound
        while boxStart + 8 <= range.upperBound, remainingBoxCount > 0 {
            remainingBoxCount -= 1
            guard let header = bytes(16, at: boxStart, upTo: range.upperBound) else { return }
            var length = Int64(Self.uint32(header, 0)), content = boxStart + 8
            if length == 1 {
                guard header.count == 16,
                    let size64 = Int64(exactly: UInt64(Self.uint32(header, 8)) << 32 | UInt64(Self.uint32(header, 12)))
                else { return }
                (length, content) = (size64, boxStart + 16)
            }
            if length == 0 { length = range.upperBound - boxStart }
            guard length >= content - boxStart, length <= range.upperBound - boxStart else { return }
            let box = content..<(boxStart + length)
            switch Self.uint32(header, 4) {
            case Self.fourCC("moov"), Self.fourCC("trak"), Self.fourCC("mdia"), Self.fourCC("minf"),
                Self.fourCC("stbl"):
                if Self.uint32(header, 4) == Self.fourCC("trak") { trackID = nil }
                if depth < 8 { read(box, depth: depth + 1) }
            case Self.fourCC("tkhd"):
                // In version 1 of the `tkhd` box, times have 64 bits, so the track's ID lies 8 bytes later.
                guard let tkhd = bytes(24, at: content, upTo: box.upperBound), tkhd.count == 24 else { break }
                trackID = Self.uint32(tkhd, tkhd[0] == 1 ? 20 : 12)
            case Self.fourCC("stsd"): readDescriptions((content + 8)..<max(box.upperBound, content + 8))
            default: break
            }
            boxStart += length
        }
    }

    /// Parses the first sample description: 78 bytes of visual sample entry, then boxes.
    private mutating func readDescriptions(_ range: Range<Int64>) {
        guard let trackID, let entry = bytes(86, at: range.lowerBound, upTo: range.upperBound),
            entry.count == 86
        else { return }
        let width = Int64(entry[32]) << 8 | Int64(entry[33]), height = Int64(entry[34]) << 8 | Int64(entry[35])
        var boxStart = range.lowerBound + 86
        let end = min(range.upperBound, range.lowerBound + Int64(Self.uint32(entry, 0)))
        while boxStart + 8 <= end, remainingBoxCount > 0 {
            remainingBoxCount -= 1
            guard let box = bytes(40, at: boxStart, upTo: end), box.count >= 8 else { return }
            let length = Int64(Self.uint32(box, 0))
            guard length >= 8 else { return }
            if Self.uint32(box, 4) == Self.fourCC("clap"), box.count == 40 {
                crops[trackID] = Self.crop((0..<8).map { Self.uint32(box, 8 + $0 * 4) }, width: width, height: height)
                return
            }
            boxStart += length
        }
    }

    /// Computes the crop from the width, the height and the centre offsets of a `clap` box, each a fraction.
    static func crop(_ fields: [UInt32], width: Int64, height: Int64) -> PictureCrop? {
        func edges(_ size: Int64, _ extent: (UInt32, UInt32), _ offset: (UInt32, UInt32)) -> (
            leadingCrop: UInt16, trailingCrop: UInt16
        )? {
            guard extent.1 > 0, offset.1 > 0 else { return nil }
            let apertureLength = Int64(extent.0) / Int64(extent.1)
            guard apertureLength > 0, apertureLength <= size else { return nil }
            // The centre offset is signed. A crop of half a sample is rounded towards the upper left.
            let offsetInPixels = Double(Int32(bitPattern: offset.0)) / Double(offset.1)
            guard abs(offsetInPixels) <= Double(size) else { return nil }
            let leadingCrop = Int64((Double(size - apertureLength) / 2 + offsetInPixels).rounded(.down)),
                trailingCrop = size - apertureLength - leadingCrop
            guard leadingCrop >= 0, trailingCrop >= 0 else { return nil }
            return (UInt16(clamping: leadingCrop), UInt16(clamping: trailingCrop))
        }
        guard fields.count == 8, let x = edges(width, (fields[0], fields[1]), (fields[4], fields[5])),
            let y = edges(height, (fields[2], fields[3]), (fields[6], fields[7]))
        else { return nil }
        return PictureCrop(left: x.leadingCrop, top: y.leadingCrop, right: x.trailingCrop, bottom: y.trailingCrop)
    }

    /// Reads up to `count` bytes at a position; fewer at the end of the range; nil if fewer than 8 are left or
    /// reading fails.
    private func bytes(_ count: Int, at offset: Int64, upTo end: Int64) -> [UInt8]? {
        let requestedCount = Int(min(Int64(count), end - offset))
        guard requestedCount >= 8, avio_seek(io, offset, SEEK_SET) == offset else { return nil }
        var bytes = [UInt8](repeating: 0, count: requestedCount)
        return avio_read(io, &bytes, Int32(requestedCount)) == requestedCount ? bytes : nil
    }

    /// Returns the big-endian number at an index; 0 beyond the end of `bytes`.
    private static func uint32(_ bytes: [UInt8], _ offset: Int) -> UInt32 {
        guard offset + 4 <= bytes.count else { return 0 }
        return bytes[offset..<(offset + 4)].reduce(0) { $0 << 8 | UInt32($1) }
    }

    /// Returns the four letters of a box type as a number.
    private static func fourCC(_ text: StaticString) -> UInt32 {
        text.withUTF8Buffer { $0.reduce(0) { $0 << 8 | UInt32($1) } }
    }
}
