extension PlayerItem {
    /// The algorithm for the pitch of audio at rates other than 1 (AVPlayerItem.audioTimePitchAlgorithm);
    /// `.timeDomain` by default. A change applies at once; for an item in a queue, from its start.
    public var audioTimePitchAlgorithm: AudioTimePitchAlgorithm {
        get { state.withLock { $0.pitch } }
        set {
            state.withLock { $0.pitch = newValue }
            player?.applyChange(of: .pitch)
        }
    }
}
