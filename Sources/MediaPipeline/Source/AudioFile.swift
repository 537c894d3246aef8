/// A separate file whose audio tracks are added to an item.
package struct AudioFile: Sendable, Equatable {
    /// The path or address of the file.
    package var location: String
    /// The title of the tracks; nil uses the titles in the file.
    package var title: String?
    /// The language of the tracks; nil uses the languages in the file.
    package var language: String?
    /// Whether the file's first track is selected once the file is open.
    package var isSelected: Bool

    package init(location: String, title: String? = nil, language: String? = nil, isSelected: Bool = false) {
        (self.location, self.title, self.language, self.isSelected) = (location, title, language, isSelected)
    }
}

/// A change of the separate audio files of an open item.
package enum AudioFileChange: Sendable, Equatable {
    case add(AudioFile)
    /// Removes the file that contains the track with this identifier.
    case remove(track: Int)
}

/// A separate audio file that was opened on a thread of its own.
struct OpenedAudioFile: Sendable {
    let reader: AudioFileReader
    /// Whether the file's first track is selected.
    let isSelected: Bool
    /// The reason why the file cannot be played; nil if it is open.
    let error: MediaError?
}

/// The audio tracks of a separate file, and their formats by track identifier.
struct AudioFileContents: Sendable {
    var tracks: [MediaTrack]
    var formats: [Int: CodecParameters]
}
