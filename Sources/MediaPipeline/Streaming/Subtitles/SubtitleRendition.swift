import HTTPTransfer
import StreamPlaylists

/// A subtitle rendition of a stream, with all that is needed to fetch it on another thread than the stream.
struct SubtitleRendition: Sendable {
    let rendition: Rendition
    /// The address of the rendition's media playlist.
    let address: String
    /// The variables of the multivariant playlist.
    let imports: [String: String]
    let options: HTTPOptions
    let transfers: HTTPTransfers
    /// The manifest of a DASH stream, from which the rendition's media playlist is built; nil for HLS.
    let presentation: PresentationState?
    /// The timeline of the stream.
    let timeline: StreamTimeline
}

extension MediaTrack {
    /// Describes a subtitle rendition as a track.
    init(subtitles rendition: Rendition, id: Int) {
        self.init(id: id, kind: .subtitle, codec: "webvtt")
        (title, language) = (rendition.name, rendition.language)
        (isDefault, isForced) = (rendition.isDefault, rendition.isForced)
        isAutoselect = rendition.isAutoselect
        isForHearingImpaired = rendition.characteristics.contains {
            ["public.accessibility.transcribes-spoken-dialog", "public.accessibility.describes-music-and-sound"]
                .contains($0)
        }
    }
}
