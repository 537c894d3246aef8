import Dispatch
import Glibc
import Logging
import SwiftPlayKit

/// The running program: a playlist, a player, a window, Picture-in-Picture and their controls. Main queue only.
@MainActor
final class PlayerApp {
    let settings: PlaySettings
    let player: QueuePlayer
    let layer: PlayerLayer
    let logger: Logger
    var screen: PlayerViewController?
    var pictureInPicture: PictureInPictureController? { screen?.pictureInPictureController }
    var ipc: IPCServer?
    var nowPlaying: NowPlayingSession?
    var target: PlayerTarget?
    var playlist: Playlist
    var summary: [String] = []
    private(set) var isEnding = false
    private var observation: Player.Observation?
    private var frameObservation: Player.Observation?
    private var signals: [any DispatchSourceSignal] = []
    private let checksums: ChecksumFile?
    private let soundChecksums: ChecksumFile?
    /// The volume in mpv's percent. The amplitude is the cube of `volume / 100`, at most 2.
    var volume: Double
    var loopsLeft: LoopCount
    var eofReached = false
    /// The reason why the last file could not be read to its end; nil if it could.
    var readFailure: PlaybackError?
    /// The current item according to the notifications handled so far.
    var playing: PlayerItem?
    /// The item that the player advances to next.
    var queued: Queued?
    var hasStarted = false
    var abLoop: ABLoop
    /// The number of messages shown, so that the timer of an old message does not remove a new one.
    var messages = 0

