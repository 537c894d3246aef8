import MediaPipeline

/// The entries of a playlist in the format M3U, in the format PLS, or as plain lines. A pure value.
///
/// The bytes are untrusted. A bad entry becomes a warning, and the other entries stay.
struct PlaylistFile: Sendable, Equatable {
    /// An entry of the playlist.
    struct Entry: Sendable, Equatable {
        /// The path or address, resolved against the playlist's own.
        var location: String
        /// The title that the playlist states; nil if there is none.
        var title: String?
        /// The number of the entry's line in the playlist, from 1.
        var line: Int
    }

    /// The limits of a playlist, which bound the memory that a hostile playlist can cost.
    struct Limits: Sendable, Equatable {
        /// The maximum size of the text in bytes.
        var bytes = 8 << 20
        /// The maximum number of entries.
        var entries = 100_000
        /// The maximum length of a line in bytes.
        var lineBytes = 16 << 10
        /// The maximum length of a title in characters.
        var titleCharacters = 500
        /// The maximum number of warnings that are kept.
        var warnings = 16
    }

    /// The entries in the order in which they are played.
    private(set) var entries: [Entry] = []
    /// The entries and lines that were skipped, each with its reason, such as `line 3 is too long`.
    private(set) var warnings: [String] = []
    private let limits: Limits

    /// Parses a playlist.
    ///
    /// - Parameters:
    ///   - bytes: The content of the playlist. Text in UTF-16 needs a byte order mark. Other text may contain any
    ///     bytes: paths keep them, and titles that are not UTF-8 are Latin-1.
    ///   - base: The location of the playlist, against which relative entries are resolved.
    ///   - acceptsPlainLines: Whether a text without the header of a format is a list of one file a line. By default,
    ///     the name's extension decides.
    /// - Throws: ``PlaylistFileError``.
    init(
        bytes: [UInt8], base: String, acceptsPlainLines: Bool? = nil, limits: Limits = Limits()
    ) throws(PlaylistFileError) {
        self.limits = limits
        guard bytes.count <= limits.bytes else { throw .tooLarge(limit: limits.bytes) }
        guard let format = Format(bytes, base: base, acceptsPlainLines: acceptsPlainLines) else { throw .unknownFormat }
        let lines = Self.lines(Self.withoutByteOrderMark(bytes))
        switch format {
        case .m3u, .plainLines:
            if lines.contains(where: Self.isStreamTag) { throw .stream }
            parseLines(lines, base: base)
        case .pls: parsePLS(lines, base: base)
        }
    }

    /// Returns whether the first bytes of a file, and its name, are those of a playlist.
    static func isPlaylist(start bytes: [UInt8], location: String) -> Bool {
        Format(bytes, base: location, acceptsPlainLines: nil) != nil
    }

    // MARK: Formats

    /// The format of a playlist.
    private enum Format {
        case m3u, pls, plainLines

        /// The file name extensions of playlists.
        private static let extensions: Set<String> = ["m3u", "m3u8", "pls"]

        /// Recognises the format by the first line or else by the file name; nil if the text is no playlist.
        init?(_ bytes: [UInt8], base: String, acceptsPlainLines: Bool?) {
            let text = PlaylistFile.withoutByteOrderMark(bytes).prefix(4096).drop { $0.isASCIISpace }
            let firstLine = String(decoding: text.prefix { $0 != 0x0A && $0 != 0x0D }, as: UTF8.self)
            if firstLine.hasPrefix("#EXTM3U") {
                self = .m3u
            } else if firstLine.lowercased().hasPrefix("[playlist]") {
                self = .pls
            } else {
                let path = OpenPolicy.isNetworkAddress(base) ? String(base.prefix { $0 != "?" && $0 != "#" }) : base
                let name = path.split(separator: "/").last ?? ""
                let isNamedAsPlaylist =
                    name.contains(".") && Self.extensions.contains(name.split(separator: ".").last?.lowercased() ?? "")
                guard acceptsPlainLines ?? isNamedAsPlaylist, !text.contains(0) else { return nil }
                self = .plainLines
            }
        }
    }

    /// Returns the text after its byte order mark, converted to UTF-8 if the mark is that of UTF-16.
    private static func withoutByteOrderMark(_ bytes: [UInt8]) -> ArraySlice<UInt8> {
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { return bytes.dropFirst(3) }
        let isBigEndian = bytes.starts(with: [0xFE, 0xFF])
        guard isBigEndian || bytes.starts(with: [0xFF, 0xFE]) else { return bytes[...] }
        let codeUnits = stride(from: 2, to: bytes.count - 1, by: 2).map { index in
            let (first, second) = (UInt16(bytes[index]), UInt16(bytes[index + 1]))
            return isBigEndian ? first << 8 | second : second << 8 | first
        }
        return Array(String(decoding: codeUnits, as: UTF16.self).utf8)[...]
    }

    /// Splits a text at CR, LF and CRLF, and removes spaces at both ends of each line. Empty lines stay, because lines
    /// are counted.
    private static func lines(_ bytes: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
        var lines: [ArraySlice<UInt8>] = [], position = bytes.startIndex
        while position < bytes.endIndex {
            let end = bytes[position...].firstIndex { $0 == 0x0A || $0 == 0x0D } ?? bytes.endIndex
            lines.append(trimmed(bytes[position..<end]))
            let isCRLF = end + 1 < bytes.endIndex && bytes[end] == 0x0D && bytes[end + 1] == 0x0A
            position = end + (isCRLF ? 2 : 1)
        }
        return lines
    }

