import Dispatch
import Glibc
import Logging
import SwiftPlayKit
import SystemCalls
import VideoOutput

/// The running program: a playlist, a player, a window, Picture-in-Picture and their controls. Main queue only.
@MainActor
final class PlayerApp {
    /// The settings of the command line, with the changes that IPC clients have made.
    var settings: PlaySettings
    /// The player of the current and the queued item.
    let player: QueuePlayer
    /// The layer that shows the player's picture in ``viewController``.
    let layer: PlayerLayer
    let logger: Logger
    /// The logger for messages about configuration files.
    let configurationLogger: Logger
    /// The commands of all keys.
    var keyMap = KeyMap()
    /// The window with its controls; nil before the video output opens.
    var viewController: PlayerViewController?
    var pictureInPicture: PictureInPictureController? { viewController?.pictureInPictureController }
    var ipc: IPCServer?
    var nowPlaying: NowPlayingSession?
    /// The object through which IPC clients control this program; nil without an IPC server.
    var ipcTarget: PlayerTarget?
    var playlist: Playlist
    /// Whether ``end(_:userExitCode:)`` was called.
    private(set) var isEnding = false
    /// The registration that observes the player's notifications.
    private var observation: Player.Observation?
    /// The registration that observes shown frames, because each shown frame may change properties of the IPC server.
    var frameObservation: Player.Observation?
    /// The dispatch sources of the signals that end the program.
    var signalSources: [any DispatchSourceSignal] = []
    /// The file for `--frame-checksums`.
    private let frameChecksumFile: ChecksumFile?
    /// The file for `--sound-checksums`.
    private let audioChecksumFile: ChecksumFile?
    /// The volume in percent on mpv's scale. The amplitude factor is the cube of `volume / 100`.
    var volume: Double
    /// The number of further repetitions of the current file.
    var loopsLeft: LoopCount
    /// Whether the current file has played to its end and is still shown (mpv's `eof-reached`).
    var isAtEnd = false
    /// The reason why the last file could not be read to its end; nil if it was read completely.
    var readFailure: PlaybackError?
    /// The player's current item, as last reported by a notification of the player.
    var playingItem: PlayerItem? {
        didSet { if playingItem !== oldValue { heldImage = nil } }
    }
    /// The item that the player plays after the current one; nil if no item follows.
    var queuedItem: QueuedItem?
    /// Whether a file has been played already.
    var hasStartedPlayback = false
    var abLoop: ABLoop
    /// The position of `--playlist-start` while the first playlist is not loaded yet; otherwise nil.
    var startPosition: Int?
    /// Loads a playlist or a folder, whose entries replace the current entry; nil if none is being loaded.
    var playlistLoader: PlaylistLoader?
    /// The number of times that the loading of a playlist was started or cancelled, which identifies outdated results.
    var playlistLoadingCount = 0
    /// The factor of the amplitude by ReplayGain for the current file.
    var replayGainFactor = 1.0
    /// The current item, if it is a still image that has been played to its end; otherwise nil.
    var heldImage: HeldImage?
    /// The number of screenshots that wait to be written.
    var waitingScreenshotCount = 0
    /// The page of text over the picture; nil for none.
    var page: TextPage?
    /// The number of changes of ``page``, with which a timer recognizes a newer page.
    var pageNumber = 0
    /// The terminal of the program; nil while pictures are drawn in it, and without a terminal.
    var console: TerminalConsole?
    /// Updates the status line in ``console``; nil without a status line.
    var statusLine: StatusLine?
    /// The message about the last key that the status line shows; nil for none.
    var statusMessage: String?
    /// Whether the program waits for a file to play.
    var isIdle = false
    /// The number of messages shown so far, with which the timer that removes a message recognizes a newer message.
    var messageCount = 0

