import SystemCalls

extension PlayerCore {
    /// Starts the player's thread, which retains the core until ``close()``.
    ///
    /// - Throws: ``SystemCallError`` if descriptors or threads are exhausted.
    func start() throws(SystemCallError) {
        let channels = configuration.audioChannels.choice
        let session: AudioSession? =
            if case .alsa = configuration.audioOutput, !configuration.isUntimed { .sharedInstance() } else { nil }
        let playerAudioSession = session.map { PlayerAudioSession($0) { [weak self] in self?.post(.session($0)) } }
        let audio: AudioPipeline? =
            switch configuration.isUntimed ? .none : configuration.audioOutput {
            case .none: nil
            case .alsa(let device):
                try AudioPipeline(
                    backend: .alsa(device: device), channels: channels, gainPage: session?.gain,
                    tap: configuration.sampleTap
                ) { [weak self] in self?.post(.audioReport($0)) }
            case .null:
                try AudioPipeline(backend: .null, channels: channels, tap: configuration.sampleTap) { [weak self] in
                    self?.post(.audioReport($0))
                }
            }
        if let audio { playerAudioSession?.setDevice { [weak audio] in audio?.device } }
        let playerThread = try NamedThread("player") { [self] in
            let loop = PlaybackLoop(core: self, audioPipeline: audio, playerAudioSession: playerAudioSession)
            loop.run()
        }
        thread.withLock { $0 = playerThread }
    }

    /// Returns a new core whose thread has been started.
    ///
    /// - Parameter prepare: Sets the initial state before the thread starts; called on the caller's thread.
    /// - Throws: ``PlaybackError`` with code `resources` if descriptors or threads are exhausted.
    static func started(
        _ configuration: PlayerConfiguration, prepare: (inout PlayerSnapshot) -> Void = { _ in }
    ) throws(PlaybackError) -> PlayerCore {
        do throws(SystemCallError) {
            let core = try PlayerCore(configuration: configuration)
            core.snapshot.withLock { prepare(&$0) }
            try core.start()
            return core
        } catch { throw PlaybackError(.resources, "cannot create a player: \(error.reason)", underlying: error) }
    }
}
