extension Player {
    /// The delay of audio against video; negative if audio plays earlier. Zero by default, at most one minute.
    ///
    /// While an item plays, the change takes effect at the next seek.
    public var audioDelay: MediaTime {
        get { MediaTime(nanoseconds: observed(\.audioDelay).withLock { $0.settings.audioDelay }) }
        set {
            let limit: Int64 = 60_000_000_000
            let delay = min(max(newValue.nanoseconds ?? 0, -limit), limit)
            change(.volumeChanged) { $0.settings.audioDelay = delay }
        }
    }
}
