/// A part of the controls over a player's picture.
enum PlayerControl: CaseIterable, Sendable {
    case playPause, mute, volume
    /// Position and duration: to be read only.
    case time
    case audioTracks, subtitles, pictureInPicture, fullScreen
    case scrubber
}
