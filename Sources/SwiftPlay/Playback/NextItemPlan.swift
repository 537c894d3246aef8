/// Decides what happens to the item that follows the current one: a pure value. ``ItemQueue`` fills it in.
struct NextItemPlan: Hashable, Sendable {
    /// The item that was opened ahead of its turn.
    struct Opened: Hashable, Sendable {
        /// Whether it is the wanted item.
        var isWanted: Bool
        /// Whether its audio has been joined to that of the current item.
        var isJoined: Bool
        /// Whether its audio is decoded into the format in which the device is open.
        var audioFits: Bool
        var audio: AudioProgress
        /// Whether its first frame is decoded, or no frames come.
        var hasPicture: Bool
    }

    enum Action: Hashable, Sendable {
        case none
        /// Close the item that was opened ahead. Then the plan is made anew.
        case drop
        case open
        /// Join the audio of the item that was opened ahead to that of the current item.
        case join
        /// Nothing to do before this host time.
        case wait(until: Int64)
    }

    /// What becomes of the current item when the queue goes on.
    enum Succession: Hashable, Sendable {
        /// Another command has changed the current item since.
        case ignore
        /// The item that was opened ahead becomes the current one.
        case promote
        /// The new item is opened.
        case replace
    }

    /// Whether there is an item that the player goes on to by itself, and it has not failed.
    var hasSuccessor: Bool
    var opened: Opened?
    /// The phase of the current item; nil while its source is not open, or without an item.
    var phase: PlaybackPhase?
    var audio: AudioProgress
    /// The requested rate.
    var rate: Float
    /// Whether all of the current item has been read.
    var hasReadAll: Bool
    /// Whether the program has set where the current item ends.
    var hasChosenEnd: Bool
    /// Host time at which the current item ends; nil while the clock stands, or the end is not known.
    var end: Int64?

    /// How long before the end of the current item the next one is opened, host nanoseconds. It is opened sooner where
    /// all of the current item has been read.
    static let openingLead: Int64 = 5_000_000_000

    func action(now: Int64) -> Action {
        if let opened, !opened.isWanted { return .drop }
        guard hasSuccessor, phase == .playing || phase == .ready else { return .none }
        if let opened { return mayJoin(opened) ? .join : .none }
        if hasReadAll { return .open }
        guard let end else { return .none }
        return end - Self.openingLead > now ? .wait(until: end - Self.openingLead) : .open
    }

    /// The audio follows once that of the current item is near its end and the beginning of the next item is known.
    private func mayJoin(_ next: Opened) -> Bool {
        guard phase == .playing, audio.isUnfinished, audio.isPrimed, let feed = audio.feed, feed.speed == Double(rate)
        else { return false }
        return !next.isJoined && next.audioFits && next.audio.isForDevice && next.hasPicture
            && (hasReadAll || hasChosenEnd)
    }

    /// - Parameters:
    ///   - isNewest: whether the new item is the player's current one still.
    ///   - isOpened: whether the new item was opened ahead without a failure.
    ///   - isJoined: whether audio of the new item is on its way to the device.
    ///   - hasCurrent: whether there is an item to succeed.
    static func succession(isNewest: Bool, isOpened: Bool, isJoined: Bool, hasCurrent: Bool) -> Succession {
        guard isNewest else { return .ignore }
        return isOpened && !isJoined && hasCurrent ? .promote : .replace
    }

    /// Whether the current item has to seek after the next one was dropped, because audio of the dropped item was on
    /// its way to the device.
    static func mustSeek(afterDropping isUnderway: Bool, phase: PlaybackPhase?, isSeekable: Bool) -> Bool {
        isUnderway && phase == .playing && isSeekable
    }
}
