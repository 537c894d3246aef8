/// The container format of a segment, recognised by its first bytes. FFmpeg does not guess the format, because a
/// playlist may refer to any file. A pure value.
enum SegmentFormat: String, Sendable, CaseIterable {
    case transportStream = "mpegts"
    case fragmentedMP4 = "mov"
    case webM = "matroska"
    case aac
    case mp3
    case ac3
    case eac3
    case webVTT = "webvtt"

    /// Recognises the format; nil for data that is not a media segment, such as a picture or a web page.
    ///
    /// - Parameter bytes: The first bytes after an ID3 tag: at least 8, and 189 if the segment has as many.
    init?(firstBytes bytes: [UInt8]) {
        func has(_ text: String, at offset: Int) -> Bool { bytes.dropFirst(offset).starts(with: text.utf8) }
        guard bytes.count >= 8 else { return nil }
        if bytes[0] == 0x47, bytes.count <= 188 || bytes[188] == 0x47 {
            self = .transportStream
        } else if ["ftyp", "styp", "moof", "moov", "sidx", "emsg", "prft"].contains(where: { has($0, at: 4) }) {
            self = .fragmentedMP4
        } else if bytes.starts(with: [0x1A, 0x45, 0xDF, 0xA3]) {
            self = .webM
        } else if has("WEBVTT", at: 0) || has("\u{FEFF}WEBVTT", at: 0) {
            self = .webVTT
        } else if bytes[0] == 0x0B, bytes[1] == 0x77 {
            // A bit stream identification above 10 denotes Enhanced AC-3 (ETSI TS 102 366, annex E).
            self = bytes[5] >> 3 > 10 ? .eac3 : .ac3
        } else if bytes[0] == 0xFF, bytes[1] & 0xF6 == 0xF0 {
            self = .aac
        } else if bytes[0] == 0xFF, bytes[1] & 0xE0 == 0xE0 {
            self = .mp3
        } else {
            return nil
        }
    }

    /// Whether timestamps of the format have 33 bits and wrap around after 26.5 hours.
    var timestampsWrap: Bool { self != .fragmentedMP4 && self != .webM }
    /// Whether the format is packed audio, whose time an ID3 tag states (RFC 8216, section 3.4).
    var isPackedAudio: Bool { [.aac, .mp3, .ac3, .eac3].contains(self) }
}

/// The ID3 tag at the start of a segment of packed audio (RFC 8216, section 3.4). A pure value.
struct ID3Tag: Sendable, Equatable {
    /// The size of the tag with its header, in bytes.
    let size: Int
    /// The lowest 33 bits of the first sample's time, in units of 1/90000 s; nil if the tag states no time.
    var timestamp: Int64?

    /// The maximum accepted size of an ID3 tag in bytes.
    static let sizeLimit = 1 << 20
    /// The owner of the private ID3 frame that states the time, with the zero byte that ends it.
    private static let timestampOwner = Array("com.apple.streaming.transportStreamTimestamp\0".utf8)

    /// Returns the size in bytes of the ID3 tag at the start of a segment; nil if there is no tag.
    static func tagSize(atStartOf bytes: some RandomAccessCollection<UInt8>) -> Int? {
        let header = Array(bytes.prefix(10))
        guard header.count == 10, header.starts(with: "ID3".utf8), header[6...].allSatisfy({ $0 < 128 })
        else { return nil }
        let size = 10 + header[6...].reduce(0) { $0 << 7 | Int($1) }
        return size <= sizeLimit ? size : nil
    }

    /// Reads the ID3 tag at the start of a segment; nil if there is no tag or it is incomplete.
    init?(_ bytes: [UInt8]) {
        guard let size = Self.tagSize(atStartOf: bytes), size <= bytes.count else { return nil }
        self.size = size
        // Read only the frame that states the time: 8 bytes in big-endian order after the name of the frame's owner.
        let tagBytes = bytes[..<size]
        for start in tagBytes.indices where tagBytes[start...].starts(with: Self.timestampOwner) {
            let value = tagBytes[(start + Self.timestampOwner.count)...].prefix(8)
            if value.count == 8 { timestamp = value.reduce(Int64(0)) { ($0 << 8 | Int64($1)) & 0x1_FFFF_FFFF } }
            return
        }
    }
}
