@testable import MediaPipeline
@testable import StreamPlaylists

/// Parses DASH manifests, and returns parts of manifests, for the tests.
enum ManifestSamples {
    /// The address of the parsed manifests.
    static let address = "https://a.example/films/one/film.mpd?token=7"

    /// Parses a manifest whose `MPD` element has the given content and attributes.
    static func presentation(
        _ content: String, _ attributes: String = #"type="static" mediaPresentationDuration="PT12S""#
    ) throws(ManifestError) -> MediaPresentation {
        try MediaPresentation(Array("<MPD \(attributes)>\(content)</MPD>".utf8), address: address)
    }

    /// Returns the error with which parsing a manifest fails; nil if the manifest is accepted.
    static func error(_ text: String) -> ManifestError? {
        do throws(ManifestError) {
            _ = try MediaPresentation(Array(text.utf8), address: address)
            return nil
        } catch { return error }
    }

    /// Returns an adaptation set with one video representation.
    static func video(_ segments: String, id: String = "v", attributes: String = "") -> String {
        """
        <AdaptationSet contentType="video" \(attributes)>
        <Representation id="\(id)" bandwidth="1000" codecs="avc1.64001e">\(segments)</Representation></AdaptationSet>
        """
    }

    /// Returns the media playlist of a presentation's first track.
    ///
    /// - Parameter previousSegments: The segments of the playlist that an earlier manifest described.
    static func playlist(
        _ presentation: MediaPresentation, now: Int64? = nil, previousSegments: [MediaSegment] = []
    ) throws(ManifestError) -> MediaPlaylist {
        let tracks = try PresentationTracks(presentation, address: address)
        var builder = PresentationPlaylistBuilder(presentation)
        (builder.now, builder.previousSegments) = (now, previousSegments)
        for (index, period) in presentation.periods.enumerated() { builder.discontinuities[period.id] = index }
        guard let track = tracks.tracks["track-0"] else { throw ManifestError(.noMedia) }
        return try builder.playlist(track)
    }
}
