extension PlayerItem {
    /// How its sound is played at rates other than 1. Holds at once; of an item that waits in a queue, from its own
    /// beginning on.
    public var audioTimePitchAlgorithm: AudioTimePitchAlgorithm {
        get { state.withLock { $0.pitch } }
        set {
            state.withLock { $0.pitch = newValue }
            player?.changed(.pitch)
        }
    }
}
