/// Decides when the next item is opened, when its audio is appended to the current item's audio, and when it is closed:
/// a pure value, created by ``ItemQueue``.
struct NextItemPlan: Hashable, Sendable {
    /// The item that was opened in advance.
    struct Opened: Hashable, Sendable {
        /// Whether the opened item is still the item that follows the current item.
        var isWanted: Bool
        /// Whether the opened item's audio was appended to the current item's audio.
        var isJoined: Bool
        /// Whether the opened item's audio is decoded into the open device's format.
        var audioMatchesDeviceFormat: Bool
        /// The progress of the opened item's audio.
        var audio: AudioProgress
        /// Whether the opened item's first frame is decoded, or it has no frames.
        var hasPicture: Bool
    }

    /// The player's next action for the next item.
    enum Action: Hashable, Sendable {
        /// No action.
        case none
        /// Close the item that was opened in advance, and decide again.
        case drop
        /// Open the next item.
        case open
        /// Append the opened item's audio to the current item's audio.
        case join
        /// No action before this host time.
        case wait(until: Int64)
    }

    /// How the player changes from the current item to the next item.
    enum ItemTransition: Hashable, Sendable {
        /// Ignore the new item: another command has changed the current item since.
        case ignore
        /// The item that was opened in advance becomes the current item.
        case promote
        /// The new item is opened and replaces the current item.
        case replace
    }

    /// Whether the player continues automatically with another item that has not failed.
    var hasSuccessor: Bool
    /// The item that was opened in advance; nil if none was.
    var opened: Opened?
    /// The phase of the current item; nil if there is no item or its source is not open.
    var phase: PlaybackPhase?
    /// The progress of the current item's audio.
    var audio: AudioProgress
    /// The requested rate.
    var rate: Float
    /// Whether the current item has been read to its end.
    var hasReadAll: Bool
    /// Whether the program has set an end time for the current item.
    var hasChosenEnd: Bool
    /// Host time at which the current item ends; nil while the clock is stopped or the end is unknown.
    var end: Int64?

    /// How long before the end of the current item the next item is opened, host nanoseconds. If the current item has
    /// been read to its end, the next item is opened earlier.
    static let openingLead: Int64 = 5_000_000_000

    /// Returns what to do at host time `now`.
    func action(now: Int64) -> Action {
        if let opened, !opened.isWanted { return .drop }
        guard hasSuccessor, phase == .playing || phase == .ready else { return .none }
        if let opened { return mayAppendAudio(opened) ? .join : .none }
        if hasReadAll { return .open }
        guard let end else { return .none }
        return end - Self.openingLead > now ? .wait(until: end - Self.openingLead) : .open
    }

    /// Returns whether the next item's audio can be appended: the current item's audio has been read to its end, and
    /// the start of the next item is known.
    private func mayAppendAudio(_ next: Opened) -> Bool {
        guard phase == .playing, audio.isUnfinished, audio.isPrimed, let accepted = audio.acceptedAudio,
            accepted.speed == Double(rate)
        else { return false }
        return !next.isJoined && next.audioMatchesDeviceFormat && next.audio.usesDevice && next.hasPicture
            && (hasReadAll || hasChosenEnd)
    }

    /// Returns how the player changes to a new item.
    ///
    /// - Parameters:
    ///   - isNewest: Whether the new item is still the player's current item.
    ///   - isOpened: Whether the new item was opened in advance without an error.
    ///   - isJoined: Whether audio of the new item is on its way to the device.
    ///   - hasCurrent: Whether there is a current item to replace.
    static func itemTransition(isNewest: Bool, isOpened: Bool, isJoined: Bool, hasCurrent: Bool) -> ItemTransition {
        guard isNewest else { return .ignore }
        return isOpened && !isJoined && hasCurrent ? .promote : .replace
    }

    /// Returns whether the current item must seek after the next item was closed, because audio of the next item was
    /// already on its way to the device.
    static func mustSeek(isNextAudioUnderway isUnderway: Bool, phase: PlaybackPhase?, isSeekable: Bool) -> Bool {
        isUnderway && phase == .playing && isSeekable
    }
}
