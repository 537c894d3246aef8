/// Reads the lines of a playlist and handles the tags that both kinds of playlists share
/// (draft-pantos-hls-rfc8216bis, section 4.4.2).
struct PlaylistReader {
    /// A line that this reader leaves to the parser of media or multivariant playlists.
    enum Item {
        /// A tag that is not one of the tags shared by both kinds of playlists.
        case tag(PlaylistTag)
        /// An address, with all variables replaced.
        case address(ArraySlice<UInt8>, line: Int)
    }

    /// The absolute address of the playlist.
    let base: PlaylistBase
    /// The limits on the size of the playlist.
    let limits: PlaylistLimits
    /// The variables defined so far.
    var variables: PlaylistVariables
    /// Whether each segment can be decoded without other segments (`EXT-X-INDEPENDENT-SEGMENTS`).
    private(set) var isIndependent = false
    /// The position at which playback should start (`EXT-X-START`); nil if not stated.
    private(set) var start: PlaylistStart?
    /// The mistakes in the playlist that do not prevent playback; at most ``PlaylistLimits/warnings``.
    private(set) var warnings: [PlaylistError] = []
    /// The variables of the multivariant playlist, which a media playlist may import.
    private let imports: [String: String]
    /// The lines that have not been read yet.
    private var lines: PlaylistLines

    /// Starts to read a playlist.
    ///
    /// - Parameters:
    ///   - address: The absolute address from which the text came, after all redirects.
    ///   - imports: The variables of the multivariant playlist.
    /// - Throws: `tooLarge`, `webPage` or `notAPlaylist`, or an error of the address.
    init(
        _ bytes: [UInt8], address: String, imports: [String: String], limits: PlaylistLimits
    ) throws(PlaylistError) {
        guard bytes.count <= limits.bytes else { throw PlaylistError(.tooLarge(limit: limits.bytes)) }
        base = try PlaylistBase(address, limit: limits.addressBytes)
        self.limits = limits
        self.imports = imports
        variables = PlaylistVariables(limits: limits)
        lines = PlaylistLines(bytes)
        let firstLine = lines.next()
        guard firstLine?.text.starts(with: "#EXTM3U".utf8) == true else {
            let isMarkup = firstLine?.text.first == UInt8(ascii: "<")
            throw PlaylistError(isMarkup ? .webPage : .notAPlaylist, line: firstLine?.number)
        }
    }

    /// Returns the next line that is neither a comment nor a tag shared by both kinds of playlists; nil at the end.
    mutating func next() throws(PlaylistError) -> Item? {
        while let line = lines.next() {
            guard line.text.first == UInt8(ascii: "#") else {
                return .address(try variables.expand(line.text, line: line.number), line: line.number)
            }
            guard let tag = PlaylistTag(line) else { continue }
            switch tag.name {
            case "EXTM3U", "EXT-X-VERSION": break
            case "EXT-X-INDEPENDENT-SEGMENTS": isIndependent = true
            case "EXT-X-START":
                let newStart = PlaylistStart(try attributes(of: tag))
                if newStart == nil { warn(tag.invalidValueError()) }
                start = start ?? newStart
            case "EXT-X-DEFINE": try defineVariable(try attributes(of: tag))
            default: return .tag(tag)
            }
        }
        return nil
    }

    /// Reads the attributes of a tag.
    mutating func attributes(of tag: PlaylistTag) throws(PlaylistError) -> AttributeList {
        try AttributeList(tag, &variables, limits: limits)
    }

    /// Stores a warning, unless the maximum number of warnings is reached.
    mutating func warn(_ warning: PlaylistError) {
        if warnings.count < limits.warnings { warnings.append(warning) }
    }

    /// Defines the variable of an `EXT-X-DEFINE` tag (draft-pantos-hls-rfc8216bis, section 4.4.2.3).
    private mutating func defineVariable(_ attributes: AttributeList) throws(PlaylistError) {
        let line = attributes.tag.line
        if let name = attributes["NAME"] {
            guard let value = attributes["VALUE"] else { throw attributes.tag.missingAttributeError("VALUE") }
            try variables.define(name, as: value, line: line)
        } else if let name = attributes["IMPORT"] {
            guard let value = imports[name] else { throw PlaylistError(.undefinedVariable(name), line: line) }
            try variables.define(name, as: value, line: line)
        } else if let name = attributes["QUERYPARAM"] {
            guard let value = PlaylistVariables.queryParameter(name, of: base.reference) else {
                throw PlaylistError(.undefinedVariable(name), line: line)
            }
            try variables.define(name, as: value, line: line)
        } else {
            throw attributes.tag.missingAttributeError("NAME")
        }
    }
}
