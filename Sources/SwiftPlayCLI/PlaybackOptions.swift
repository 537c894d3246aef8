import ArgumentParser

/// The command line options for the course of playback. Names and meanings are mpv's.
struct PlaybackOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Start at this time: seconds, [hh:]mm:ss, 50%, or -10 from the end.", valueName: "time"))
    var start: String?

    @Option(help: ArgumentHelp("Stop at this time.", valueName: "time"))
    var end: String?

    @Option(help: ArgumentHelp("Stop after this time of playback.", valueName: "time"))
    var length: String?

    @Flag(inversion: .prefixedNo, help: "Start paused.")
    var pause = false

    @Option(help: ArgumentHelp("Speed, 0.01 to 100.", valueName: "factor"))
    var speed: Double = 1

    @Option(
        name: [.customLong("loop-file"), .customLong("loop")],
        help: ArgumentHelp("Repeat each file this many times after the first: a number, inf or no.", valueName: "count")
    )
    var loopFile = "no"

    @Option(help: ArgumentHelp("Repeat the part between this time and --ab-loop-b.", valueName: "time"))
    var abLoopA: String?

    @Option(help: ArgumentHelp("The other end of the repeated part.", valueName: "time"))
    var abLoopB: String?

    @Option(
        help: ArgumentHelp(
            "After the last file, stay and show its last picture: yes, no or always (the same as yes).",
            valueName: "yes|no|always"))
    var keepOpen = "no"

    @Option(
        help: ArgumentHelp(
            "Wait without a file: yes, once (until a list has played) or no.", valueName: "yes|once|no"))
    var idle = "no"

    @Option(help: ArgumentHelp("How long a still image is shown: seconds, or inf.", valueName: "seconds"))
    var imageDisplayDuration = "1"

    @Flag(inversion: .prefixedNo, help: "Remember the position of the file when the program quits.")
    var savePositionOnQuit = false

    @Flag(inversion: .prefixedNo, help: "Continue at the remembered position of a file.")
    var resumePlayback = true

    @Option(
        help: ArgumentHelp(
            "Folder of the remembered positions. Default: ~/.local/state/swiftplay/watch_later.",
            valueName: "folder"))
    var watchLaterDir: String?

    /// Checks the values; throws `ValidationError` for an invalid one.
    func validateAll() throws {
        for (name, value) in [("start", start), ("end", end)] {
            if let value, TimePosition(parsing: value) == nil {
                throw ValidationError("--\(name)=\(value) is not a time; use 10, 1:30 or 50%.")
            }
        }
        for (name, value) in [("ab-loop-a", abLoopA), ("ab-loop-b", abLoopB)] {
            if let value, Self.loopPoint(value) == nil {
                throw ValidationError("--\(name)=\(value) is not a time from the start; use 10 or 1:30.")
            }
        }
        guard (0.01...100).contains(speed) else { throw ValidationError("--speed takes 0.01 to 100.") }
        guard LoopCount(parsing: loopFile) != nil else {
            throw ValidationError("--loop-file takes a number, inf or no.")
        }
        guard ["yes", "no", "always"].contains(keepOpen) else {
            throw ValidationError("--keep-open takes yes, no or always.")
        }
        if let length, playingTime(length) == nil {
            throw ValidationError("--length=\(length) is not a time; use 10 or 1:30.")
        }
        guard IdleMode(rawValue: idle) != nil else { throw ValidationError("--idle takes yes, once or no.") }
        guard displayDuration != nil else {
            throw ValidationError("--image-display-duration takes a number of seconds, or inf.")
        }
    }

    /// Returns the time of a point of the A-B loop in seconds; nil unless it counts from the start of the file.
    static func loopPoint(_ text: String) -> Double? {
        guard case .seconds(let time)? = TimePosition(parsing: text) else { return nil }
        return time
    }

    /// Returns a playing time in seconds; nil unless it is a time above 0.
    private func playingTime(_ text: String) -> Double? {
        guard case .seconds(let time)? = TimePosition(parsing: text), time > 0 else { return nil }
        return time
    }

    /// The value of `--image-display-duration` in seconds; nil if it is invalid.
    private var displayDuration: Double? {
        if imageDisplayDuration == "inf" { return .infinity }
        guard let seconds = Double(imageDisplayDuration), (0...1e9).contains(seconds) else { return nil }
        return seconds
    }

    /// The settings that the options describe. The options must be valid.
    var settings: PlaybackSettings {
        PlaybackSettings(
            length: length.flatMap(playingTime), idleMode: IdleMode(rawValue: idle) ?? .no,
            imageDuration: displayDuration ?? 1, savesPosition: savePositionOnQuit, resumes: resumePlayback,
            positionsDirectory: watchLaterDir)
    }
}

/// The program's behaviour when it has no file to play: the value of `--idle`.
enum IdleMode: String, Sendable {
    /// The program ends.
    case no
    /// The program waits for a file, and ends after the list that it then receives.
    case once
    /// The program waits.
    case yes
}

/// The settings for the beginning and the end of playback, as the command line sets them.
struct PlaybackSettings: Sendable {
    /// The time that is played of each file, in seconds; nil for all of it.
    var length: Double?
    var idleMode = IdleMode.no
    /// The time for which a still image is shown, in seconds; infinite if only the user ends it.
    var imageDuration = 1.0
    /// Whether the position of the file is remembered when the program quits.
    var savesPosition = false
    /// Whether files continue at their remembered positions.
    var resumes = true
    /// The folder of the remembered positions; nil for the default.
    var positionsDirectory: String?
}
