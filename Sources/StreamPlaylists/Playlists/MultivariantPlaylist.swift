/// A multivariant playlist, which RFC 8216 calls master playlist (section 4.3.4). A pure value.
package struct MultivariantPlaylist: Sendable, Equatable {
    /// The variants in the order of the playlist; never empty.
    package let variants: [VariantStream]
    /// The I-frame streams for scrubbing, in the order of the playlist.
    package let iFrameStreams: [VariantStream]
    /// The renditions in the order of the playlist.
    package let renditions: [Rendition]
    /// The keys that the media playlists use (`EXT-X-SESSION-KEY`), so that a player can load them early.
    package let sessionKeys: [EncryptionKey]
    /// Whether each segment of each media playlist can be decoded without other segments.
    package let isIndependent: Bool
    /// The position at which playback of each media playlist should start; nil if not stated.
    package let start: PlaylistStart?
    /// The variables that media playlists may import.
    package let variables: [String: String]
    /// The mistakes in the playlist that do not prevent playback; at most ``PlaylistLimits/warnings``.
    package let warnings: [PlaylistError]

    /// Returns the renditions of one kind that a variant can be played with, in the order of the playlist.
    package func renditions(_ kind: Rendition.Kind, of variant: VariantStream) -> [Rendition] {
        guard let group = variant.groups.group(kind) else { return [] }
        return renditions.filter { $0.kind == kind && $0.groupID == group }
    }

    /// Parses a multivariant playlist.
    ///
    /// A damaged variant or rendition is dropped with a warning, as long as one variant is left.
    ///
    /// - Parameters:
    ///   - bytes: The text in UTF-8.
    ///   - address: The absolute address from which the text came, after all redirects.
    /// - Throws: An error with the reason and the line.
    package init(_ bytes: [UInt8], address: String, limits: PlaylistLimits = .init()) throws(PlaylistError) {
        var parser = Parser(try PlaylistReader(bytes, address: address, imports: [:], limits: limits))
        try parser.parse()
        guard !parser.variants.isEmpty else {
            throw parser.reader.warnings.first ?? PlaylistError(.noVariants)
        }
        variants = parser.variants
        iFrameStreams = parser.iFrameStreams
        renditions = parser.renditions
        sessionKeys = parser.sessionKeys
        isIndependent = parser.reader.isIndependent
        start = parser.reader.start
        variables = parser.reader.variables.values
        warnings = parser.reader.warnings
    }

    /// Creates a playlist whose variants and renditions were not read from HLS.
    package init(variants: [VariantStream], renditions: [Rendition]) {
        (self.variants, self.renditions) = (variants, renditions)
        (iFrameStreams, sessionKeys, isIndependent, start, variables, warnings) = ([], [], true, nil, [:], [])
    }
}
