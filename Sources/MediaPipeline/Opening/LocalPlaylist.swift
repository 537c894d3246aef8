import CFFmpeg
import Glibc
import SystemCalls

/// A local HLS playlist, read completely when the file is opened. An end tag (`EXT-X-ENDLIST`) is added if missing.
/// Without the tag, which damaged playlists may lack, libavformat would reload the playlist again and again. Used by
/// one thread.
final class LocalPlaylist {
    /// The text of the playlist, which always contains the end tag.
    private let bytes: [UInt8]
    /// The read position in bytes.
    private var position = 0
    /// The addresses, as written, of the segments that the playlist marks as intentionally missing (`EXT-X-GAP`).
    let gapAddresses: Set<String>

    /// The maximum size of a playlist in bytes.
    private static let maximumBytes: Int64 = 4 << 20
    /// The tag at the start of every playlist.
    private static let startTag = Array("#EXTM3U".utf8)
    /// The tag that states that a playlist is complete.
    private static let endTag = Array("#EXT-X-ENDLIST".utf8)
    /// The tag that marks the next segment as intentionally missing.
    private static let gapTag = Array("#EXT-X-GAP".utf8)

    /// Reads a playlist; nil if the file is not a playlist. Does not move the file's read position.
    init?(_ descriptor: borrowing FileDescriptor, size: Int64) {
        guard size <= Self.maximumBytes else { return nil }
        var startBytes = [UInt8](repeating: 0, count: Self.startTag.count)
        // Some playlists start with a byte order mark.
        guard pread(descriptor.raw, &startBytes, startBytes.count, 0) == startBytes.count else { return nil }
        if startBytes.starts(with: [0xef, 0xbb, 0xbf]) {
            guard pread(descriptor.raw, &startBytes, startBytes.count, 3) == startBytes.count else { return nil }
        }
        guard startBytes == Self.startTag else { return nil }
        var allBytes = [UInt8](repeating: 0, count: Int(clamping: size))
        var readCount = 0
        while readCount < allBytes.count {
            let chunkSize = allBytes.withUnsafeMutableBytes {
                pread(descriptor.raw, $0.baseAddress.map { $0 + readCount }, $0.count - readCount, readCount)
            }
            guard chunkSize > 0 else { break }
            readCount += chunkSize
        }
        allBytes.removeLast(allBytes.count - readCount)
        let lines = allBytes.split(whereSeparator: { $0 == 10 || $0 == 13 })
        gapAddresses = Self.gapAddresses(in: lines)
        if !lines.contains(where: { $0.starts(with: Self.endTag) }) { allBytes += [10] + Self.endTag + [10] }
        bytes = allBytes
    }

    /// Returns the addresses of the intentionally missing segments. The tag `EXT-X-GAP` applies to the segment whose
    /// address follows it (RFC 8216bis, 4.4.4.7).
    static func gapAddresses(in lines: [ArraySlice<UInt8>]) -> Set<String> {
        var addresses: Set<String> = [], isGap = false
        for line in lines {
            if line.elementsEqual(gapTag) { isGap = true }
            guard line.first != UInt8(ascii: "#") else { continue }
            if isGap { addresses.insert(String(decoding: line, as: UTF8.self)) }
            isGap = false
        }
        return addresses
    }

    /// Copies bytes from the read position and advances it; returns their number, 0 at the end.
    func read(into target: UnsafeMutableRawBufferPointer) -> Int {
        let count = min(target.count, bytes.count - position)
        guard count > 0 else { return 0 }
        target.copyBytes(from: bytes[position..<position + count])
        position += count
        return count
    }

    /// Moves the read position and returns it, or returns the size of the playlist. `whence` has the values of `lseek`.
    func seek(offset: Int64, whence: Int32, isSizeQuery: Bool) -> Int64 {
        if isSizeQuery { return Int64(bytes.count) }
        let baseOffset = whence == SEEK_CUR ? position : whence == SEEK_END ? bytes.count : 0
        let (sum, overflow) = Int64(baseOffset).addingReportingOverflow(offset)
        guard !overflow, (0...Int64(bytes.count)).contains(sum) else { return Int64(cffmpeg_error(EINVAL)) }
        position = Int(sum)
        return sum
    }
}
