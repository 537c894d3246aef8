/// One track of an item, or of a file that belongs to it: facts only.
package struct MediaTrack: Sendable, Equatable {
    package enum Kind: String, Sendable, Hashable, CaseIterable {
        case video, audio, subtitle
    }

    /// Names the track within its source: the container's stream index, or ``externalBase`` and up for files of their
    /// own.
    package var id: Int
    package var kind: Kind
    /// FFmpeg's name of the codec.
    package var codec: String
    /// As the container has it: `eng`, `en-US`; nil where it says nothing.
    package var language: String?
    package var title: String?
    package var isDefault = false
    package var isForced = false
    package var isForHearingImpaired = false
    package var isForVisualImpaired = false
    package var isCommentary = false
    /// A cover, not a film.
    package var isAttachedPicture = false
    /// Subtitles that are pictures.
    package var isBitmap = false
    /// False where no decoder is known: it cannot be chosen.
    package var isPlayable = true
    /// FFmpeg has a decoder for it. ``isPlayable`` is true of video and audio without one: the failure is reported when
    /// they are chosen.
    package var hasDecoder = true
    /// Samples; 0 where it is no picture.
    package var width = 0
    package var height = 0
    package var frameRate = 0.0
    /// Frames per second; 0 where it is no sound.
    package var sampleRate = 0
    package var channels = 0
    /// Bits per second; 0 = unknown.
    package var bitRate: Int64 = 0
    /// The file of its own that it comes from.
    package var location: String?

    package var isExternal: Bool { location != nil }
    package static let externalBase = 1 << 20

    package init(id: Int, kind: Kind, codec: String) {
        self.id = id
        self.kind = kind
        self.codec = codec
    }
}
