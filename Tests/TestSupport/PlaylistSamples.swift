import StreamPlaylists

/// Parses HLS playlists for the tests.
package enum PlaylistSamples {
    /// The default address of the parsed playlists.
    package static let address = "https://a.example/films/one/index.m3u8?token=7"

    /// Parses a media playlist that consists of `#EXTM3U` and `lines`.
    package static func mediaPlaylist(
        _ lines: String, address: String = address, imports: [String: String] = [:],
        previousSegments: [MediaSegment] = [], limits: PlaylistLimits = .init()
    ) throws(PlaylistError) -> MediaPlaylist {
        try MediaPlaylist(
            Array("#EXTM3U\n\(lines)".utf8), address: address, imports: imports, knownSegments: previousSegments,
            limits: limits)
    }

    /// Parses a multivariant playlist that consists of `#EXTM3U` and `lines`.
    package static func multivariantPlaylist(
        _ lines: String, address: String = address, limits: PlaylistLimits = .init()
    ) throws(PlaylistError) -> MultivariantPlaylist {
        try MultivariantPlaylist(Array("#EXTM3U\n\(lines)".utf8), address: address, limits: limits)
    }

    /// Returns the error with which parsing a media playlist fails; nil if the playlist is accepted.
    package static func mediaError(_ lines: String, address: String = address, limits: PlaylistLimits = .init())
        -> PlaylistError?
    {
        do throws(PlaylistError) {
            _ = try mediaPlaylist(lines, address: address, limits: limits)
            return nil
        } catch {
            return error
        }
    }

    /// Creates a live playlist whose segments have the given durations in seconds.
    ///
    /// - Parameters:
    ///   - firstNumber: The number of the first segment.
    ///   - target: The target duration in seconds.
    package static func livePlaylist(
        _ firstNumber: Int, _ durations: [Int], target: Int = 4, header: String = "", end: String = ""
    ) throws(PlaylistError) -> MediaPlaylist {
        var text = "#EXT-X-TARGETDURATION:\(target)\n#EXT-X-MEDIA-SEQUENCE:\(firstNumber)\n\(header)\n"
        for (index, duration) in durations.enumerated() { text += "#EXTINF:\(duration),\n\(firstNumber + index).ts\n" }
        return try mediaPlaylist(text + end)
    }
}

extension Int {
    /// This number of seconds in nanoseconds.
    package var seconds: Int64 { Int64(self) * 1_000_000_000 }
}
