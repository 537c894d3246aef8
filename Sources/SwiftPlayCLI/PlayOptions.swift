import ArgumentParser
import AudioPolicy
import SwiftPlayKit

/// The command line options of `swiftplay`. Names and meanings follow mpv where mpv has the option.
struct PlayOptions: ParsableCommand {
    @Argument(help: ArgumentHelp("The files, addresses or playlists to play.", valueName: "file"), completion: .file())
    var files: [String] = []

    @OptionGroup(title: "Playback") var playback: PlaybackOptions

    @OptionGroup(title: "Playlists") var playlists: PlaylistOptions

    @OptionGroup(title: "Audio") var audio: AudioOptions

    @OptionGroup(title: "Audio session") var session: SessionOptions

    @OptionGroup(title: "Video") var video: VideoOptions

    @OptionGroup(title: "Tracks and subtitles") var tracks: TrackOptions

    @OptionGroup(title: "Window") var window: WindowOptions

    @OptionGroup(title: "Terminal") var terminal: TerminalOptions

    @OptionGroup(title: "Network") var network: NetworkOptions

    @OptionGroup(title: "Screenshots") var screenshots: ScreenshotOptions

    @OptionGroup(title: "Log, statistics and control by other programs") var output: OutputOptions

    @OptionGroup(title: "Configuration files") var configurationFiles: ConfigurationOptions

    /// Checks the values of all options; throws `ValidationError` for an invalid value.
    func validate() throws {
        if audio.audioDevice == "help" { throw CleanExit.message(Self.deviceList(Player.audioDevices)) }
        try playback.validateAll()
        try playlists.validateAll()
        try audio.validateAll()
        try session.validateAll()
        try video.validateAll()
        try tracks.validateAll()
        try window.validateAll()
        try terminal.validateAll()
        try network.validateAll()
        try screenshots.validateAll()
        try configurationFiles.validateAll()
        guard !files.isEmpty || !playlists.playlist.isEmpty || playback.idle != "no" else {
            throw ValidationError("No file given. Name at least one file or address to play.")
        }
    }

    /// Returns the text of `--audio-device=help` in mpv's format: the names and titles of the audio devices.
    static func deviceList(_ devices: [Player.AudioDevice]) -> String {
        let lines = [("auto", "Autoselect device")] + devices.map { ("alsa/" + $0.name, $0.title) }
        return "List of detected audio devices:\n" + lines.map { "  '\($0)' (\($1))" }.joined(separator: "\n")
    }

    /// Returns the settings that the options describe. The options must be valid.
    func settings() throws -> PlaySettings {
        var settings = initialSettings
        (settings.playlistFiles, settings.playlistStart) = (playlists.playlist, playlists.start)
        settings.playlistLoop = LoopCount(parsing: playlists.loopPlaylist)?.withoutFirstPlayback ?? .times(0)
        settings.shufflesPlaylist = playlists.shuffle
        settings.session = session.configuration
        settings.network = network.settings
        settings.window = window.settings
        settings.window.pictureTransform = video.picture.transform
        settings.configuration = configurationFiles.settings
        settings.playback = playback.settings
        settings.audio = audio.settings
        settings.screenshot = screenshots.settings
        settings.logPath = output.logFile
        settings.terminal = terminal.settings
        settings.forcesWindow = window.forceWindow != "no"
        settings.stopsScreenSaver = window.stopScreensaver
        settings.keepsPitch = audio.audioPitchCorrection
        settings.showsControls = window.osc
        settings.publishesNowPlaying = output.mpris
        settings.abLoopA = playback.abLoopA.flatMap(PlaybackOptions.loopPoint)
        settings.abLoopB = playback.abLoopB.flatMap(PlaybackOptions.loopPoint)
        settings.decoderThreadCount = video.vdLavcThreads == 0 ? nil : video.vdLavcThreads
        settings.gaplessAudio = Player.GaplessAudio(rawValue: audio.gaplessAudio) ?? .whereFormatsMatch
        return settings
    }

    /// The settings of the options that the initializer of ``PlaySettings`` accepts; the other settings have their
    /// defaults.
    private var initialSettings: PlaySettings {
        PlaySettings(
            files: files, startsInPictureInPicture: window.pip,
            start: playback.start.flatMap(TimePosition.init(parsing:)),
            end: playback.end.flatMap(TimePosition.init(parsing:)), isPaused: playback.pause, volume: audio.volume,
            isMuted: audio.mute, speed: playback.speed, fileLoop: LoopCount(parsing: playback.loopFile) ?? .times(0),
            keepsOpen: playback.keepOpen != "no", isFullScreen: window.fullscreen, geometry: window.geometry,
            videoOutput: video.output,
            deinterlacing: Player.Deinterlacing(name: video.deinterlace) ?? .automatic, audioOutput: audio.ao,
            audioDevice: audio.audioDevice,
            audioChannels: Player.AudioChannels(audio.audioChannels) ?? .automaticSafe, title: window.title,
            logLevels: terminal.logLevels, ipcPath: output.inputIpcServer, isUntimed: video.untimed,
            statisticsPath: output.stats, frameChecksumPath: output.frameChecksums,
            audioChecksumPath: output.soundChecksums, checksumHash: output.checksumHash,
            x11Present: PlayerWindow.X11Present(rawValue: video.x11Present) ?? .auto, tracks: tracks.settings)
    }
}
