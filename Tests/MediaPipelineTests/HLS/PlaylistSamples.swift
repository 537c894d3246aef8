@testable import MediaPipeline

/// Functions that the tests use to parse HLS playlists.
enum PlaylistSamples {
    /// The default address of the parsed playlists.
    static let address = "https://a.example/films/one/index.m3u8?token=7"

    /// Parses a media playlist that consists of `#EXTM3U` and `lines`.
    static func media(
        _ lines: String, address: String = address, imports: [String: String] = [:], known: [MediaSegment] = [],
        limits: PlaylistLimits = .init()
    ) throws(PlaylistError) -> MediaPlaylist {
        try MediaPlaylist(
            Array("#EXTM3U\n\(lines)".utf8), address: address, imports: imports, known: known, limits: limits)
    }

    /// Parses a multivariant playlist that consists of `#EXTM3U` and `lines`.
    static func multivariant(
        _ lines: String, address: String = address, limits: PlaylistLimits = .init()
    ) throws(PlaylistError) -> MultivariantPlaylist {
        try MultivariantPlaylist(Array("#EXTM3U\n\(lines)".utf8), address: address, limits: limits)
    }

    /// Returns the error with which parsing a media playlist fails; nil if the playlist is accepted.
    static func mediaError(_ lines: String, address: String = address, limits: PlaylistLimits = .init())
        -> PlaylistError?
    {
        do throws(PlaylistError) {
            _ = try media(lines, address: address, limits: limits)
            return nil
        } catch {
            return error
        }
    }

    /// Creates a live playlist whose segments have the given durations in seconds; `first` is the number of the first
    /// segment.
    static func live(
        _ first: Int, _ durations: [Int], target: Int = 4, header: String = "", end: String = ""
    ) throws(PlaylistError) -> MediaPlaylist {
        var text = "#EXT-X-TARGETDURATION:\(target)\n#EXT-X-MEDIA-SEQUENCE:\(first)\n\(header)\n"
        for (index, duration) in durations.enumerated() { text += "#EXTINF:\(duration),\n\(first + index).ts\n" }
        return try media(text + end)
    }
}

extension Int {
    /// This number, taken as seconds, in nanoseconds.
    var seconds: Int64 { Int64(self) * 1_000_000_000 }
}
