import StreamPlaylists
import SystemCalls

/// Conversions between paths, which are bytes, and locations. A location is the text that denotes a file or an address
/// in options, playlists and items.
///
/// A path in UTF-8 is its own location. The location of any other path is a `file:` URL, in which the bytes that are no
/// ASCII letters or digits are percent-encoded, such as `file:lat%E4.mp4`. ``OpenPolicy/locate(_:)`` decodes it.
package enum MediaLocation {
    /// Returns the location of a file.
    package static func location(of path: FilePath) -> String {
        guard let text = path.text else { return "file:" + percentEncoded(path.bytes) }
        // A file name that looks like a URL or like standard input must stay a file name.
        return text == "-" || OpenPolicy.scheme(of: text) != nil ? "./" + text : text
    }

    /// Returns the location for a path or an address as a user writes it. A `file:` URL of a UTF-8 path becomes the
    /// path. Bytes of an address that are not UTF-8 are percent-encoded.
    package static func location(written bytes: [UInt8]) -> String {
        let text = String(validating: bytes, as: UTF8.self)
        let asciiText = String(decoding: bytes.map { $0 < 0x80 ? $0 : UInt8(ascii: "x") }, as: UTF8.self)
        switch OpenPolicy.scheme(of: asciiText) {
        case nil: return text ?? FilePath(bytes: bytes).map(location(of:)) ?? String(decoding: bytes, as: UTF8.self)
        case "file":
            let url = text ?? String(decoding: escapingNonASCII(bytes), as: UTF8.self)
            guard case .file(let path)? = try? OpenPolicy().locate(url) else { return url }
            return location(of: path)
        default: return text ?? String(decoding: escapingNonASCII(bytes), as: UTF8.self)
        }
    }

    /// Returns the location for an address of a part that libavformat opens. libavformat passes the bytes of an HLS
    /// playlist unchanged; they may be names of files that are not UTF-8.
    static func location(part address: UnsafePointer<CChar>) -> String {
        String(validatingCString: address) ?? location(written: FilePath(cString: address).bytes)
    }

    /// Returns the location of an entry of a playlist.
    ///
    /// - Parameters:
    ///   - reference: The entry as written: an address, a `file:` URL, an absolute path, or a path or address relative
    ///     to the playlist.
    ///   - base: The location of the playlist.
    /// - Throws: `refusedByPolicy` if the playlist comes from the network and the entry denotes a local file;
    ///   `notFound` for a path with a zero byte.
    package static func resolve(_ reference: [UInt8], in base: String) throws(MediaError) -> String {
        let policy = OpenPolicy()
        let scheme = OpenPolicy.scheme(of: String(decoding: reference, as: UTF8.self))
        guard !reference.contains(0) else { throw MediaError(.notFound, "an address cannot contain a zero byte") }
        if case .network(let base)? = try? policy.locate(base) {
            if let scheme, scheme != "file" { return location(written: reference) }
            guard scheme == nil else {
                throw MediaError(.refusedByPolicy, "a playlist from the network may not name local files")
            }
            var path = String(decoding: escapingInvalidURLBytes(reference), as: UTF8.self)
            // A colon before the first slash would make the preceding text a scheme (RFC 3986, section 4.2).
            if path.prefix(while: { $0 != "/" }).contains(":") { path = "./" + path }
            return URIReference(path).resolved(against: URIReference(base)).text
        }
        if scheme != nil { return location(written: reference) }
        var path = reference
        if reference.first != UInt8(ascii: "/"), case .file(let basePath)? = try? policy.locate(base) {
            path = Array(basePath.folder) + reference
        }
        guard let path = FilePath(bytes: path) else { throw MediaError(.notFound, "a path is not valid") }
        return location(of: path)
    }

    // MARK: Display

    /// Returns a location as text for people: the path of a `file:` URL, in which U+FFFD replaces bytes that are not
    /// UTF-8, or else the location itself.
    package static func displayed(_ location: String) -> String {
        guard OpenPolicy.scheme(of: location) == "file",
            case .file(let path)? = try? OpenPolicy().locate(location)
        else { return location }
        return String(decoding: path.bytes, as: UTF8.self)
    }

    /// Returns the last component of a location as text for people; the whole location if it has no component.
    package static func displayedName(_ location: String) -> String {
        guard let component = displayed(location).split(separator: "/").last else { return location }
        guard let scheme = OpenPolicy.scheme(of: location), scheme != "file" else { return String(component) }
        return PercentEncoding.decoded(String(component))
    }

    /// Returns a location for another program: a `file:` URL becomes absolute, every other location stays the same.
    package static func exported(_ location: String) -> String {
        guard OpenPolicy.scheme(of: location) == "file", case .file(let path)? = try? OpenPolicy().locate(location)
        else { return location }
        return fileURL(of: path)
    }

    /// Returns the absolute `file:` URL of a path.
    package static func fileURL(of path: FilePath) -> String {
        var bytes = path.bytes
        if bytes.first != UInt8(ascii: "/"), let folder = FilePath.workingDirectory {
            bytes = folder.bytes + (folder.bytes == [UInt8(ascii: "/")] ? [] : [UInt8(ascii: "/")]) + bytes
        }
        return "file://" + percentEncoded(bytes)
    }

    // MARK: Percent-encoding

    /// The ASCII characters that a path in a URL contains unencoded.
    private static let pathCharacters = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/".utf8)
    /// The ASCII characters that may not stand in a URL.
    private static let invalidURLCharacters = Set("\"<>\\^`{|} ".utf8)

    private static func percentEncoded(_ bytes: [UInt8]) -> String {
        String(decoding: escaping(bytes) { !pathCharacters.contains($0) }, as: UTF8.self)
    }

    private static func escapingNonASCII(_ bytes: [UInt8]) -> [UInt8] { escaping(bytes) { $0 >= 0x80 } }

    private static func escapingInvalidURLBytes(_ bytes: [UInt8]) -> [UInt8] {
        escaping(bytes) { $0 >= 0x7F || $0 < 0x20 || invalidURLCharacters.contains($0) }
    }

    /// Returns `bytes` with `%` and two hexadecimal digits in place of each byte for which `isEscaped` returns true.
    private static func escaping(_ bytes: [UInt8], where isEscaped: (UInt8) -> Bool) -> [UInt8] {
        let digits = Array("0123456789ABCDEF".utf8)
        return bytes.flatMap { byte in
            isEscaped(byte) ? [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]] : [byte]
        }
    }
}