    init(settings: PlaySettings) {
        self.settings = settings
        if settings.terminal.isSilent { StandardErrorWriter.setDestination(.nowhere) }
        settings.logLevels.install(file: Self.openLogFile(settings.logPath))
        logger = Logger(label: "player")
        configurationLogger = Logger(label: "config")
        playlist = Playlist(
            entries: settings.playlistFiles.map { Playlist.Entry(location: $0, isPlaylist: true) }
                + settings.files.map { Playlist.Entry(location: $0) })
        playlist.remainingRounds = settings.playlistLoop
        if settings.shufflesPlaylist {
            var generator = SystemRandomNumberGenerator()
            playlist.shuffle(using: &generator, keepingCurrent: false)
        }
        if let start = settings.playlistStart { startPosition = playlist.go(to: start) ? nil : start }
        abLoop = ABLoop(pointA: settings.abLoopA, pointB: settings.abLoopB)
        volume = settings.volume
        loopsLeft = settings.fileLoop
        var configuration = Player.Configuration()
        configuration.isUntimed = settings.isUntimed
        configuration.audioOutput =
            settings.audioOutput == "null" ? .null : .alsa(device: Self.alsaName(settings.audioDevice))
        configuration.audioChannels = settings.audioChannels
        configuration.tracks = settings.tracks.choice
        settings.network.apply(to: &configuration)
        do {
            frameChecksumFile = try settings.frameChecksumPath.map { try ChecksumFile(path: $0) }
            audioChecksumFile = try settings.audioChecksumPath.map { try ChecksumFile(path: $0) }
            configuration.checksumHash = settings.checksumHash
            if let frameChecksumFile { configuration.frameTap = { frameChecksumFile.write($0) } }
            if let audioChecksumFile { configuration.audioChecksumTap = { audioChecksumFile.write($0) } }
            configuration.gaplessAudio = settings.gaplessAudio
            configuration.decoderThreads = settings.decoderThreadCount
            player = try QueuePlayer(configuration: configuration)
        } catch {
            Self.reportError("\(error)")
            exit(PlaybackExitCode.cannotStart.rawValue)
        }
        layer = PlayerLayer()
        layer.player = player
        configureSession()
        player.volume = Self.amplitude(volume)
        player.audioDelay = MediaTime(seconds: settings.audio.delay)
        player.isMuted = settings.isMuted
        player.deinterlacing = settings.deinterlacing
        player.preventsDisplaySleepDuringVideoPlayback = settings.stopsScreenSaver
        player.defaultRate = Float(settings.speed)
        player.actionAtItemEnd = .pause
        settings.tracks.apply(to: player)
    }

    /// Configures the audio session now, and again after each reset of the audio system.
    private func configureSession() {
        let session = AudioSession.sharedInstance(), requested = settings.session, logger = logger
        let configure: @Sendable () -> Void = {
            do throws(PlaybackError) {
                try session.setCategory(requested.category, mode: requested.mode, options: requested.options)
            } catch { logger.warning("\(error)") }
        }
        configure()
        session.addObserver { if $0 == .mediaServicesWereReset { configure() } }
    }

    /// Opens the file of `--log-file`; returns nil if it cannot be opened.
    private static func openLogFile(_ path: String?) -> LogFile? {
        guard let path else { return nil }
        do throws(SystemCallError) { return try LogFile(path: path) } catch {
            reportError("cannot write the log file \(path): \(error.reason)")
            return nil
        }
    }

    /// Returns the ALSA name of an audio device given as `alsa/hw:0` or `pulse/SINK`, as in mpv, or as `hw:0`.
    nonisolated static func alsaName(_ device: String?) -> String {
        guard let device, device != "auto" else { return "default" }
        if device.hasPrefix("pulse/") { return "pulse:" + device.dropFirst(6) }
        return device.hasPrefix("alsa/") ? String(device.dropFirst(5)) : device
    }

    /// Returns the amplitude factor for a volume in percent: as in mpv, the cube of `volume / 100`.
    nonisolated static func amplitude(_ volume: Double) -> Float {
        let fraction = volume / 100
        return Float(fraction * fraction * fraction)
    }

    /// Writes one line to standard error, with the program's name in front.
    nonisolated static func reportError(_ text: String) { StandardErrorWriter.write("swiftplay: \(text)") }

    /// Opens the video and audio outputs and plays the first file.
    func start() {
        catchSignals()
        openConsole()
        for warning in PlayOptions.startupWarnings { configurationLogger.warning("\(warning)") }
        loadKeyMap()
        endWhenMemoryIsShort()
        observation = player.observe { [weak self] notification in self?.handle(notification) }
        openWindow()
        openIPC()
        openNowPlaying()
        selectRememberedEntry()
        playCurrentFile()
        Application.shared.releaseStartupMemory()
    }

