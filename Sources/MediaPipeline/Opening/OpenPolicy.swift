/// What may open what: a pure value. Every file and URL, nested ones too, passes here.
package struct OpenPolicy: Sendable, Equatable {
    /// A place that media comes from.
    package enum Location: Sendable, Equatable {
        case file(path: String)
        case standardInput
        case network(url: String)
    }

    /// Schemes that are fetched.
    package var networkSchemes: Set<String> = ["http", "https"]
    package var allowsFiles = true
    /// A playlist on the network that names local files is an attack, not a playlist.
    package var networkMayOpenFiles = false
    /// Which certificates of https servers are accepted.
    package var tls = TLSTrust.systemRoots

    package init() {}

    /// Reads what a person typed or a playlist says.
    ///
    /// - Throws: `refusedByPolicy` for a scheme that is not known.
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

    /// May what came from `parent` (nil: the user asked) open `child`?
    package func check(_ child: Location, from parent: Location?) throws(MediaError) {
        switch (child, parent) {
        case (.file, _) where !allowsFiles:
            throw MediaError(.refusedByPolicy, "local files may not be opened")
        case (.file, .network?) where !networkMayOpenFiles, (.standardInput, .some):
            throw MediaError(.refusedByPolicy, "a file from the network may not open local files")
        default: break
        }
    }

    /// Whether an address is one that libavformat makes for an encrypted segment.
    static func isEncrypted(_ text: String) -> Bool { text.hasPrefix("crypto+") || text.hasPrefix("crypto:") }

    /// Reads the address of something that the media refers to, and checks whether it may be opened.
    ///
    /// - Parameters:
    ///   - isEncrypted: a key came with the request: then the address in `crypto+ADDRESS` or `crypto:PATH` is meant.
    ///   - root: what the user asked for.
    /// - Throws: `refusedByPolicy`.
    func locate(part text: String, isEncrypted: Bool, from root: Location?) throws(MediaError) -> Location {
        let isWrapped = isEncrypted && Self.isEncrypted(text)
        let location = try locate(isWrapped ? String(text.dropFirst("crypto+".count)) : text)
        try check(location, from: root)
        return location
    }

    /// `http` of `http://…`; nil for a path. One letter is no scheme, nor is anything with a slash before the colon.
    static func scheme(of text: String) -> String? {
        guard let colon = text.firstIndex(of: ":") else { return nil }
        let candidate = text[..<colon]
        guard candidate.count > 1, let first = candidate.first, first.isASCII, first.isLetter else { return nil }
        guard candidate.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || "+-.".contains($0)) }) else {
            return nil
        }
        // "Film: the sequel.mp4" is a file; an address has // after its scheme.
        guard text[text.index(after: colon)...].hasPrefix("//") || candidate.lowercased() == "file" else { return nil }
        return candidate.lowercased()
    }

    /// Replaces each `%` with two hexadecimal digits (RFC 3986, section 2.1). Every other `%` stays.
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
