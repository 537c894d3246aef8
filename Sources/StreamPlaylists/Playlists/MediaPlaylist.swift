/// A media playlist: the segments of one variant or rendition (RFC 8216, section 4.3.3). A pure value.
package struct MediaPlaylist: Sendable, Equatable {
    /// The kinds of changes that a playlist permits (`EXT-X-PLAYLIST-TYPE`).
    package enum Kind: Sendable, Equatable {
        /// The playlist never changes (`VOD`).
        case vod
        /// The playlist changes only by appended segments (`EVENT`).
        case event
    }

    /// The largest duration of a segment in nanoseconds; more than 0 unless the playlist has no segments.
    package let targetDuration: Int64
    /// The changes that the playlist permits; nil if not stated, so that segments may be appended and removed.
    package let kind: Kind?
    /// Whether no segments will be appended (`EXT-X-ENDLIST`).
    package let isEnded: Bool
    /// Whether each segment is a single key frame.
    package let isIFramesOnly: Bool
    /// Whether each segment can be decoded without other segments.
    package let isIndependent: Bool
    /// The position at which playback should start; nil if not stated.
    package let start: PlaylistStart?
    /// The features that the server of a live playlist supports; nil if not stated.
    package let serverControl: ServerControl?
    /// The segments, with consecutive numbers, including the segments that a delta update omits.
    package var segments: [MediaSegment]
    /// The mistakes in the playlist that do not prevent playback; at most ``PlaylistLimits/warnings``.
    package let warnings: [PlaylistError]

    /// Whether the playlist will not change.
    package var isComplete: Bool { isEnded || kind == .vod }

    /// Parses a media playlist.
    ///
    /// - Parameters:
    ///   - bytes: The text in UTF-8.
    ///   - address: The absolute address from which the text came, after all redirects.
    ///   - imports: The variables of the multivariant playlist.
    ///   - knownSegments: The known segments with consecutive numbers, from which a delta update is completed
    ///     (draft-pantos-hls-rfc8216bis, section 6.2.5.1).
    /// - Throws: An error with the reason and the line; `unknownSkippedSegments` if a delta update omits segments that
    ///   are not among `knownSegments`.
    package init(
        _ bytes: [UInt8], address: String, imports: [String: String] = [:], knownSegments: [MediaSegment] = [],
        limits: PlaylistLimits = .init()
    ) throws(PlaylistError) {
        var parser = Parser(
            try PlaylistReader(bytes, address: address, imports: imports, limits: limits), knownSegments: knownSegments)
        try parser.parse()
        segments = parser.segments
        let longestDuration = segments.lazy.map(\.duration).max() ?? 0
        // A target duration of 0 would make the player reload the playlist without a pause.
        targetDuration = max(parser.header.targetDuration ?? longestDuration, segments.isEmpty ? 0 : 1)
        kind = parser.header.kind
        isEnded = parser.header.isEnded
        isIFramesOnly = parser.header.isIFramesOnly
        serverControl = parser.header.serverControl
        isIndependent = parser.reader.isIndependent
        start = parser.reader.start
        warnings = parser.reader.warnings
    }

    /// Creates a playlist whose segments were not read from HLS.
    package init(_ segments: [MediaSegment], targetDuration: Int64, isComplete: Bool, serverControl: ServerControl?) {
        self.segments = segments
        self.targetDuration = max(targetDuration, segments.isEmpty ? 0 : 1)
        self.serverControl = serverControl
        kind = isComplete ? .vod : nil
        (isEnded, isIFramesOnly, isIndependent, start, warnings) = (isComplete, false, true, nil, [])
    }
}
