extension Player {
    /// See ``PlayerBackgroundPolicy``.
    public typealias AudiovisualBackgroundPlaybackPolicy = PlayerBackgroundPolicy

    /// The treatment of video when the program moves to the background; `.automatic` by default
    /// (AVPlayer.audiovisualBackgroundPlaybackPolicy). Items without video continue.
    public var audiovisualBackgroundPlaybackPolicy: AudiovisualBackgroundPlaybackPolicy {
        get { observed(\.audiovisualBackgroundPlaybackPolicy).withLock { $0.settings.backgroundPolicy } }
        set {
            changes.perform(self) {
                core.snapshot.withLock { $0.settings.backgroundPolicy = newValue }
                let pauseHandler: @Sendable () -> Void = { [weak core] in core?.pauseInBackground() }
                ProgramVisibility.shared.setPauseHandler(core, newValue == .pauses ? pauseHandler : nil)
                core.post(.settingChanged)
            }
        }
    }
}

extension PlayerCore {
    /// Pauses the player if a layer shows its video; audio without video continues.
    func pauseInBackground() {
        guard currentLayer != nil, snapshot.withLock({ $0.item })?.hasVideo == true else { return }
        let wasPlaying = snapshot.withLock { snapshot in
            defer { snapshot.rate = 0 }
            return snapshot.rate != 0
        }
        if wasPlaying { post(.setRate(0)) }
    }
}
