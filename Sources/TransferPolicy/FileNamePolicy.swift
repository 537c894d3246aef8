/// The names of files that servers suggest.
///
/// A name from a server is only a hint: the result is one component without control characters, is not hidden, and fits
/// into every common file system.
package enum FileNamePolicy {
    /// The most bytes of a name in UTF-8.
    package static let byteLimit = 200
    /// The most bytes of an extension that survives when a name is shortened.
    package static let extensionByteLimit = 16
    /// The name of a file for which no name is known.
    package static let fallbackName = "download"

    /// Returns the name for a suggestion, or the fallback if nothing of the suggestion remains.
    package static func name(suggestion: String) -> String {
        // Windows servers send backslashes.
        let components = suggestion.unicodeScalars.split { $0 == "/" || $0 == "\\" }
        let lastComponent = components.last ?? Substring.UnicodeScalarView()
        var scalars = String.UnicodeScalarView(lastComponent.filter { !isForbidden($0) })
        while let first = scalars.first, first == "." || first.properties.isWhitespace { scalars.removeFirst() }
        while let last = scalars.last, last == "." || last.properties.isWhitespace { scalars.removeLast() }
        let name = shortened(String(scalars), byteLimit: byteLimit)
        return name.isEmpty ? fallbackName : name
    }

    /// Returns the name for the path of an address, whose percent-encoded bytes are decoded.
    package static func name(urlPath: String) -> String {
        let component = Array(urlPath.utf8.reversed().prefix { $0 != UInt8(ascii: "/") }.reversed())
        return name(suggestion: String(decoding: decodedPercents(component), as: UTF8.self))
    }

    /// Returns the name of a package for the path of a stream's address: the last component that says more than that it
    /// is a playlist.
    package static func packageName(urlPath: String) -> String {
        let components = urlPath.utf8.split(separator: UInt8(ascii: "/"))
        for component in components.reversed() {
            var name = name(urlPath: String(decoding: Array(component), as: UTF8.self))
            for suffix in [".m3u8", ".m3u"] where name.lowercased().hasSuffix(suffix) { name.removeLast(suffix.count) }
            if !name.isEmpty, !playlistNames.contains(name.lowercased()) { return name }
        }
        return "stream"
    }

    /// The names that many servers give to the playlists of all films.
    private static let playlistNames: Set = [
        "master", "index", "playlist", "manifest", "main", "prog_index", "stream", "hls", "chunklist", "video",
        fallbackName,
    ]

    /// Returns a name with a number before its extension, such as `film (2).mp4`, for a name that is taken.
    package static func numbered(_ name: String, _ number: Int) -> String {
        let suffix = " (\(number))"
        let (base, fileExtension) = parts(of: name)
        let baseLimit = byteLimit - suffix.utf8.count - fileExtension.utf8.count
        return prefix(of: base, byteLimit: baseLimit) + suffix + fileExtension
    }

    /// Returns the hidden name of a part file, such as `.film.mp4.0000002a.part`.
    /// - Parameter taskID: the number of the transfer, of which the lower 32 bits are used.
    package static func partName(for name: String, taskID: Int64) -> String {
        let digits = String(UInt32(truncatingIfNeeded: taskID), radix: 16)
        return ".\(name).\(String(repeating: "0", count: 8 - digits.count))\(digits).part"
    }

    /// Returns whether a directory entry has the form of a part file's name.
    package static func isPartName(_ name: String) -> Bool {
        let fields = name.split(separator: ".", omittingEmptySubsequences: false)
        guard fields.count >= 4, fields.first == "", fields.last == "part", !fields[1].isEmpty else { return false }
        let digits = fields[fields.count - 2]
        return digits.count == 8 && digits.allSatisfy { $0.isHexDigit && !$0.isUppercase }
    }

    /// Whether a character is removed: control characters, and the characters that change the direction of text, with
    /// which a name can hide its extension.
    private static func isForbidden(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate: true
        default: false
        }
    }

    private static func shortened(_ name: String, byteLimit: Int) -> String {
        guard name.utf8.count > byteLimit else { return name }
        let (base, fileExtension) = parts(of: name)
        return prefix(of: base, byteLimit: byteLimit - fileExtension.utf8.count) + fileExtension
    }

    /// Returns a name without its extension, and the extension with its dot.
    private static func parts(of name: String) -> (base: String, fileExtension: String) {
        guard let dot = name.lastIndex(of: "."), dot != name.startIndex,
            name[dot...].utf8.count <= extensionByteLimit
        else { return (name, "") }
        return (String(name[..<dot]), String(name[dot...]))
    }

    /// Returns the longest prefix of whole characters within a number of bytes.
    private static func prefix(of text: String, byteLimit: Int) -> String {
        var bytes = 0
        return String(
            text.prefix { character in
                bytes += character.utf8.count
                return bytes <= byteLimit
            })
    }

    private static func decodedPercents(_ bytes: [UInt8]) -> [UInt8] {
        var decoded: [UInt8] = []
        var index = 0
        while index < bytes.count {
            if bytes[index] == UInt8(ascii: "%"), index + 2 < bytes.count,
                let byte = UInt8(String(decoding: bytes[index + 1...index + 2], as: UTF8.self), radix: 16),
                bytes[index + 1] != UInt8(ascii: "+")
            {
                decoded.append(byte)
                index += 3
            } else {
                decoded.append(bytes[index])
                index += 1
            }
        }
        return decoded
    }
}
