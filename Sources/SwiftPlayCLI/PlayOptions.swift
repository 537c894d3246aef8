import ArgumentParser
import AudioPolicy
import SwiftPlayKit

/// The command line options of `swiftplay`. Names and meanings follow mpv where mpv has the option.
struct PlayOptions: ParsableCommand {
    @Argument(help: ArgumentHelp("The files, addresses or playlists to play.", valueName: "file"))
    var files: [String] = []

    @Flag(help: "Begin in Picture-in-Picture.")
    var pip = false

    @Option(help: ArgumentHelp("Start at this time: seconds, [hh:]mm:ss, 50%, or -10 from the end.", valueName: "time"))
    var start: String?

    @Option(help: ArgumentHelp("Stop at this time.", valueName: "time"))
    var end: String?

    @Flag(inversion: .prefixedNo, help: "Start paused.")
    var pause = false

    @Option(help: ArgumentHelp("Volume, 0 to 130; 100 is the level of the recording.", valueName: "percent"))
    var volume: Double = 100

    @Flag(inversion: .prefixedNo, help: "Start muted.")
    var mute = false

    @Option(help: ArgumentHelp("Speed, 0.01 to 100.", valueName: "factor"))
    var speed: Double = 1

    @Flag(inversion: .prefixedNo, help: "Keep the pitch at other speeds.")
    var audioPitchCorrection = true

    @Option(
        help: ArgumentHelp("Repeat each file this many times after the first: a number, inf or no.", valueName: "count")
    )
    var loopFile = "no"

    @Option(help: ArgumentHelp("Play the whole list this many times: a number, inf or no.", valueName: "count"))
    var loopPlaylist = "no"

    @Flag(help: "Play the files in random order.")
    var shuffle = false

    @Option(help: ArgumentHelp("Repeat the part between this time and --ab-loop-b.", valueName: "time"))
    var abLoopA: String?

    @Option(help: ArgumentHelp("The other end of the repeated part.", valueName: "time"))
    var abLoopB: String?

    @Option(
        help: ArgumentHelp(
            "Play files without gaps: yes (always), weak (if sample rate and channels match) or no.",
            valueName: "yes|weak|no"))
    var gaplessAudio = "weak"

    @Option(
        help: ArgumentHelp(
            "After the last file, stay and show its last picture: yes, no or always (the same as yes).",
            valueName: "yes|no|always"))
    var keepOpen = "no"

    @Flag(name: [.customLong("fullscreen"), .customLong("fs")], inversion: .prefixedNo, help: "Fill the screen.")
    var fullscreen = false

    @Flag(inversion: .prefixedNo, help: "Show controls over the picture in a window.")
    var osc = true

    @Flag(inversion: .prefixedNo, help: "Prevent the screensaver while video plays in a window.")
    var stopScreensaver = true

    @Option(
        help: ArgumentHelp(
            "Size and position of the window: [W[xH]][+x+y], numbers or percentages.", valueName: "geometry"))
    var geometry: String?

    @Option(
        help: ArgumentHelp(
            "Use the X Present extension to show frames between two refreshes: auto, yes or no.",
            valueName: "mode"))
    var x11Present = "auto"

    @Option(
        help: ArgumentHelp(
            """
            Video output: x11, terminal (or tct, sixel, kitty) or null. Default: x11 if there is a display, else \
            terminal if the output is a terminal, else null.
            """,
            valueName: "output"))
    var vo: String?

    @Option(
        help: ArgumentHelp(
            "Show one picture per field: auto (if the video is flagged as interlaced), yes (always) or no.",
            valueName: "auto|yes|no"))
    var deinterlace = "auto"

    @Option(
        help: ArgumentHelp(
            "Number of video decoder threads, 1 to 16; 0 selects a number that suits video and machine.",
            valueName: "number"))
    var vdLavcThreads = 0

    @Option(help: ArgumentHelp("Audio output: alsa or null.", valueName: "output"))
    var ao: String?

    @Option(help: ArgumentHelp("ALSA device, such as alsa/hw:0; help lists all devices.", valueName: "device"))
    var audioDevice: String?

    @OptionGroup(title: "Audio session") var session: SessionOptions

    @Option(
        help: ArgumentHelp(
            "Channel layout of the device: auto-safe, auto, or a list such as stereo,5.1,7.1.", valueName: "channels"))
    var audioChannels = "auto-safe"

    @Option(help: ArgumentHelp("Title of the window.", valueName: "text"))
    var title: String?

    @Option(
        help: ArgumentHelp(
            "Log levels, such as all=warn,player=debug: no, fatal, error, warn, info, debug, trace.",
            valueName: "levels"))
    var msgLevel = "all=warn"

    @Option(help: ArgumentHelp("Serve mpv's JSON IPC at this socket.", valueName: "path"))
    var inputIpcServer: String?

    @Flag(inversion: .prefixedNo, help: "Publish the player on the session bus and handle media keys (MPRIS).")
    var mpris = true

    @Flag(help: "Ignore timestamps; with --vo=null --ao=null, decode as fast as possible.")
    var untimed = false

    @Option(help: ArgumentHelp("Write playback statistics as JSON at the end.", valueName: "file"))
    var stats: String?

    @Option(
        help: ArgumentHelp(
            "Write a line for each decoded frame: pts, width, height, pixel format, MD5.", valueName: "file"))
    var frameChecksums: String?

    @Option(
        help: ArgumentHelp(
            "Write a line for each decoded audio block: pts, rate, channels, sample format, samples, MD5.",
            valueName: "file"))
    var soundChecksums: String?

