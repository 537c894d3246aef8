/// VobSub (DVD) subtitles in two files: `film.idx` is a text with the time of each picture and its position in
/// `film.sub`, an MPEG program stream. A pure value.
///
/// FFmpeg's VobSub demuxer is not used, because it opens the second file itself, outside the opening policy.
struct VobSub: Sendable, Equatable {
    /// One picture that the index lists.
    struct Entry: Sendable, Equatable {
        /// The time at which the picture is shown, in milliseconds.
        var time: Int64
        /// The position of the picture's first packet in `film.sub`, in bytes.
        var position: Int
    }

    /// The header lines of the index that the decoder needs: size and palette.
    let header: [UInt8]
    /// The pictures of the selected language, in the order of the index.
    private(set) var entries: [Entry] = []
    /// The MPEG stream identifier of the selected language's pictures; one file may contain several languages.
    private(set) var streamID: UInt8 = 0x20

    /// The maximum number of pictures that are read from an index.
    private static let entryLimit = 200_000
    /// The maximum distance in bytes from a picture's first packet within which all its packets lie.
    private static let pictureSpan = 1 << 20

    /// Parses an index; nil if the text is not a VobSub index. Uses the language that the index selects, else the first
    /// language with entries.
    init?(index text: String) {
        let lines = text.split(whereSeparator: \.isNewline).map { $0.drop { $0 == "\u{FEFF}" || $0 == " " } }
        guard lines.first?.hasPrefix("# VobSub index file") == true else { return nil }
        header =
            Array(lines.filter { $0.hasPrefix("size:") || $0.hasPrefix("palette:") }.joined(separator: "\n").utf8) + [
                10
            ]
        var languages: [(index: UInt8, entries: [Entry])] = []
        var selectedIndex: UInt8?
        var delay: Int64 = 0, entryCount = 0
        for line in lines {
            let value = line.split(separator: ":", maxSplits: 1).last?.drop { $0 == " " } ?? ""
            if line.hasPrefix("langidx:") {
                selectedIndex = UInt8(value.prefix { $0.isNumber })
            } else if line.hasPrefix("id:"), languages.count < 32 {
                let number = value.split(separator: ":").last.flatMap { UInt8($0.filter(\.isNumber)) } ?? 0
                languages.append((number & 0x1F, []))
                delay = 0
            } else if line.hasPrefix("delay:") {
                delay = delay.clampedSum(Self.time(value) ?? 0)
            } else if line.hasPrefix("timestamp:"), entryCount < Self.entryLimit {
                let parts = value.split(separator: ",")
                guard parts.count == 2, let time = Self.time(parts[0]),
                    let positionText = parts[1].split(separator: ":").last,
                    let position = Int(positionText.filter { !$0.isWhitespace }, radix: 16), position >= 0
                else { continue }
                if languages.isEmpty { languages.append((0, [])) }
                languages[languages.count - 1].entries.append(Entry(time: time.clampedSum(delay), position: position))
                entryCount += 1
            }
        }
        let selectedLanguage =
            languages.first { $0.index == selectedIndex && !$0.entries.isEmpty }
            ?? languages.first { !$0.entries.isEmpty }
        if let selectedLanguage { (entries, streamID) = (selectedLanguage.entries, 0x20 + selectedLanguage.index) }
    }

    /// Parses a time `01:02:03:004` to milliseconds; the time may be negative.
    private static func time(_ text: Substring) -> Int64? {
        let text = text.drop { $0 == " " }
        let isNegative = text.hasPrefix("-")
        let parts = text.drop { $0 == "-" || $0 == "+" }.split(separator: ":").map { $0.filter { !$0.isWhitespace } }
        let numbers = parts.compactMap { Int64($0) }
        guard parts.count == 4, numbers.count == 4, numbers.allSatisfy({ (0...1_000_000).contains($0) }) else {
            return nil
        }
        let sum = ((numbers[0] * 60 + numbers[1]) * 60 + numbers[2]) * 1000 + numbers[3]
        return isNegative ? -sum : sum
    }

    /// The last byte of a start code of a program stream (ISO/IEC 13818-1).
    private enum StartCode {
        static let programEnd: UInt8 = 0xB9
        static let packHeader: UInt8 = 0xBA
        static let privateStream1: UInt8 = 0xBD
    }

    /// Assembles the picture of an entry from its packets; nil if they are missing, incomplete or damaged.
    func picture(_ entry: Entry, in bytes: [UInt8]) -> [UInt8]? {
        var picture: [UInt8] = []
        var offset = entry.position
        guard offset < bytes.count else { return nil }
        let end = min(bytes.count, offset + Self.pictureSpan)
        func bigEndianNumber(_ offset: Int) -> Int { Int(bytes[offset]) << 8 | Int(bytes[offset + 1]) }
        while offset >= 0, offset + 14 <= end, bytes[offset] == 0, bytes[offset + 1] == 0, bytes[offset + 2] == 1 {
            switch bytes[offset + 3] {
            case StartCode.packHeader:
                offset += bytes[offset + 4] & 0xC0 == 0x40 ? 14 + Int(bytes[offset + 13] & 7) : 12
            case StartCode.programEnd: return nil
            case StartCode.privateStream1:
                let packetEnd = offset + 6 + bigEndianNumber(offset + 4), payload = offset + 9 + Int(bytes[offset + 8])
                if payload < packetEnd, packetEnd <= bytes.count, bytes[payload] == streamID {
                    picture += bytes[(payload + 1)..<packetEnd]
                    if picture.count >= 4 {
                        let size = Int(picture[0]) << 8 | Int(picture[1])
                        guard size >= 4 else { return nil }
                        if picture.count >= size { return Array(picture[..<size]) }
                    }
                }
                offset = packetEnd
            default: offset += 6 + bigEndianNumber(offset + 4)
            }
        }
        return nil
    }

    /// Returns the index and picture file names for one file of a pair; nil for other files.
    static func pair(_ location: String) -> (index: String, pictures: String)? {
        let pathWithoutExtension = String(location.dropLast(3))
        switch location.suffix(4) {
        case ".idx": return (location, pathWithoutExtension + "sub")
        case ".IDX": return (location, pathWithoutExtension + "SUB")
        case ".sub": return (pathWithoutExtension + "idx", location)
        case ".SUB": return (pathWithoutExtension + "IDX", location)
        default: return nil
        }
    }
}
