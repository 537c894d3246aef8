/// Writes a media playlist of a package (RFC 8216, section 4.3.3).
struct MediaPlaylistWriter {
    /// The local names of the resources of one segment.
    struct Parts {
        /// The names of the keys.
        var keys: [EncryptionKey: String] = [:]
        /// The name of the initialization section; nil if there is none.
        var initialization: String?
        /// The name of the segment; nil for a gap.
        var segment: String?
    }

    private(set) var text: String
    /// The key, the initialization section and its name that the last lines state.
    private var key: EncryptionKey?
    private var section: InitializationSection?
    /// Whether a segment was written.
    private var hasSegment = false

    /// Starts the local playlist of a playlist.
    init(_ playlist: MediaPlaylist) {
        let target = (playlist.targetDuration + 999_999_999) / 1_000_000_000
        text = "#EXTM3U\n#EXT-X-VERSION:7\n#EXT-X-TARGETDURATION:\(target)\n"
        // The number of a segment is its initialization vector, unless the playlist states one.
        text += "#EXT-X-MEDIA-SEQUENCE:\(playlist.segments.first?.number ?? 0)\n#EXT-X-PLAYLIST-TYPE:VOD\n"
        if playlist.isIndependent { text += "#EXT-X-INDEPENDENT-SEGMENTS\n" }
        text += "#EXT-X-ENDLIST\n"
    }

    /// Appends a segment.
    mutating func add(_ segment: MediaSegment, _ parts: Parts) {
        if segment.followsDiscontinuity, hasSegment { text += "#EXT-X-DISCONTINUITY\n" }
        hasSegment = true
        guard let name = parts.segment else {
            text += "#EXT-X-GAP\n#EXTINF:\(Self.seconds(segment.duration)),\ngap\n"
            return
        }
        if let initialization = parts.initialization, let newSection = segment.initialization, newSection != section {
            write(newSection.key, parts)
            text += "#EXT-X-MAP:URI=\"\(initialization)\""
            if let range = newSection.byteRange { text += ",BYTERANGE=\"\(range.length)@\(range.offset)\"" }
            text += "\n"
            section = newSection
        }
        write(segment.key, parts)
        if let range = segment.byteRange { text += "#EXT-X-BYTERANGE:\(range.length)@\(range.offset)\n" }
        text += "#EXTINF:\(Self.seconds(segment.duration)),\n\(name)\n"
    }

    /// Writes the tag of a key, unless the key is in effect.
    private mutating func write(_ newKey: EncryptionKey?, _ parts: Parts) {
        guard newKey != key else { return }
        key = newKey
        guard let newKey, let name = parts.keys[newKey] else {
            text += "#EXT-X-KEY:METHOD=NONE\n"
            return
        }
        text += "#EXT-X-KEY:METHOD=AES-128,URI=\"\(name)\""
        if let vector = newKey.initializationVector {
            text += ",IV=0x" + vector.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
        }
        text += "\n"
    }

    /// Returns a time in seconds with the decimal places that it needs.
    private static func seconds(_ nanoseconds: Int64) -> String {
        let (whole, fraction) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
        guard fraction > 0 else { return "\(whole)" }
        let digits = String(fraction)
        var text = "\(whole)." + String(repeating: "0", count: 9 - digits.count) + digits
        while text.hasSuffix("0") { text.removeLast() }
        return text
    }
}
