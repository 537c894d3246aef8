import MediaPipeline

/// The key bindings, which follow mpv's defaults.
enum KeyBindings {
    /// A command that a key of the keyboard or a mouse button can trigger.
    enum Command: Equatable, Sendable {
        case togglePause
        /// Seeks by a number of seconds; a negative number seeks backward.
        case seek(Double)
        case toggleMute
        /// Changes the volume by percentage points.
        case changeVolume(Double)
        /// `toggleFullScreen` enters or leaves full screen; `leaveFullScreen` never enters it.
        case toggleFullScreen, leaveFullScreen
        /// Steps by a number of frames; a negative number steps backward.
        case stepFrames(Int)
        /// Multiplies the speed by a factor.
        case changeSpeed(Double)
        /// Restores the normal speed.
        case resetSpeed
        case togglePictureInPicture
        /// Selects the next track of a kind (`by` is 1) or the previous track (`by` is -1).
        case cycleTrack(MediaTrack.Kind, by: Int)
        /// Selects the next lower (`by` is 1) or higher (`by` is -1) variant of a stream.
        case cycleVariant(by: Int)
        case toggleSubtitles
        /// Changes the delay of subtitles by a number of seconds.
        case changeSubtitleDelay(Double)
        /// Changes the size factor of subtitles by a difference; a factor of 1 is the normal size.
        case changeSubtitleScale(Double)
        /// Plays the next or the previous file of the playlist.
        case nextFile, previousFile
        /// `setNextABLoopPoint` sets the next point of the A-B loop. `toggleLoopFile` switches the endless repetition
        /// of the file on or off.
        case setNextABLoopPoint, toggleLoopFile
        /// Seeks by a number of chapters; a negative number seeks backward.
        case seekChapters(Int)
        /// Shows the on-screen controls; if the output has none, shows the position as a message.
        case showControls
        case quit
        /// Ends the program and remembers the position of the file.
        case quitSavingPosition
        /// Writes the picture to a file.
        case takeScreenshot(withSubtitles: Bool)
        /// `showStatistics` shows the statistics page for a short time, `toggleStatistics` until it is triggered again.
        case showStatistics, toggleStatistics
        /// Shows or hides the list of keys.
        case toggleKeyList
        /// Changes the delay of audio by a number of seconds.
        case changeAudioDelay(Double)
        /// Changes the vertical position of subtitles by percentage points.
        case changeSubtitlePosition(Double)
    }

    /// Returns the command of a key, given by mpv's name of the key; nil for an unused key.
    static func command(for key: String) -> Command? { table[key] }

    /// The keys with their commands, sorted by mpv's names of the keys.
    static var all: [(key: String, command: Command)] {
        table.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    /// The commands by mpv's key names.
    private static let table: [String: Command] = [
        "SPACE": .togglePause, "PLAYPAUSE": .togglePause, "PAUSE": .togglePause, "MBTN_RIGHT": .togglePause,
        "RIGHT": .seek(5), "LEFT": .seek(-5), "UP": .seek(60), "DOWN": .seek(-60), "Shift+RIGHT": .seek(1),
        "Shift+LEFT": .seek(-1),
        "WHEEL_UP": .changeVolume(2), "WHEEL_DOWN": .changeVolume(-2),
        "m": .toggleMute, "MUTE": .toggleMute, "9": .changeVolume(-2), "0": .changeVolume(2), "/": .changeVolume(-2),
        "*": .changeVolume(2),
        "VOLUME_UP": .changeVolume(2), "VOLUME_DOWN": .changeVolume(-2),
        "f": .toggleFullScreen, "MBTN_LEFT_DBL": .toggleFullScreen, "ESC": .leaveFullScreen,
        ".": .stepFrames(1), ",": .stepFrames(-1), "[": .changeSpeed(1 / 1.1), "]": .changeSpeed(1.1),
        "{": .changeSpeed(0.5), "}": .changeSpeed(2),
        "BS": .resetSpeed, "p": .togglePictureInPicture, ">": .nextFile, "ENTER": .nextFile, "NEXT": .nextFile,
        "<": .previousFile, "PREV": .previousFile,
        "l": .setNextABLoopPoint, "L": .toggleLoopFile, "PGUP": .seekChapters(1), "PGDWN": .seekChapters(-1),
        "#": .cycleTrack(.audio, by: 1), "_": .cycleTrack(.video, by: 1),
        "h": .cycleVariant(by: 1), "H": .cycleVariant(by: -1),
        "j": .cycleTrack(.subtitle, by: 1), "J": .cycleTrack(.subtitle, by: -1), "v": .toggleSubtitles,
        "z": .changeSubtitleDelay(-0.1), "Z": .changeSubtitleDelay(0.1), "x": .changeSubtitleDelay(0.1),
        "F": .changeSubtitleScale(-0.1), "G": .changeSubtitleScale(0.1),
        "r": .changeSubtitlePosition(-1), "R": .changeSubtitlePosition(1), "t": .changeSubtitlePosition(1),
        "ctrl++": .changeAudioDelay(0.1), "ctrl+-": .changeAudioDelay(-0.1),
        "s": .takeScreenshot(withSubtitles: true), "S": .takeScreenshot(withSubtitles: false),
        "i": .showStatistics, "I": .toggleStatistics, "?": .toggleKeyList,
        "o": .showControls, "P": .showControls,
        "q": .quit, "Q": .quitSavingPosition, "ctrl+c": .quit, "STOP": .quit,
    ]
}
