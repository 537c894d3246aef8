extension PlayerItem {
    /// How the audio is played at rates other than 1. A change applies at once, and to a waiting item from its start.
    public var audioTimePitchAlgorithm: AudioTimePitchAlgorithm {
        get { state.withLock { $0.pitch } }
        set {
            state.withLock { $0.pitch = newValue }
            player?.changed(.pitch)
        }
    }
}
