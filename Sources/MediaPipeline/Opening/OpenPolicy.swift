/// The rules for which source may open which file or URL, including nested ones. A pure value.
package struct OpenPolicy: Sendable, Equatable {
    /// A location of media.
    package enum Location: Sendable, Equatable {
        case file(path: String)
        case standardInput
        case network(url: String)
    }

    /// The URL schemes that may be fetched.
    package var networkSchemes: Set<String> = ["http", "https"]
    package var allowsFiles = true
    /// Whether media from the network may open local files. A remote playlist that names local files is an attack.
    package var networkMayOpenFiles = false
    /// The accepted certificates of https servers.
    package var tls = TLSTrust.systemRoots

    package init() {}

    /// Parses an address from a user or from a playlist.
    ///
    /// - Throws: `refusedByPolicy` for an unknown scheme.
    package func locate(_ text: String) throws(MediaError) -> Location {
        if text == "-" { return .standardInput }
        guard let scheme = Self.scheme(of: text) else { return .file(path: text) }
        if scheme == "file" {
            var path = text.dropFirst("file:".count)
            if path.hasPrefix("//") { path = path.dropFirst(2) }
            return .file(path: Self.percentDecoded(String(path)))
        }
        guard networkSchemes.contains(scheme) else {
            throw MediaError(
                .refusedByPolicy,
                "addresses of the kind \(scheme): are not opened (known: \(networkSchemes.sorted().joined(separator: ", ")))"
            )
        }
        return .network(url: text)
    }

    /// Checks whether media from `parent` (nil: the user) may open `child`.
    ///
    /// - Throws: `refusedByPolicy` if it may not.
    package func check(_ child: Location, from parent: Location?) throws(MediaError) {
        switch (child, parent) {
        case (.file, _) where !allowsFiles:
            throw MediaError(.refusedByPolicy, "local files may not be opened")
        case (.file, .network?) where !networkMayOpenFiles, (.standardInput, .some):
            throw MediaError(.refusedByPolicy, "a file from the network may not open local files")
        default: break
        }
    }

    /// Returns whether libavformat created the address for an encrypted segment.
    static func isEncrypted(_ text: String) -> Bool { text.hasPrefix("crypto+") || text.hasPrefix("crypto:") }

    /// Parses the address of a part that the media refers to, and checks whether it may be opened.
    ///
    /// - Parameters:
    ///   - isEncrypted: Whether the request includes a key; then the address is the one inside `crypto+ADDRESS` or
    ///     `crypto:PATH`.
    ///   - root: The location that the user opened.
    /// - Throws: `refusedByPolicy`.
    func locate(part text: String, isEncrypted: Bool, from root: Location?) throws(MediaError) -> Location {
        let isWrapped = isEncrypted && Self.isEncrypted(text)
        let location = try locate(isWrapped ? String(text.dropFirst("crypto+".count)) : text)
        try check(location, from: root)
        return location
    }

    /// Returns `http` for `http://…`; nil for a path. A single letter, or text with a slash before the colon, is not a
    /// scheme.
    static func scheme(of text: String) -> String? {
        guard let colon = text.firstIndex(of: ":") else { return nil }
        let candidate = text[..<colon]
        guard candidate.count > 1, let first = candidate.first, first.isASCII, first.isLetter else { return nil }
        guard candidate.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || "+-.".contains($0)) }) else {
            return nil
        }
        // "Film: the sequel.mp4" is a file name; an address has // after its scheme.
        guard text[text.index(after: colon)...].hasPrefix("//") || candidate.lowercased() == "file" else { return nil }
        return candidate.lowercased()
    }

    /// Decodes each `%` followed by two hexadecimal digits (RFC 3986, section 2.1). Every other `%` stays.
    static func percentDecoded(_ text: String) -> String {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            let digits = rest.prefix(2).compactMap { Character(Unicode.Scalar($0)).hexDigitValue }
            if byte == UInt8(ascii: "%"), digits.count == 2 {
                bytes.append(UInt8(digits[0] * 16 + digits[1]))
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
