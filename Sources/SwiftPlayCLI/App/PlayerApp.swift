import Dispatch
import Glibc
import Logging
import SwiftPlayKit

/// The running program: a playlist, a player, a window, Picture-in-Picture and their controls. Main queue only.
@MainActor
final class PlayerApp {
    let settings: PlaySettings
    /// The player of the current and the queued item.
    let player: QueuePlayer
    /// The layer that shows the player's picture in ``viewController``.
    let layer: PlayerLayer
    let logger: Logger
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
    private var frameObservation: Player.Observation?
    /// The dispatch sources of the signals that end the program.
    private var signalSources: [any DispatchSourceSignal] = []
    /// The file for `--frame-checksums`.
    private let frameChecksumFile: ChecksumFile?
    /// The file for `--sound-checksums`.
    private let audioChecksumFile: ChecksumFile?
    /// The volume in percent on mpv's scale. The amplitude factor is the cube of `volume / 100`, at most 2.
    var volume: Double
    /// The number of further repetitions of the current file.
    var loopsLeft: LoopCount
    /// Whether the current file has played to its end and is still shown (mpv's `eof-reached`).
    var isAtEnd = false
    /// The reason why the last file could not be read to its end; nil if it was read completely.
    var readFailure: PlaybackError?
    /// The player's current item, as last reported by a notification of the player.
    var playingItem: PlayerItem?
    /// The item that the player plays after the current one; nil if no item follows.
    var queuedItem: QueuedItem?
    /// Whether a file has been played already.
    var hasStartedPlayback = false
    var abLoop: ABLoop
    /// The number of messages shown so far, with which the timer that removes a message recognizes a newer message.
    var messageCount = 0

