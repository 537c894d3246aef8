import CFFmpeg
import Glibc
import SystemCalls

/// An HLS playlist that lies on disk, read whole when it is opened, and taken for complete: one that does not say that
/// it ends would be read again and again for what comes next, and a damaged one never says so. Used by one thread.
final class LocalPlaylist {
    private let bytes: [UInt8]
    private var position = 0
    /// The segments that the playlist marks as missing on purpose (`EXT-X-GAP`), as it writes them.
    let gaps: Set<String>

    /// More than that is no playlist.
    private static let maximumBytes: Int64 = 4 << 20
    private static let start = Array("#EXTM3U".utf8)
    private static let end = Array("#EXT-X-ENDLIST".utf8)
    private static let gap = Array("#EXT-X-GAP".utf8)

    /// nil when the file is something else; its reading position is where it was.
    init?(_ descriptor: borrowing FileDescriptor, size: Int64) {
        guard size <= Self.maximumBytes else { return nil }
        var head = [UInt8](repeating: 0, count: Self.start.count)
        // Some begin with a byte order mark.
        guard pread(descriptor.raw, &head, head.count, 0) == head.count else { return nil }
        if head.starts(with: [0xef, 0xbb, 0xbf]) {
            guard pread(descriptor.raw, &head, head.count, 3) == head.count else { return nil }
        }
        guard head == Self.start else { return nil }
        var all = [UInt8](repeating: 0, count: Int(clamping: size))
        var filled = 0
        while filled < all.count {
            let n = all.withUnsafeMutableBytes {
                pread(descriptor.raw, $0.baseAddress.map { $0 + filled }, $0.count - filled, filled)
            }
            guard n > 0 else { break }
            filled += n
        }
        all.removeLast(all.count - filled)
        let lines = all.split(whereSeparator: { $0 == 10 || $0 == 13 })
        gaps = Self.gaps(in: lines)
        if !lines.contains(where: { $0.starts(with: Self.end) }) { all += [10] + Self.end + [10] }
        bytes = all
    }

    /// The segments that are missing on purpose: the tag belongs to the segment whose address comes next (RFC 8216bis,
    /// 4.4.4.7).
    static func gaps(in lines: [ArraySlice<UInt8>]) -> Set<String> {
        var gaps: Set<String> = [], isGap = false
        for line in lines {
            if line.elementsEqual(gap) { isGap = true }
            guard line.first != UInt8(ascii: "#") else { continue }
            if isGap { gaps.insert(String(decoding: line, as: UTF8.self)) }
            isGap = false
        }
        return gaps
    }

    func read(into target: UnsafeMutableRawBufferPointer) -> Int {
        let count = min(target.count, bytes.count - position)
        guard count > 0 else { return 0 }
        target.copyBytes(from: bytes[position..<position + count])
        position += count
        return count
    }

    func seek(offset: Int64, whence: Int32, asksSize: Bool) -> Int64 {
        if asksSize { return Int64(bytes.count) }
        let base = whence == SEEK_CUR ? position : whence == SEEK_END ? bytes.count : 0
        let (sum, overflow) = Int64(base).addingReportingOverflow(offset)
        guard !overflow, (0...Int64(bytes.count)).contains(sum) else { return Int64(cffmpeg_error(EINVAL)) }
        position = Int(sum)
        return sum
    }
}
