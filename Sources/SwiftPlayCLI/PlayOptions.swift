import ArgumentParser
import AudioPolicy
import SwiftPlayKit

/// The options of the command line. Names and meanings follow mpv where mpv has the option.
struct PlayOptions: ParsableArguments {
    @Argument(help: ArgumentHelp("What to play.", valueName: "file"))
    var files: [String] = []

    @Flag(help: "Begin in Picture-in-Picture.")
    var pip = false

    @Option(help: ArgumentHelp("Start there: seconds, [hh:]mm:ss, 50%, or -10 from the end.", valueName: "time"))
    var start: String?

    @Option(help: ArgumentHelp("End there.", valueName: "time"))
    var end: String?

    @Flag(inversion: .prefixedNo, help: "Start paused.")
    var pause = false

    @Option(help: ArgumentHelp("Volume, 0 to 130; 100 is as recorded.", valueName: "percent"))
    var volume: Double = 100

    @Flag(inversion: .prefixedNo, help: "Start without sound.")
    var mute = false

    @Option(help: ArgumentHelp("Speed, 0.01 to 100.", valueName: "factor"))
    var speed: Double = 1

    @Flag(inversion: .prefixedNo, help: "Keep the pitch at another speed; else it follows.")
    var audioPitchCorrection = true

    @Option(help: ArgumentHelp("Play each file so many times more: a number, inf or no.", valueName: "count"))
    var loopFile = "no"

    @Option(help: ArgumentHelp("Play the whole list so many times: a number, inf or no.", valueName: "count"))
    var loopPlaylist = "no"

    @Flag(help: "Play the files in another order each time.")
    var shuffle = false

    @Option(help: ArgumentHelp("Play the part between this time and --ab-loop-b over and over.", valueName: "time"))
    var abLoopA: String?

    @Option(help: ArgumentHelp("Where that part ends.", valueName: "time"))
    var abLoopB: String?

    @Option(
        help: ArgumentHelp(
            "Join the sound of files: yes (always), weak (where rate and channels are the same) or no.",
            valueName: "yes|weak|no"))
    var gaplessAudio = "weak"

    @Option(
        help: ArgumentHelp(
            "At the end of the last file stay and show its last picture: yes or no.", valueName: "yes|no"))
    var keepOpen = "no"

    @Flag(name: [.customLong("fullscreen"), .customLong("fs")], inversion: .prefixedNo, help: "Fill the screen.")
    var fullscreen = false

    @Flag(inversion: .prefixedNo, help: "Controls over the picture, in a window.")
    var osc = true

    @Flag(inversion: .prefixedNo, help: "Hold the screensaver back while video plays in a window.")
    var stopScreensaver = true

    @Option(
        help: ArgumentHelp("Window's size and place: [W[xH]][+x+y], numbers or percentages.", valueName: "geometry"))
    var geometry: String?

    @Option(
        help: ArgumentHelp(
            "X11: show pictures between two refreshes of the screen: auto, yes or no (without the Present extension).",
            valueName: "mode"))
    var x11Present = "auto"

    @Option(
        help: ArgumentHelp(
            "Where pictures go: x11, terminal (or tct, sixel, kitty), null. Without it the first that is there.",
            valueName: "output"))
    var vo: String?

    @Option(
        help: ArgumentHelp(
            "Deinterlace pictures, one of each field: auto (those flagged as interlaced), yes (all) or no.",
            valueName: "auto|yes|no"))
    var deinterlace = "auto"

    @Option(
        help: ArgumentHelp(
            "Threads that decode the picture: 1 to 16, 0 = what suits the picture and the machine.", valueName: "number"
        ))
    var vdLavcThreads = 0

    @Option(help: ArgumentHelp("Where sound goes: alsa or null.", valueName: "output"))
    var ao: String?

    @Option(help: ArgumentHelp("ALSA device, as in alsa/hw:0; help lists them.", valueName: "device"))
    var audioDevice: String?

    @OptionGroup(title: "Sound beside other programs") var session: SessionOptions

    @Option(
        help: ArgumentHelp(
            "Channels of the device: auto-safe, auto, or mono, stereo, 5.1, 7.1 … with commas.", valueName: "channels"))
    var audioChannels = "auto-safe"

    @Option(help: ArgumentHelp("The window's title.", valueName: "text"))
    var title: String?

    @Option(
        help: ArgumentHelp(
            "What is logged: all=warn,player=debug; levels no, error, warn, info, debug, trace.", valueName: "levels"))
    var msgLevel = "all=warn"

    @Option(help: ArgumentHelp("Serve mpv's JSON IPC at this path.", valueName: "path"))
    var inputIpcServer: String?

    @Flag(inversion: .prefixedNo, help: "Be seen by the desktop, and obey its media keys (MPRIS).")
    var mpris = true

    @Flag(help: "Do not wait for a picture's time: with --vo=null --ao=null, decode as fast as possible.")
    var untimed = false

    @Option(help: ArgumentHelp("Write figures of what was played, as JSON, at the end.", valueName: "file"))
    var stats: String?

