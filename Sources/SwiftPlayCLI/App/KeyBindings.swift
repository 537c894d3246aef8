import MediaPipeline

/// The key bindings, which follow mpv's defaults.
enum KeyBindings {
    enum Command: Equatable, Sendable {
        case togglePause
        /// Seconds.
        case seek(Double)
        case toggleMute
        case changeVolume(Double)
        case toggleFullScreen, leaveFullScreen
        case step(Int)
        case changeSpeed(Double)
        case resetSpeed
        case togglePictureInPicture
        /// Selects the next or the previous track of a kind.
        case cycleTrack(MediaTrack.Kind, by: Int)
        case toggleSubtitles
        /// Seconds.
        case changeSubtitleDelay(Double)
        /// Changes the scale of subtitles; 1 is the designed size.
        case changeSubtitleScale(Double)
        case next, previous
        case stepABLoop, toggleLoopFile
        case chapter(Int)
        case showControls
        case quit
    }

    static func command(for key: String) -> Command? { table[key] }

    private static let table: [String: Command] = [
        "SPACE": .togglePause, "PLAYPAUSE": .togglePause, "PAUSE": .togglePause, "MBTN_RIGHT": .togglePause,
        "RIGHT": .seek(5), "LEFT": .seek(-5), "UP": .seek(60), "DOWN": .seek(-60), "Shift+RIGHT": .seek(1),
        "Shift+LEFT": .seek(-1),
        "WHEEL_UP": .changeVolume(2), "WHEEL_DOWN": .changeVolume(-2),
        "m": .toggleMute, "MUTE": .toggleMute, "9": .changeVolume(-2), "0": .changeVolume(2), "/": .changeVolume(-2),
        "*": .changeVolume(2),
        "VOLUME_UP": .changeVolume(2), "VOLUME_DOWN": .changeVolume(-2),
        "f": .toggleFullScreen, "MBTN_LEFT_DBL": .toggleFullScreen, "ESC": .leaveFullScreen,
        ".": .step(1), ",": .step(-1), "[": .changeSpeed(1 / 1.1), "]": .changeSpeed(1.1), "{": .changeSpeed(0.5),
        "}": .changeSpeed(2),
        "BS": .resetSpeed, "p": .togglePictureInPicture, ">": .next, "ENTER": .next, "NEXT": .next, "<": .previous,
        "PREV": .previous,
        "l": .stepABLoop, "L": .toggleLoopFile, "PGUP": .chapter(1), "PGDWN": .chapter(-1),
        "#": .cycleTrack(.audio, by: 1), "SHARP": .cycleTrack(.audio, by: 1), "_": .cycleTrack(.video, by: 1),
        "j": .cycleTrack(.subtitle, by: 1), "J": .cycleTrack(.subtitle, by: -1), "v": .toggleSubtitles,
        "z": .changeSubtitleDelay(-0.1), "Z": .changeSubtitleDelay(0.1), "x": .changeSubtitleDelay(0.1),
        "F": .changeSubtitleScale(-0.1), "G": .changeSubtitleScale(0.1),
        "o": .showControls, "P": .showControls,
        "q": .quit, "Q": .quit, "ctrl+c": .quit, "STOP": .quit,
    ]
}
