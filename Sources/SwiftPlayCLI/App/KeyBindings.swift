/// What the keys do: mpv's defaults for the keys we serve. Pure.
enum KeyBindings {
    enum Command: Equatable, Sendable {
        case togglePause
        /// Seconds.
        case seek(Double)
        case toggleMute
        case changeVolume(Double)
        case toggleFullScreen, leaveFullScreen
        case step(Int)
        case changeSpeed(Double), resetSpeed
        case togglePictureInPicture
        case next, previous
        case stepABLoop, toggleLoopFile
        case chapter(Int)
        case quit
    }

    static func command(for key: String) -> Command? { table[key] }

    private static let table: [String: Command] = [
        "SPACE": .togglePause, "PLAYPAUSE": .togglePause, "PAUSE": .togglePause, "MBTN_RIGHT": .togglePause,
        "RIGHT": .seek(5), "LEFT": .seek(-5), "UP": .seek(60), "DOWN": .seek(-60), "Shift+RIGHT": .seek(1), "Shift+LEFT": .seek(-1),
        "WHEEL_UP": .changeVolume(2), "WHEEL_DOWN": .changeVolume(-2),
        "m": .toggleMute, "MUTE": .toggleMute, "9": .changeVolume(-2), "0": .changeVolume(2), "/": .changeVolume(-2), "*": .changeVolume(2),
        "VOLUME_UP": .changeVolume(2), "VOLUME_DOWN": .changeVolume(-2),
        "f": .toggleFullScreen, "MBTN_LEFT_DBL": .toggleFullScreen, "ESC": .leaveFullScreen,
        ".": .step(1), ",": .step(-1), "[": .changeSpeed(1 / 1.1), "]": .changeSpeed(1.1), "{": .changeSpeed(0.5), "}": .changeSpeed(2),
        "BS": .resetSpeed, "p": .togglePictureInPicture, ">": .next, "ENTER": .next, "NEXT": .next, "<": .previous, "PREV": .previous,
        "l": .stepABLoop, "L": .toggleLoopFile, "PGUP": .chapter(1), "PGDWN": .chapter(-1),
        "q": .quit, "Q": .quit, "ctrl+c": .quit, "STOP": .quit,
    ]
}