    private static func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let text = bytes.drop { $0.isASCIISpace }
        return text.prefix((text.lastIndex { !$0.isASCIISpace } ?? text.startIndex - 1) + 1 - text.startIndex)
    }

    /// Returns whether a line is a tag that every HLS playlist contains.
    private static func isStreamTag(_ line: ArraySlice<UInt8>) -> Bool {
        line.starts(with: "#EXT-X-".utf8)
            && ["#EXT-X-STREAM-INF:", "#EXT-X-TARGETDURATION:", "#EXT-X-MEDIA-SEQUENCE:"].contains {
                line.starts(with: $0.utf8)
            }
    }

    // MARK: Parsing

    /// Reads an M3U playlist or plain lines. `#EXTINF:` states the title of the next entry; other lines with `#` are
    /// comments.
    private mutating func parseLines(_ lines: [ArraySlice<UInt8>], base: String) {
        var title: String?
        for (index, line) in lines.enumerated() where !line.isEmpty {
            guard line.count <= limits.lineBytes else {
                warn("line \(index + 1) is longer than \(limits.lineBytes) bytes")
                title = nil
                continue
            }
            if line.starts(with: "#EXTINF:".utf8) {
                title = Self.titleText(inInformation: line).flatMap(self.title)
            } else if line.first != UInt8(ascii: "#") {
                guard add(line, title: title.take(), line: index + 1, base: base) else { return }
            }
        }
    }

    /// Returns the title of a line `#EXTINF:12 name="a, b",Title`: the text after the first comma outside quotes.
    private static func titleText(inInformation line: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        var isQuoted = false
        let commaIndex = line.firstIndex { byte in
            if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
            return byte == UInt8(ascii: ",") && !isQuoted
        }
        return commaIndex.map { line[($0 + 1)...] }
    }

    /// Reads a PLS playlist: `File1=`, `Title1=` and so on. The entries are sorted by their numbers.
    private mutating func parsePLS(_ lines: [ArraySlice<UInt8>], base: String) {
        var files: [(number: Int, line: Int, value: ArraySlice<UInt8>)] = [], titles: [Int: ArraySlice<UInt8>] = [:]
        for (index, line) in lines.enumerated() {
            guard let separator = line.firstIndex(of: UInt8(ascii: "=")) else { continue }
            guard line.count <= limits.lineBytes else {
                warn("line \(index + 1) is longer than \(limits.lineBytes) bytes")
                continue
            }
            let key = String(decoding: Self.trimmed(line[..<separator]), as: UTF8.self).lowercased()
            let value = Self.trimmed(line[(separator + 1)...])
            if key.hasPrefix("file"), let number = Int(key.dropFirst(4)), !value.isEmpty {
                files.append((number, index + 1, value))
            } else if key.hasPrefix("title"), let number = Int(key.dropFirst(5)) {
                titles[number] = value
            }
        }
        files.sort { ($0.number, $0.line) < ($1.number, $1.line) }
        for file in files {
            let title = titles[file.number].flatMap(self.title)
            guard add(file.value, title: title, line: file.line, base: base) else { return }
        }
    }

    /// Appends an entry; returns false if the playlist has too many entries.
    private mutating func add(_ reference: ArraySlice<UInt8>, title: String?, line: Int, base: String) -> Bool {
        guard entries.count < limits.entries else {
            warn("only the first \(limits.entries) entries are used")
            return false
        }
        do throws(MediaError) {
            let location = try MediaLocation.resolve(Array(reference), in: base)
            entries.append(Entry(location: location, title: title, line: line))
        } catch { warn("line \(line) is skipped: \(error.message)") }
        return true
    }

    /// Returns the text of a title without control characters; nil if nothing is left.
    private func title(_ bytes: ArraySlice<UInt8>) -> String? {
        let text =
            String(validating: bytes, as: UTF8.self)
            ?? String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
        let title = String(
            String.UnicodeScalarView(
                text.unicodeScalars.drop { $0.properties.isWhitespace }.filter {
                    $0.properties.generalCategory != .control
                })
        ).prefix(limits.titleCharacters)
        return title.isEmpty ? nil : String(title)
    }

    private mutating func warn(_ text: String) {
        if warnings.count < limits.warnings { warnings.append(text) }
    }
}

/// The reason why a text cannot be read as a playlist.
enum PlaylistFileError: Error, Equatable, CustomStringConvertible {
    /// The text is not in the format of a playlist.
    case unknownFormat
    /// The text is an HLS playlist, which is played as a stream.
    case stream
    /// The text exceeds the limit, in bytes.
    case tooLarge(limit: Int)

    var description: String {
        switch self {
        case .unknownFormat: "is not a playlist of a supported format (M3U, PLS)"
        case .stream: "is an HLS playlist, which is played as a stream"
        case .tooLarge(let limit): "the playlist is larger than \(limit >> 20) MiB"
        }
    }
}