    init(settings: PlaySettings) {
        self.settings = settings
        settings.logLevels.install()
        logger = Logger(label: "player")
        playlist = Playlist(files: settings.files)
        playlist.remainingRounds = settings.playlistLoop
        if settings.shufflesPlaylist {
            var generator = SystemRandomNumberGenerator()
            playlist.shuffle(using: &generator, keepingCurrent: false)
        }
        abLoop = ABLoop(a: settings.abLoopA, b: settings.abLoopB)
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

    /// Returns the ALSA name of an audio device given as `alsa/hw:0`, as in mpv, or as `hw:0`.
    nonisolated static func alsaName(_ device: String?) -> String {
        guard let device, device != "auto" else { return "default" }
        return device.hasPrefix("alsa/") ? String(device.dropFirst(5)) : device
    }

    /// Returns the amplitude factor for a volume in percent: as in mpv, the cube of `volume / 100`; at most 2.
    nonisolated static func amplitude(_ volume: Double) -> Float {
        let fraction = volume / 100
        return Float(min(fraction * fraction * fraction, 2))
    }

    /// Writes one line to standard error, with the program's name in front.
    nonisolated static func reportError(_ text: String) { StandardErrorWriter.write("swiftplay: \(text)") }

    /// Opens the video and audio outputs and plays the first file.
    func start() {
        catchSignals()
        endWhenMemoryIsShort()
        observation = player.observe { [weak self] notification in self?.handle(notification) }
        openWindow()
        openIPC()
        openNowPlaying()
        playCurrentFile()
        Application.shared.releaseStartupMemory()
    }

    /// The longest time that the program waits for the X server to close the window after a signal or an IPC client has
    /// requested the end of the program. After that time, the program ends the connection to the X server.
    nonisolated static let disconnectTimeout = DispatchTimeInterval.milliseconds(300)

    /// Ends the program cleanly on SIGINT, SIGTERM and SIGHUP, and ignores SIGPIPE.
    private func catchSignals() {
        for signalNumber in [SIGINT, SIGTERM, SIGHUP] {
            signal(signalNumber, SIG_IGN)
            // Handle signals on another queue: the main queue may wait for a display server that does not respond.
            let source = DispatchSource.makeSignalSource(signal: signalNumber, queue: .global(qos: .userInitiated))
            source.setEventHandler { @Sendable [weak self] in
                PlayerWindow.disconnectWindows(after: Self.disconnectTimeout)
                DispatchQueue.main.async { MainActor.assumeIsolated { self?.end(.signalled) } }
            }
            source.resume()
            signalSources.append(source)
        }
        signal(SIGPIPE, SIG_IGN)
    }

    /// Starts the IPC server of `--input-ipc-server`.
    private func openIPC() {
        guard let path = settings.ipcPath else { return }
        let target = PlayerTarget(player: player)
        target.app = self
        ipcTarget = target
        // Set the state of the IPC target before listening, because a client may connect immediately.
        copyState(to: target)
        do {
            let server = try IPCServer(path: path, target: target)
            ipc = server
            frameObservation = player.observeFrames { server.propertiesMayHaveChanged() }
            Application.shared.setBudgetHandler(server) { server.propertiesMayHaveChanged() }
        } catch {
            Self.reportError("\(error)")
            end(.cannotStart)
        }
    }

    /// Publishes the player's state, which may have changed, to the desktop and to the clients of the IPC server.
    func propertiesMayHaveChanged() {
        updateNowPlaying()
        guard let ipc, let target = ipcTarget else { return }
        copyState(to: target)
        ipc.propertiesMayHaveChanged()
    }

    /// Copies the program's state, which belongs to the main queue, for the IPC server's thread.
    private func copyState(to target: PlayerTarget) {
        let state = PlayerTarget.State(
            volume: volume, isFullScreen: viewController?.window.isFullScreen ?? false,
            isInPictureInPicture: pictureInPicture?.isPictureInPictureActive ?? false,
            isPictureInPicturePossible: pictureInPicture?.isPictureInPicturePossible ?? false,
            isPictureInPictureStalled: pictureInPicture?.isPictureInPictureStalled ?? false, isAtEnd: isAtEnd,
            playlistPosition: playlist.position, files: playlist.files, fileLoop: loopsLeft,
            playlistLoop: playlist.remainingRounds, abLoop: abLoop)
        target.state.withLock { $0 = state }
    }

    /// Executes mpv's command `loadfile`; `mode` is `replace`, `append` or `append-play`.
    func loadFile(_ file: String, _ mode: String) {
        let wasIdle = playlist.current == nil || player.currentItem == nil
        playlist.load(file, appending: mode != "replace")
        if mode == "replace" { ipc?.broadcast(IPCEvent("end-file", ["reason": .string("stop")])) }
        if mode == "replace" || (mode == "append-play" && wasIdle) { playCurrentFile() } else { queueNextItem() }
    }

    /// Executes mpv's command `stop`: ends the file and, because there is no idle mode, the program.
    func stop() {
        ipc?.broadcast(IPCEvent("end-file", ["reason": .string("stop")]))
        end(.played)
    }

    // MARK: Notifications of the player

    /// Handles a notification of the player.
    private func handle(_ notification: Player.Notification) {
        guard !isEnding else { return }
        switch notification {
        case .itemReady(let item): if item === playingItem || item === queuedItem?.item { didBecomeReady(item) }
        case .currentItemChanged(let item): didChangeItem(to: item)
        case .itemFailed(let item, let error):
            guard item === playingItem else { break }
            let hint =
                error.code == .untrustedServer
                ? " (--tls-ca-file=FILE trusts its authority, --tls-verify=no disables the check)" : ""
            Self.reportError("\(item.location): \(error.message)\(hint)")
            playlist.failedFileCount += 1
            ipc?.broadcast(IPCEvent("end-file", ["reason": .string("error"), "file_error": .string(error.message)]))
            playNextFile()
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
        propertiesMayHaveChanged()
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
        if player.currentItem != nil, code != .nothingPlayed, !isAtEnd {
            ipc?.broadcast(IPCEvent("end-file", ["reason": .string("quit")]))
        }
        ipc?.broadcast(IPCEvent("shutdown"))
        let statistics = player.statistics, item = player.currentItem
        // Release the terminal first, in case a later step blocks.
        viewController?.end()
        StandardErrorWriter.endBuffering()
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
        if isHeadless {
            print(
                "played \(playlist.playedEntryCount) of \(playlist.files.count): "
                    + "\(statistics.framesPresented) frames shown, "
                    + "\(statistics.framesDropped) dropped, \(statistics.handoffs.count) handoffs")
        }
        fflush(nil)
        exit(code == .played ? userExitCode : code.rawValue)
    }

    /// Whether the program has no video output.
    var isHeadless: Bool { chosenOutput == .null }
    /// The video output in use; `null` before ``openWindow()``.
    var chosenOutput = VideoOutputOption.null
}
