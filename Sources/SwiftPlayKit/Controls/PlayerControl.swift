/// A control over a player's picture.
enum PlayerControl: CaseIterable, Sendable {
    /// The buttons that play the previous and the next item of a playlist.
    case previous, next
    /// The button that plays or pauses, the button that mutes, and the volume slider.
    case playPause, mute, volume
    /// The text of the playback position and the duration.
    case time
    /// The buttons at the right end of the control panel, from left to right.
    case quality, audioTracks, subtitles, pictureInPicture, fullScreen
    /// The slider that shows and changes the playback position.
    case scrubber
}
