import HTTPTransfer
import StreamPlaylists
import SystemCalls

/// The rules that decide which files and URLs may be opened, by the user and by media such as playlists. A pure value.
package struct OpenPolicy: Sendable, Equatable {
    /// A location of media.
    package enum Location: Sendable, Equatable {
        /// A local file.
        case file(path: FilePath)
        case standardInput
        /// An address whose scheme is permitted.
        case network(url: String)
    }

    /// The URL schemes that may be fetched.
    package var networkSchemes: Set<String> = ["http", "https"]
    /// Whether local files may be opened at all.
    package var allowsFiles = true
    /// Whether media from the network may open local files. The default is false, because a remote playlist that refers
    /// to local files is probably an attack.
    package var networkMayOpenFiles = false
    /// The settings of requests to servers.
    package var http = HTTPOptions()

    package init() {}

    /// Returns the location that an address from a user or from a playlist denotes.
    ///
    /// - Throws: `refusedByPolicy` for an unknown scheme; `notFound` for a path with a zero byte.
    package func locate(_ text: String) throws(MediaError) -> Location {
        if text == "-" { return .standardInput }
        guard let scheme = Self.scheme(of: text) else { return .file(path: try Self.path(Array(text.utf8))) }
        if scheme == "file" {
            var path = text.dropFirst("file:".count)
            if path.hasPrefix("//") { path = path.dropFirst(2) }
            return .file(path: try Self.path(PercentEncoding.decodedBytes(String(path))))
        }
        guard networkSchemes.contains(scheme) else {
            throw MediaError(
                .refusedByPolicy,
                "\(scheme): addresses are not supported (supported: \(networkSchemes.sorted().joined(separator: ", ")))"
            )
        }
        return .network(url: text)
    }

    /// Returns the path with the given bytes; throws `notFound` if one of them is zero.
    private static func path(_ bytes: [UInt8]) throws(MediaError) -> FilePath {
        guard let path = FilePath(bytes: bytes) else {
            throw MediaError(.notFound, "a path cannot contain a zero byte")
        }
        return path
    }

    /// Checks whether media from `parent` (nil: the user) may open `child`.
    ///
    /// - Throws: `refusedByPolicy` if it may not.
    package func check(_ child: Location, from parent: Location?) throws(MediaError) {
        switch (child, parent) {
        case (.file, _) where !allowsFiles:
            throw MediaError(.refusedByPolicy, "local files may not be opened")
        case (.standardInput, .some):
            throw MediaError(.refusedByPolicy, "media may not open standard input")
        case (.file, .network?) where !networkMayOpenFiles:
            throw MediaError(.refusedByPolicy, "a file from the network may not open local files")
        default: break
        }
    }

    /// Returns whether an address has the form in which libavformat requests an encrypted segment.
    static func isEncrypted(_ text: String) -> Bool { text.hasPrefix("crypto+") || text.hasPrefix("crypto:") }

    /// Parses the address of a part that the media refers to, and checks whether it may be opened.
    ///
    /// - Parameters:
    ///   - isEncrypted: Whether the request includes a key. If so, a prefix `crypto+` or `crypto:` of the address is
    ///     removed.
    ///   - root: The location that the user opened.
    /// - Throws: `refusedByPolicy`.
    func locate(part text: String, isEncrypted: Bool, from root: Location?) throws(MediaError) -> Location {
        let hasCryptoPrefix = isEncrypted && Self.isEncrypted(text)
        let location = try locate(hasCryptoPrefix ? String(text.dropFirst("crypto+".count)) : text)
        try check(location, from: root)
        return location
    }

    /// Returns whether a location is an address with a scheme other than `file`.
    package static func isNetworkAddress(_ location: String) -> Bool {
        scheme(of: location).map { $0 != "file" } ?? false
    }

    /// Returns the scheme of an address in lower case, such as `http`; nil for a path. A single letter is not a scheme,
    /// nor is text with a slash before the colon.
    static func scheme(of text: String) -> String? {
        guard let colonIndex = text.firstIndex(of: ":") else { return nil }
        let candidate = text[..<colonIndex]
        guard candidate.count > 1, let firstCharacter = candidate.first, firstCharacter.isASCII, firstCharacter.isLetter
        else { return nil }
        guard candidate.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || "+-.".contains($0)) }) else {
            return nil
        }
        // Require // after the scheme of an address: "Film: the sequel.mp4" is a file name.
        guard text[text.index(after: colonIndex)...].hasPrefix("//") || candidate.lowercased() == "file" else {
            return nil
        }
        return candidate.lowercased()
    }
}