    @Option(
        help: ArgumentHelp(
            "Write a line for each decoded frame: pts, width, height, pixel format, MD5.", valueName: "file"))
    var frameChecksums: String?

    @Option(
        help: ArgumentHelp(
            "Write a line for each decoded block of sound: pts, rate, channels, sample format, samples, MD5.",
            valueName: "file"))
    var soundChecksums: String?

    @OptionGroup(title: "Tracks and subtitles") var tracks: TrackOptions

    @OptionGroup(title: "Addresses") var network: NetworkOptions

    func validateAll() throws {
        if audioDevice == "help" { throw CleanExit.message(Self.deviceList(Player.audioDevices)) }
        try tracks.validateAll()
        try network.validateAll()
        try session.validateAll()
        guard !files.isEmpty else { throw ValidationError("Name a file to play.") }
        for (name, value) in [("start", start), ("end", end)] {
            if let value, TimePosition(parsing: value) == nil {
                throw ValidationError("--\(name)=\(value) is no time; write 10, 1:30 or 50%.")
            }
        }
        for (name, value) in [("ab-loop-a", abLoopA), ("ab-loop-b", abLoopB)] {
            if let value, Self.loopPoint(value) == nil {
                throw ValidationError("--\(name)=\(value) is no time from the start; write 10 or 1:30.")
            }
        }
        guard LoopCount(parsing: loopPlaylist) != nil else {
            throw ValidationError("--loop-playlist takes a number, inf or no.")
        }
        guard Player.GaplessAudio(rawValue: gaplessAudio) != nil else {
            throw ValidationError("--gapless-audio takes yes, weak or no.")
        }
        if let geometry, !PlayerWindow.isGeometry(geometry) {
            throw ValidationError("--geometry=\(geometry) is none; write 640x360+10+10 or 50%.")
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
        if let vo, PictureOutput(parsing: vo) == nil {
            throw ValidationError("--vo=\(vo) is not known; there are x11, terminal (tct, sixel, kitty) and null.")
        }
        guard PlayerWindow.X11Present(rawValue: x11Present) != nil else {
            throw ValidationError("--x11-present takes auto, yes or no.")
        }
        if let ao, !["alsa", "null"].contains(ao) {
            throw ValidationError("--ao=\(ao) is not known; there are alsa and null.")
        }
        guard Player.AudioChannels(audioChannels) != nil else {
            throw ValidationError(
                "--audio-channels=\(audioChannels) is not known; write auto-safe, auto, stereo or 5.1.")
        }
        guard LogLevels(parsing: msgLevel) != nil else {
            throw ValidationError("--msg-level=\(msgLevel): write all=warn or player=debug.")
        }
    }

    /// As mpv lists them.
    static func deviceList(_ devices: [Player.AudioDevice]) -> String {
        let lines = [("auto", "Autoselect device")] + devices.map { ("alsa/" + $0.name, $0.title) }
        return "List of detected audio devices:\n" + lines.map { "  '\($0)' (\($1))" }.joined(separator: "\n")
    }

    private static func loopPoint(_ text: String) -> Double? {
        guard case .seconds(let time)? = TimePosition(parsing: text) else { return nil }
        return time
    }

    func settings() throws -> PlaySettings {
        var settings = plainSettings
        settings.listLoop = LoopCount(parsing: loopPlaylist)?.withoutFirst ?? .times(0)
        settings.shuffles = shuffle
        settings.session = session.configuration
        settings.tlsVerification = network.tlsVerification
        settings.stopsScreenSaver = stopScreensaver
        settings.keepsPitch = audioPitchCorrection
        settings.showsControls = osc
        settings.isSeenByDesktop = mpris
        settings.abLoopA = abLoopA.flatMap(Self.loopPoint)
        settings.abLoopB = abLoopB.flatMap(Self.loopPoint)
        settings.decoderThreads = vdLavcThreads == 0 ? nil : vdLavcThreads
        settings.gaplessAudio = Player.GaplessAudio(rawValue: gaplessAudio) ?? .whereFormatsMatch
        return settings
    }

    private var plainSettings: PlaySettings {
        PlaySettings(
            files: files, startsInPictureInPicture: pip, start: start.flatMap(TimePosition.init(parsing:)),
            end: end.flatMap(TimePosition.init(parsing:)), isPaused: pause, volume: volume, isMuted: mute, speed: speed,
            loop: LoopCount(parsing: loopFile) ?? .times(0), keepsOpen: keepOpen != "no", isFullScreen: fullscreen,
            geometry: geometry,
            picture: vo.flatMap(PictureOutput.init(parsing:)),
            deinterlacing: Player.Deinterlacing(name: deinterlace) ?? .automatic, sound: ao, soundDevice: audioDevice,
            channels: Player.AudioChannels(audioChannels) ?? .automaticSafe, title: title,
            logLevels: LogLevels(parsing: msgLevel) ?? LogLevels(), ipcPath: inputIpcServer, isUntimed: untimed,
            statisticsPath: stats,
            checksumPath: frameChecksums, soundChecksumPath: soundChecksums,
            x11Present: PlayerWindow.X11Present(rawValue: x11Present) ?? .auto, tracks: tracks.settings)
    }
}
