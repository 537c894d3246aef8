/// What becomes of a video when its program is not seen any more.
extension Player {
    /// What a video does in the background (AVPlayerAudiovisualBackgroundPlaybackPolicy), with its numbers. A program
    /// is in the background while all its windows are minimised or on other workspaces and no picture of it floats.
    public enum AudiovisualBackgroundPlaybackPolicy: Int, Sendable, CaseIterable {
        /// As the system has it: on a desktop a video plays on.
        case automatic = 1
        /// A video that a layer shows pauses, unless Picture-in-Picture begins within half a second.
        case pauses = 2
        /// The video plays on.
        case continuesIfPossible = 3
    }

    /// What happens to playing video when the program goes to the background: `.automatic` at first. Items without a
    /// picture play on.
    public var audiovisualBackgroundPlaybackPolicy: AudiovisualBackgroundPlaybackPolicy {
        get { core.snapshot.withLock { $0.backgroundPolicy } }
        set {
            core.snapshot.withLock { $0.backgroundPolicy = newValue }
            ProgramPresence.shared.setPauses(core, newValue == .pauses)
            core.post(.settingChanged)
        }
    }
}

extension PlayerCore {
    /// Pauses a video that a layer shows.
    func pauseInBackground() {
        guard currentLayer != nil, snapshot.withLock({ $0.item })?.hasVideo == true else { return }
        let plays = snapshot.withLock { snapshot in
            defer { snapshot.rate = 0 }
            return snapshot.rate != 0
        }
        if plays { post(.setRate(0)) }
    }
}
