import CFFmpeg
import Glibc
import SystemCalls

/// A local HLS playlist, read completely when it is opened and treated as complete. libavformat would reload a playlist
/// without an end tag again and again, and a damaged playlist may lack the tag. Used by one thread.
final class LocalPlaylist {
    private let bytes: [UInt8]
    private var position = 0
    /// The segments that the playlist marks as intentionally missing (`EXT-X-GAP`), with the addresses as written.
    let gaps: Set<String>

    /// The maximum size of a playlist in bytes.
    private static let maximumBytes: Int64 = 4 << 20
    private static let start = Array("#EXTM3U".utf8)
    private static let end = Array("#EXT-X-ENDLIST".utf8)
    private static let gap = Array("#EXT-X-GAP".utf8)

    /// Reads a playlist; nil if the file is not a playlist. Does not move the file's read position.
    init?(_ descriptor: borrowing FileDescriptor, size: Int64) {
        guard size <= Self.maximumBytes else { return nil }
        var head = [UInt8](repeating: 0, count: Self.start.count)
        // Some playlists start with a byte order mark.
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

    /// Returns the intentionally missing segments. The tag applies to the segment whose address follows it (RFC
    /// 8216bis, 4.4.4.7).
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
