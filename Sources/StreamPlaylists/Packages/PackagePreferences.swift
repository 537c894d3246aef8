/// The parts of a stream that a package contains.
package struct PackagePreferences: Sendable, Hashable {
    /// The largest height of the pictures in pixels, such as 720; 0 for any. The height of a portrait film is its
    /// shorter side.
    package var maximumHeight: Int
    /// The largest peak bit rate in bits per second; 0 for any.
    package var maximumBitRate: Int
    /// The languages of the audio; empty for the audio that the author marked as default.
    package var audioLanguages: [String]
    /// The languages of the subtitles; empty for no subtitles.
    package var subtitleLanguages: [String]

    package init(
        maximumHeight: Int = 0, maximumBitRate: Int = 0, audioLanguages: [String] = [], subtitleLanguages: [String] = []
    ) {
        (self.maximumHeight, self.maximumBitRate) = (maximumHeight, maximumBitRate)
        (self.audioLanguages, self.subtitleLanguages) = (audioLanguages, subtitleLanguages)
    }
}
