import StreamPlaylists

/// Recognises DASH manifests by media type, address or first bytes. Contains only pure functions.
enum ManifestRecognition {
    /// The number of bytes at the start of a resource in which the root element of a manifest is searched.
    static let byteCount = 4096

    /// Whether the media type that the server states, or the end of the address's path, identifies a DASH manifest.
    static func isManifest(type: String?, address: String) -> Bool {
        let type = type?.split(separator: ";").first?.lowercased() ?? ""
        return type == "application/dash+xml" || URIReference(address).path.lowercased().hasSuffix(".mpd")
    }

    /// Whether a resource that begins with these bytes may be XML.
    static func mayBeXML(_ start: [UInt8]) -> Bool {
        let text = start.starts(with: [0xEF, 0xBB, 0xBF]) ? start.dropFirst(3) : start[...]
        return text.first { $0 != 0x20 && !(9...13).contains($0) } == UInt8(ascii: "<")
    }

    /// Whether the start of an XML document contains the root element `MPD`, with or without a namespace prefix.
    static func isManifest(_ start: [UInt8]) -> Bool {
        let rootName = Array("MPD".utf8)
        return start.indices.contains { index in
            guard index > 0, start[index...].starts(with: rootName) else { return false }
            let precedingByte = start[index - 1], followingByte = start[(index + 3)...].first ?? 0
            guard precedingByte == UInt8(ascii: "<") || precedingByte == UInt8(ascii: ":") else { return false }
            return followingByte == UInt8(ascii: ">") || followingByte == 0x20 || (9...13).contains(followingByte)
        }
    }
}