    @OptionGroup(title: "Tracks and subtitles") var tracks: TrackOptions

    @OptionGroup(title: "Network") var network: NetworkOptions

    /// Checks the values of all options; throws `ValidationError` for an invalid value.
    func validate() throws {
        if audioDevice == "help" { throw CleanExit.message(Self.deviceList(Player.audioDevices)) }
        try tracks.validateAll()
        try network.validateAll()
        try session.validateAll()
        guard !files.isEmpty else { throw ValidationError("No file given. Name at least one file or address to play.") }
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
        guard LoopCount(parsing: loopPlaylist) != nil else {
            throw ValidationError("--loop-playlist takes a number, inf or no.")
        }
        guard Player.GaplessAudio(rawValue: gaplessAudio) != nil else {
            throw ValidationError("--gapless-audio takes yes, weak or no.")
        }
        if let geometry, !PlayerWindow.isGeometry(geometry) {
            throw ValidationError("--geometry=\(geometry) is not a geometry; use 640x360+10+10 or 50%.")
        }
        guard (0...130).contains(volume) else { throw ValidationError("--volume takes 0 to 130.") }
        guard (0.01...100).contains(speed) else { throw ValidationError("--speed takes 0.01 to 100.") }
        guard LoopCount(parsing: loopFile) != nil else {
            throw ValidationError("--loop-file takes a number, inf or no.")
        }
        guard ["yes", "no", "always"].contains(keepOpen) else {
            throw ValidationError("--keep-open takes yes, no or always.")
        }
        guard Player.Deinterlacing(name: deinterlace) != nil else {
            throw ValidationError("--deinterlace takes auto, yes or no.")
        }
        guard (0...16).contains(vdLavcThreads) else { throw ValidationError("--vd-lavc-threads takes 0 to 16.") }
        if let vo, VideoOutputOption(parsing: vo) == nil {
            throw ValidationError("--vo=\(vo) is not known; use x11, terminal (tct, sixel, kitty) or null.")
        }
        guard PlayerWindow.X11Present(rawValue: x11Present) != nil else {
            throw ValidationError("--x11-present takes auto, yes or no.")
        }
        if let ao, !["alsa", "null"].contains(ao) {
            throw ValidationError("--ao=\(ao) is not known; use alsa or null.")
        }
        guard Player.AudioChannels(audioChannels) != nil else {
            throw ValidationError(
                "--audio-channels=\(audioChannels) is not known; use auto-safe, auto, stereo or 5.1.")
        }
        guard LogLevels(parsing: msgLevel) != nil else {
            throw ValidationError("--msg-level=\(msgLevel) is not valid; use all=warn or player=debug.")
        }
    }

    /// Returns the text of `--audio-device=help` in mpv's format: the names and titles of the audio devices.
    static func deviceList(_ devices: [Player.AudioDevice]) -> String {
        let lines = [("auto", "Autoselect device")] + devices.map { ("alsa/" + $0.name, $0.title) }
        return "List of detected audio devices:\n" + lines.map { "  '\($0)' (\($1))" }.joined(separator: "\n")
    }

    /// Returns the time of a point of the A-B loop in seconds; nil unless it counts from the start of the file.
    private static func loopPoint(_ text: String) -> Double? {
        guard case .seconds(let time)? = TimePosition(parsing: text) else { return nil }
        return time
    }

    /// Returns the settings that the options describe. The options must be valid.
    func settings() throws -> PlaySettings {
        var settings = initialSettings
        settings.playlistLoop = LoopCount(parsing: loopPlaylist)?.withoutFirstPlayback ?? .times(0)
        settings.shufflesPlaylist = shuffle
        settings.session = session.configuration
        settings.network = network.settings
        settings.stopsScreenSaver = stopScreensaver
        settings.keepsPitch = audioPitchCorrection
        settings.showsControls = osc
        settings.publishesNowPlaying = mpris
        settings.abLoopA = abLoopA.flatMap(Self.loopPoint)
        settings.abLoopB = abLoopB.flatMap(Self.loopPoint)
        settings.decoderThreadCount = vdLavcThreads == 0 ? nil : vdLavcThreads
        settings.gaplessAudio = Player.GaplessAudio(rawValue: gaplessAudio) ?? .whereFormatsMatch
        return settings
    }

    /// The settings of the options that the initializer of ``PlaySettings`` accepts; the other settings have their
    /// defaults.
    private var initialSettings: PlaySettings {
        PlaySettings(
            files: files, startsInPictureInPicture: pip, start: start.flatMap(TimePosition.init(parsing:)),
            end: end.flatMap(TimePosition.init(parsing:)), isPaused: pause, volume: volume, isMuted: mute, speed: speed,
            fileLoop: LoopCount(parsing: loopFile) ?? .times(0), keepsOpen: keepOpen != "no", isFullScreen: fullscreen,
            geometry: geometry,
            videoOutput: vo.flatMap(VideoOutputOption.init(parsing:)),
            deinterlacing: Player.Deinterlacing(name: deinterlace) ?? .automatic, audioOutput: ao,
            audioDevice: audioDevice,
            audioChannels: Player.AudioChannels(audioChannels) ?? .automaticSafe, title: title,
            logLevels: LogLevels(parsing: msgLevel) ?? LogLevels(), ipcPath: inputIpcServer, isUntimed: untimed,
            statisticsPath: stats,
            frameChecksumPath: frameChecksums, audioChecksumPath: soundChecksums,
            x11Present: PlayerWindow.X11Present(rawValue: x11Present) ?? .auto, tracks: tracks.settings)
    }
}
