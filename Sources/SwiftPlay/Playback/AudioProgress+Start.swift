extension AudioProgress {
    /// What playing does about the audio before it begins.
    enum Start: Hashable, Sendable {
        case begin
        /// The buffered audio was made for another rate: a seek to the current time comes first.
        case renew
        /// There is too little audio to begin with; host time until which playing waits for it.
        case wait(until: Int64)
        /// The audio did not come in time: playing begins without it.
        case giveUp
    }

    /// - Parameters:
    ///   - rate: the requested rate.
    ///   - isSeekable: whether the item can seek.
    ///   - now: host time.
    func start(atRate rate: Float, isSeekable: Bool, now: Int64) -> Start {
        if isPrimed, isBuffered(forOtherThan: Double(rate)), isSeekable { return .renew }
        guard let deadline else { return .begin }
        return now < deadline ? .wait(until: deadline) : .giveUp
    }
}