    /// Executes mpv's command `loadfile`; `mode` is `replace`, `append` or `append-play`.
    func loadFile(_ file: String, _ mode: String) { load(Playlist.Entry(location: file), mode) }

    /// Adds an entry to the playlist in one of the modes of `loadfile`.
    func load(_ entry: Playlist.Entry, _ mode: String) {
        let wasIdle = playlist.currentFile == nil || player.currentItem == nil
        playlist.load(entry, appending: mode != "replace")
        if mode == "replace" { ipc?.broadcast(IPCEvent("end-file", ["reason": .string("stop")])) }
        let isPlayed = mode == "replace" || mode == "append-play" && wasIdle
        if isPlayed { playCurrentFile() } else { queueNextItem() }
    }

    /// Executes mpv's command `stop`: ends the file and, unless the program waits for the next file, the program.
    func stop() {
        ipc?.broadcast(IPCEvent("end-file", ["reason": .string("stop")]))
        if settings.playback.idleMode == .no { end(.played) } else { becomeIdle() }
    }

    // MARK: Notifications of the player

    /// Handles a notification of the player.
    private func handle(_ notification: Player.Notification) {
        guard !isEnding else { return }
        switch notification {
        case .itemReady(let item): if item === playingItem || item === queuedItem?.item { didBecomeReady(item) }
        case .currentItemChanged(let item): didChangeItem(to: item)
        case .itemFailed(let item, let error):
            if item === playingItem { didFail(error) }
        case .didPlayToEnd(let item): didPlayToEnd(of: item)
        case .failedToPlayToEnd(let item, let error): didPlayToEnd(of: item, error)
        case .warning(let text): logger.warning("\(text)")
        case .firstFrameShown: ipc?.broadcast(IPCEvent("playback-restart"))
        // While the audio session is inactive, the player itself reports that this program is the now-playing program.
        case .timeControlStatusChanged:
            if player.timeControlStatus == .playing, !AudioSession.sharedInstance().isActive {
                nowPlaying?.setIsNowPlaying(true)
            }
        case .timeJumped: ipc?.broadcast(IPCEvent("seek"))
        case .seekCompleted: ipc?.broadcast(IPCEvent("playback-restart"))
        default: break
        }
        reportPossibleChanges()
    }

    // MARK: Exit

    /// Closes the player, the window and the IPC server, and exits the process.
    ///
    /// - Parameters:
    ///   - code: The reason for the exit.
    ///   - userExitCode: The exit code to use if `code` is ``PlaybackExitCode/played``, as in mpv's command `quit 5`.
    func end(_ code: PlaybackExitCode, userExitCode: Int32 = 0) {
        guard !isEnding else { return }
        isEnding = true
        if settings.playback.savesPosition { savePosition() }
        if player.currentItem != nil, code != .nothingPlayed, !isAtEnd {
            ipc?.broadcast(IPCEvent("end-file", ["reason": .string("quit")]))
        }
        ipc?.broadcast(IPCEvent("shutdown"))
        let statistics = player.statistics, item = player.currentItem
        // Release the terminal first, in case a later step blocks.
        viewController?.end()
        closeConsole(keepingStatus: true)
        StandardErrorWriter.setDestination(.standardError)
        nowPlaying?.close()
        player.close()
        ipc?.close()
        var code = code
        for file in [frameChecksumFile, audioChecksumFile] {
            guard let failure = file?.close() else { continue }
            Self.reportError(failure)
            code = .cannotStart
        }
        if let path = settings.statisticsPath,
            let failure = StatisticsFile.write(statistics, of: item, files: settings.files, to: path)
        {
            Self.reportError(failure)
            code = .cannotStart
        }
        if isHeadless, !settings.terminal.isSilent {
            print(
                PlaybackSummary.text(
                    of: statistics, playedCount: playlist.playedEntryCount, fileCount: playlist.files.count))
        }
        fflush(nil)
        exit(code == .played ? userExitCode : code.rawValue)
    }

    /// Whether the program has no video output.
    var isHeadless: Bool { chosenOutput == .null }
    /// The video output in use; `null` before ``openWindow()``.
    var chosenOutput = VideoOutputOption.null
}
