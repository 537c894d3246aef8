/// The properties of one track of an item or of a separate file that belongs to the item.
package struct MediaTrack: Sendable, Equatable {
    /// The media type of a track.
    package enum Kind: String, Sendable, Hashable, CaseIterable {
        case video, audio, subtitle
    }

    /// The track's identifier within its source: the container's stream index, or ``firstFileID`` and above for
    /// separate files.
    package var id: Int
    /// The media type of the track.
    package var kind: Kind
    /// FFmpeg's name of the codec.
    package var codec: String
    /// The language tag as stored in the container, such as `eng` or `en-US`; nil if it is not stated.
    package var language: String?
    /// The title that the container states; nil if it states none.
    package var title: String?
    /// Whether the container marks the track as the default of its kind.
    package var isDefault = false
    /// Whether the subtitles translate only what viewers of the dubbed version need, such as signs.
    package var isForced = false
    /// Whether the player may show forced subtitles automatically; false if an HLS rendition lacks `AUTOSELECT=YES`.
    package var isAutoselect = true
    /// Whether the track is made for people who cannot hear the audio.
    package var isForHearingImpaired = false
    /// Whether the track describes the video for people who cannot see it.
    package var isForVisualImpaired = false
    /// Whether the track is a commentary, such as the director's.
    package var isCommentary = false
    /// Whether the track is a cover picture instead of video.
    package var isAttachedPicture = false
    /// Whether the subtitles are bitmaps.
    package var isBitmap = false
    /// Whether the track can be chosen; false for subtitles without a decoder.
    package var isPlayable = true
    /// Whether FFmpeg has a decoder for the track. ``isPlayable`` is true for video and audio tracks without a decoder;
    /// the failure is reported when they are chosen.
    package var hasDecoder = true
    /// The width in samples; 0 for audio.
    package var width = 0
    /// The height in samples; 0 for audio.
    package var height = 0
    /// The average number of frames per second; 0 = unknown or not video.
    package var frameRate = 0.0
    /// The sample rate: audio frames per second; 0 if the track is not audio.
    package var sampleRate = 0
    /// The number of audio channels; 0 if the track is not audio.
    package var channels = 0
    /// The bit rate in bits per second; 0 = unknown.
    package var bitRate: Int64 = 0
    /// A description of the codec for people, such as `AAC (Advanced Audio Coding)`; empty if FFmpeg has none.
    package var codecDescription = ""
    /// FFmpeg's name of the format of decoded samples or pixels, such as `fltp` or `yuv420p`; nil if it is unknown.
    package var sampleFormat: String?
    /// FFmpeg's name of the layout of the audio channels, such as `stereo`; nil if the track is not audio.
    package var channelLayout: String?
    /// The path of the separate file that contains the track; nil for a track of the container.
    package var location: String?

    /// Whether the track is in a separate file.
    package var isExternal: Bool { location != nil }
    /// The identifier of the first track in a separate file; smaller identifiers are stream indices of the container.
    package static let firstFileID = 1 << 20
    /// The identifier of the first track of the first separate audio file.
    package static let firstAudioFileID = 1 << 21
    /// The difference between the identifiers of the first tracks of two successive audio files.
    package static let tracksPerAudioFile = 64

    package init(id: Int, kind: Kind, codec: String) {
        self.id = id
        self.kind = kind
        self.codec = codec
    }
}
