/// A control over a player's picture.
enum PlayerControl: CaseIterable, Sendable {
    case playPause, mute, volume
    /// The position and the duration, as text.
    case time
    case audioTracks, subtitles, pictureInPicture, fullScreen
    case scrubber
}
