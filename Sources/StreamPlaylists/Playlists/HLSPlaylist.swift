/// An HLS playlist of either kind (RFC 8216, section 4.1).
package enum HLSPlaylist: Sendable, Equatable {
    /// A playlist that lists variants of one item.
    case multivariant(MultivariantPlaylist)
    /// A playlist that lists the segments of one variant.
    case media(MediaPlaylist)

    /// Parses a playlist whose kind is not known.
    ///
    /// - Parameters:
    ///   - bytes: The text in UTF-8.
    ///   - address: The absolute address from which the text came, after all redirects.
    /// - Throws: An error with the reason and the line; `notHLS` for a list of files without any HLS tag.
    package init(_ bytes: [UInt8], address: String, limits: PlaylistLimits = .init()) throws(PlaylistError) {
        // Creating the reader checks the size and the first line of the text.
        _ = try PlaylistReader(bytes, address: address, imports: [:], limits: limits)
        let names = PlaylistLines(bytes).lazy.compactMap { PlaylistTag($0)?.name }
        guard let name = names.first(where: { Self.multivariantTags.contains($0) || Self.mediaTags.contains($0) })
        else {
            throw PlaylistError(.notHLS)
        }
        if Self.multivariantTags.contains(name) {
            self = .multivariant(try MultivariantPlaylist(bytes, address: address, limits: limits))
        } else {
            self = .media(try MediaPlaylist(bytes, address: address, limits: limits))
        }
    }

    /// The tags that occur only in multivariant playlists (RFC 8216, section 4.3.4).
    package static let multivariantTags: Set = [
        "EXT-X-STREAM-INF", "EXT-X-MEDIA", "EXT-X-I-FRAME-STREAM-INF", "EXT-X-SESSION-DATA", "EXT-X-SESSION-KEY",
        "EXT-X-CONTENT-STEERING",
    ]

    /// The tags that occur only in media playlists (RFC 8216, sections 4.3.2 and 4.3.3). `EXTINF` is not among them:
    /// lists of files for music players have it too.
    package static let mediaTags: Set = [
        "EXT-X-TARGETDURATION", "EXT-X-MEDIA-SEQUENCE", "EXT-X-DISCONTINUITY-SEQUENCE", "EXT-X-ENDLIST",
        "EXT-X-PLAYLIST-TYPE", "EXT-X-I-FRAMES-ONLY", "EXT-X-PART-INF", "EXT-X-SERVER-CONTROL", "EXT-X-BYTERANGE",
        "EXT-X-DISCONTINUITY", "EXT-X-KEY", "EXT-X-MAP", "EXT-X-PROGRAM-DATE-TIME", "EXT-X-GAP", "EXT-X-BITRATE",
        "EXT-X-PART", "EXT-X-SKIP",
    ]
}
