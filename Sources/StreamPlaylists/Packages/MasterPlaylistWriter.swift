/// Writes the multivariant playlist of a package, with one variant (RFC 8216, section 4.3.4).
struct MasterPlaylistWriter {
    private let variant: VariantStream
    /// The lines before the variant.
    private var lines = ["#EXTM3U", "#EXT-X-VERSION:7"]
    /// The kinds of the renditions that were added.
    private var kinds: Set<Rendition.Kind> = []

    init(_ variant: VariantStream, isIndependent: Bool) {
        self.variant = variant
        if isIndependent { lines.append("#EXT-X-INDEPENDENT-SEGMENTS") }
    }

    /// Adds a rendition.
    ///
    /// - Parameters:
    ///   - name: The name of its playlist; nil if the variant contains the rendition.
    ///   - isDefault: Whether the rendition is played unless the user chooses another.
    mutating func add(_ rendition: Rendition, name: String?, isDefault: Bool) {
        kinds.insert(rendition.kind)
        let type = rendition.kind == .audio ? "AUDIO" : "SUBTITLES"
        var attributes = [
            "TYPE=\(type)", "GROUP-ID=\"\(Self.groupID(rendition.kind))\"", "NAME=\(Self.quoted(rendition.name))",
            "DEFAULT=\(isDefault ? "YES" : "NO")",
            "AUTOSELECT=\(isDefault || rendition.isAutoselect ? "YES" : "NO")",
        ]
        if let language = rendition.language { attributes.append("LANGUAGE=\(Self.quoted(language))") }
        if rendition.isForced { attributes.append("FORCED=YES") }
        if !rendition.characteristics.isEmpty {
            attributes.append("CHARACTERISTICS=\(Self.quoted(rendition.characteristics.joined(separator: ",")))")
        }
        if let channels = rendition.channels { attributes.append("CHANNELS=\(Self.quoted(channels))") }
        if let name { attributes.append("URI=\"\(name)\"") }
        lines.append("#EXT-X-MEDIA:" + attributes.joined(separator: ","))
    }

    /// Returns the text of the playlist.
    ///
    /// - Parameter variantName: The name of the variant's playlist.
    func text(variantName: String) -> String {
        var attributes = ["BANDWIDTH=\(max(variant.bandwidth, 1))"]
        if let average = variant.averageBandwidth { attributes.append("AVERAGE-BANDWIDTH=\(average)") }
        if !variant.codecs.isEmpty { attributes.append("CODECS=\(Self.quoted(variant.codecs.joined(separator: ",")))") }
        if let size = variant.video.resolution { attributes.append("RESOLUTION=\(size.width)x\(size.height)") }
        if let rate = variant.video.frameRate { attributes.append("FRAME-RATE=\(rate)") }
        switch variant.video.dynamicRange {
        case .sdr: attributes.append("VIDEO-RANGE=SDR")
        case .hlg: attributes.append("VIDEO-RANGE=HLG")
        case .pq: attributes.append("VIDEO-RANGE=PQ")
        case .other, nil: break
        }
        if kinds.contains(.audio) { attributes.append("AUDIO=\"\(Self.groupID(.audio))\"") }
        if kinds.contains(.subtitles) { attributes.append("SUBTITLES=\"\(Self.groupID(.subtitles))\"") }
        let stream = ["#EXT-X-STREAM-INF:" + attributes.joined(separator: ","), variantName, ""]
        return (lines + stream).joined(separator: "\n")
    }

    private static func groupID(_ kind: Rendition.Kind) -> String { kind == .audio ? "audio" : "subtitles" }

    /// Returns a quoted string. Quotation marks and control characters, with which a server could add attributes or
    /// lines, are removed.
    private static func quoted(_ text: String) -> String {
        let scalars = text.unicodeScalars.filter { scalar in
            scalar != "\"" && scalar.properties.generalCategory != .control
                && scalar.properties.generalCategory != .lineSeparator
                && scalar.properties.generalCategory != .paragraphSeparator
        }
        return "\"" + String(String.UnicodeScalarView(scalars)) + "\""
    }
}