    init(settings: PlaySettings) {
        self.settings = settings
        settings.logLevels.install()
        logger = Logger(label: "player")
        playlist = Playlist(files: settings.files)
        playlist.rounds = settings.listLoop
        if settings.shuffles {
            var generator = SystemRandomNumberGenerator()
            playlist.shuffle(using: &generator, keepingCurrent: false)
        }
        abLoop = ABLoop(a: settings.abLoopA, b: settings.abLoopB)
        volume = settings.volume
        loopsLeft = settings.loop
        var configuration = Player.Configuration()
        configuration.isUntimed = settings.isUntimed
        configuration.audioOutput =
            settings.sound == "null" ? .null : .alsa(device: Self.alsaName(settings.soundDevice))
        configuration.audioChannels = settings.channels
        configuration.tracks = settings.tracks.choice
        configuration.tlsVerification = settings.tlsVerification
        do {
            checksums = try settings.checksumPath.map { try ChecksumFile(path: $0) }
            soundChecksums = try settings.soundChecksumPath.map { try ChecksumFile(path: $0) }
            if let checksums { configuration.frameTap = { checksums.write($0) } }
            if let soundChecksums { configuration.soundTap = { soundChecksums.write($0) } }
            configuration.gaplessAudio = settings.gaplessAudio
            configuration.decoderThreads = settings.decoderThreads
            player = try QueuePlayer(configuration: configuration)
        } catch {
            Self.complain("\(error)")
            exit(PlayExit.cannotStart.rawValue)
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

    /// Configures the audio session, and configures it again after a reset of media services.
    private func configureSession() {
        let session = AudioSession.sharedInstance(), wanted = settings.session, logger = logger
        let configure: @Sendable () -> Void = {
            do throws(PlaybackError) {
                try session.setCategory(wanted.category, mode: wanted.mode, options: wanted.options)
            } catch { logger.warning("\(error)") }
        }
        configure()
        session.addObserver { if $0 == .mediaServicesWereReset { configure() } }
    }

    /// Returns the ALSA name of a device given as `alsa/hw:0`, as in mpv, or as `hw:0`.
    nonisolated static func alsaName(_ device: String?) -> String {
        guard let device, device != "auto" else { return "default" }
        return device.hasPrefix("alsa/") ? String(device.dropFirst(5)) : device
    }

    /// Returns the amplitude factor for a volume in percent. As in mpv, it is the cube of the volume; at most 2.
    nonisolated static func amplitude(_ volume: Double) -> Float {
        let part = volume / 100
        return Float(min(part * part * part, 2))
    }

    /// Writes one line to standard error, with the program's name in front.
    nonisolated static func complain(_ text: String) { Complaint.write("swiftplay: \(text)") }

    func start() {
        catchSignals()
        observation = player.observe { [weak self] notification in self?.handle(notification) }
        openWindow()
        openIPC()
        openNowPlaying()
        playCurrent()
    }

    /// The time that a display server has to close the window when a signal ends the program.
    nonisolated static let displayPatience = DispatchTimeInterval.milliseconds(300)

    private func catchSignals() {
        for number in [SIGINT, SIGTERM, SIGHUP] {
            signal(number, SIG_IGN)
            // Not on the main queue, which may wait for a display server that does not answer.
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global(qos: .userInitiated))
            source.setEventHandler { @Sendable [weak self] in
                PlayerWindow.disconnectDisplays(after: Self.displayPatience)
                DispatchQueue.main.async { MainActor.assumeIsolated { self?.end(.signalled) } }
            }
            source.resume()
            signals.append(source)
        }
        signal(SIGPIPE, SIG_IGN)
    }

    private func openIPC() {
        guard let path = settings.ipcPath else { return }
        let target = PlayerTarget(player: player)
        target.app = self
        self.target = target
        // Set the state before listening, because a client may connect immediately.
        tellFacts(to: target)
        do {
            let server = try IPCServer(path: path, target: target)
            ipc = server
            frameObservation = player.observeFrames { server.propertiesMayHaveChanged() }
        } catch {
            Self.complain("\(error)")
            end(.cannotStart)
        }
    }

    /// Publishes changed state to the desktop and to the clients of the IPC server.
    func propertiesMayHaveChanged() {
        tellNowPlaying()
        guard let ipc, let target else { return }
        tellFacts(to: target)
        ipc.propertiesMayHaveChanged()
    }

    private func tellFacts(to target: PlayerTarget) {
        let facts = PlayerTarget.Facts(
            volume: volume, isFullScreen: screen?.window.isFullScreen ?? false,
            isInPictureInPicture: pictureInPicture?.isPictureInPictureActive ?? false,
            isPictureInPicturePossible: pictureInPicture?.isPictureInPicturePossible ?? false,
            isPictureInPictureStalled: pictureInPicture?.isPictureInPictureStalled ?? false, eofReached: eofReached,
            position: playlist.position, files: playlist.files, loop: loopsLeft, listLoop: playlist.rounds,
            abLoop: abLoop)
        target.facts.withLock { $0 = facts }
    }

    /// `loadfile`.
    func load(_ file: String, _ mode: String) {
        let wasIdle = playlist.current == nil || player.currentItem == nil
        playlist.load(file, appending: mode != "replace")
        if mode == "replace" { ipc?.broadcast(IPCEvent("end-file", ["reason": .string("stop")])) }
        if mode == "replace" || (mode == "append-play" && wasIdle) { playCurrent() } else { queueNext() }
    }

    /// `stop`: ends the file and, as there is no idle mode, the program.
    func stop() {
        ipc?.broadcast(IPCEvent("end-file", ["reason": .string("stop")]))
        end(.played)
    }

    // MARK: the list

    private func handle(_ notification: Player.Notification) {
        guard !isEnding else { return }
        switch notification {
        case .itemReady(let item): if item === playing || item === queued?.item { ready(item) }
        case .currentItemChanged(let item): went(to: item)
        case .itemFailed(let item, let error):
            guard item === playing else { break }
            let hint =
                error.code == .untrustedServer
                ? " (--tls-ca-file=FILE trusts its authority, --tls-verify=no checks nothing)" : ""
            Self.complain("\(item.location): \(error.message)\(hint)")
            playlist.failed += 1
            ipc?.broadcast(IPCEvent("end-file", ["reason": .string("error"), "file_error": .string(error.message)]))
            advance()
        case .didPlayToEnd(let item): reachedEnd(of: item)
        case .failedToPlayToEnd(let item, let error): reachedEnd(of: item, error)
        case .warning(let text): logger.warning("\(text)")
        case .firstFrameShown: ipc?.broadcast(IPCEvent("playback-restart"))
        // A player without an active audio session claims the now-playing state itself.
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

    // MARK: the end

    /// Closes everything and exits the process.
    ///
    /// - Parameters:
    ///   - code: The reason for the exit.
    ///   - reporting: The exit code to use in place of 0, as in `quit 5`.
    func end(_ code: PlayExit, reporting: Int32 = 0) {
        guard !isEnding else { return }
        isEnding = true
        if player.currentItem != nil, code != .nothingPlayed, !eofReached {
            ipc?.broadcast(IPCEvent("end-file", ["reason": .string("quit")]))
        }
        ipc?.broadcast(IPCEvent("shutdown"))
        let statistics = player.statistics, item = player.currentItem
        // Release the terminal first, in case a later step blocks.
        screen?.end()
        Complaint.release()
        nowPlaying?.close()
        player.close()
        ipc?.close()
        var code = code
        for file in [checksums, soundChecksums] {
            guard let failure = file?.close() else { continue }
            Self.complain(failure)
            code = .cannotStart
        }
        if let path = settings.statisticsPath,
            let failure = StatisticsFile.write(statistics, of: item, files: settings.files, to: path)
        {
            Self.complain(failure)
            code = .cannotStart
        }
        for line in summary { print(line) }
        if isHeadless {
            print(
                "played \(playlist.entriesPlayed) of \(playlist.files.count): "
                    + "\(statistics.framesPresented) frames shown, "
                    + "\(statistics.framesDropped) dropped, \(statistics.handoffs.count) handoffs")
        }
        fflush(nil)
        exit(code == .played ? reporting : code.rawValue)
    }

    var isHeadless: Bool { chosenOutput == .null }
    var chosenOutput = PictureOutput.null
}
