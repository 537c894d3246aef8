/// Decides when the next item is opened, joined and dropped: a pure value, created by ``ItemQueue``.
struct NextItemPlan: Hashable, Sendable {
    /// The item that was opened in advance.
    struct Opened: Hashable, Sendable {
        /// Whether it is the wanted item.
        var isWanted: Bool
        /// Whether its audio was joined to that of the current item.
        var isJoined: Bool
        /// Whether its audio is decoded into the open device's format.
        var audioFits: Bool
        var audio: AudioProgress
        /// Whether its first frame is decoded, or no frames follow.
        var hasPicture: Bool
    }

    enum Action: Hashable, Sendable {
        case none
        /// Close the item that was opened in advance. A new plan follows.
        case drop
        case open
        /// Join the audio of the opened item to that of the current item.
        case join
        /// No action before this host time.
        case wait(until: Int64)
    }

    /// The transition from the current item to the next one.
    enum Succession: Hashable, Sendable {
        /// Ignore the transition: another command has changed the current item since.
        case ignore
        /// The item that was opened in advance becomes the current one.
        case promote
        /// The new item is opened.
        case replace
    }

    /// Whether the player continues automatically with another item that has not failed.
    var hasSuccessor: Bool
    var opened: Opened?
    /// The phase of the current item; nil while its source is not open, or without an item.
    var phase: PlaybackPhase?
    var audio: AudioProgress
    /// The requested rate.
    var rate: Float
    /// Whether the current item has been read to its end.
    var hasReadAll: Bool
    /// Whether the program has set an end time for the current item.
    var hasChosenEnd: Bool
    /// Host time at which the current item ends; nil while the clock is stopped or the end is unknown.
    var end: Int64?

    /// How long before the end of the current item the next one is opened, host nanoseconds. It is opened earlier if
    /// the current item has been read to its end.
    static let openingLead: Int64 = 5_000_000_000

    func action(now: Int64) -> Action {
        if let opened, !opened.isWanted { return .drop }
        guard hasSuccessor, phase == .playing || phase == .ready else { return .none }
        if let opened { return mayJoin(opened) ? .join : .none }
        if hasReadAll { return .open }
        guard let end else { return .none }
        return end - Self.openingLead > now ? .wait(until: end - Self.openingLead) : .open
    }

    /// Returns whether the next item's audio can be joined: the current audio is almost read, and the start of the next
    /// item is known.
    private func mayJoin(_ next: Opened) -> Bool {
        guard phase == .playing, audio.isUnfinished, audio.isPrimed, let feed = audio.feed, feed.speed == Double(rate)
        else { return false }
        return !next.isJoined && next.audioFits && next.audio.isForDevice && next.hasPicture
            && (hasReadAll || hasChosenEnd)
    }

    /// Returns the transition to a new item.
    ///
    /// - Parameters:
    ///   - isNewest: Whether the new item is still the player's current one.
    ///   - isOpened: Whether the new item was opened in advance without an error.
    ///   - isJoined: Whether audio of the new item is on its way to the device.
    ///   - hasCurrent: Whether there is a current item to replace.
    static func succession(isNewest: Bool, isOpened: Bool, isJoined: Bool, hasCurrent: Bool) -> Succession {
        guard isNewest else { return .ignore }
        return isOpened && !isJoined && hasCurrent ? .promote : .replace
    }

    /// Returns whether the current item must seek after the next one was dropped: audio of the dropped item was already
    /// on its way to the device.
    static func mustSeek(afterDropping isUnderway: Bool, phase: PlaybackPhase?, isSeekable: Bool) -> Bool {
        isUnderway && phase == .playing && isSeekable
    }
}
