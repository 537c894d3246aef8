/// Decides when the next item is opened, when its audio is appended to the current item's audio, and when it is closed:
/// a pure value, created by ``ItemQueue``.
struct NextItemPlan: Hashable, Sendable {
    /// The item that was opened in advance.
    struct OpenedItem: Hashable, Sendable {
        /// Whether the opened item is still the item that follows the current item.
        var isStillNext: Bool
        /// Whether the opened item's audio was appended to the current item's audio.
        var isAudioAppended: Bool
        /// Whether the opened item's audio is decoded into the open device's format.
        var audioMatchesDeviceFormat: Bool
        /// The progress of the opened item's audio.
        var audio: AudioProgress
        /// Whether the opened item's first frame is decoded, or it has no frames.
        var isVideoReady: Bool
    }

    /// The player's action for the next item.
    enum Action: Hashable, Sendable {
        /// No action.
        case none
        /// Close the item that was opened in advance, and decide again.
        case closeOpenedItem
        /// Open the next item.
        case openNextItem
        /// Append the opened item's audio to the current item's audio.
        case appendAudio
        /// No action before this host time.
        case wait(until: Int64)
    }

    /// The way in which the player changes from the current item to the next item.
    enum ItemTransition: Hashable, Sendable {
        /// Ignore the new item: another command has changed the current item since.
        case ignore
        /// The item that was opened in advance becomes the current item.
        case makeOpenedItemCurrent
        /// The new item is opened and replaces the current item.
        case replace
    }

    /// Whether the player continues with another item after the current item: the other item has not failed.
    var hasSuccessor: Bool
    /// The item that was opened in advance; nil if none was.
    var openedItem: OpenedItem?
    /// The phase of the current item; nil if there is no item or its source is not open.
    var phase: PlaybackPhase?
    /// The progress of the current item's audio.
    var audio: AudioProgress
    /// The requested rate.
    var rate: Float
    /// Whether the current item has been read to its end.
    var hasReadAll: Bool
    /// Whether the program has set an end time for the current item.
    var hasForwardPlaybackEndTime: Bool
    /// The host time at which the current item ends; nil while the clock is stopped or the end is unknown.
    var endHostTime: Int64?

    /// The time between the opening of the next item and the end of the current item, in nanoseconds of host time. If
    /// the current item has been read to its end, the next item is opened earlier.
    static let openingLead: Int64 = 5_000_000_000

    /// Returns the player's action for the next item at host time `now`.
    func action(now: Int64) -> Action {
        if let openedItem, !openedItem.isStillNext { return .closeOpenedItem }
        guard hasSuccessor, phase == .playing || phase == .ready else { return .none }
        if let openedItem { return canAppendAudio(of: openedItem) ? .appendAudio : .none }
        if hasReadAll { return .openNextItem }
        guard let endHostTime else { return .none }
        return endHostTime - Self.openingLead > now ? .wait(until: endHostTime - Self.openingLead) : .openNextItem
    }

    /// Returns whether the next item's audio can be appended: the current item's audio has been read to its end, and
    /// the start of the next item is known.
    private func canAppendAudio(of item: OpenedItem) -> Bool {
        guard phase == .playing, audio.isUnfinished, audio.isPrimed, let acceptedAudio = audio.acceptedAudio,
            acceptedAudio.speed == Double(rate)
        else { return false }
        return !item.isAudioAppended && item.audioMatchesDeviceFormat && item.audio.usesDevice && item.isVideoReady
            && (hasReadAll || hasForwardPlaybackEndTime)
    }

    /// Returns the way in which the player changes to a new item.
    ///
    /// - Parameters:
    ///   - isStillCurrent: Whether the new item is still the player's current item.
    ///   - isOpened: Whether the new item was opened in advance without an error.
    ///   - isAudioAppended: Whether the new item's audio was appended to the current item's audio.
    ///   - hasCurrentItem: Whether there is a current item to replace.
    static func itemTransition(
        isStillCurrent: Bool, isOpened: Bool, isAudioAppended: Bool, hasCurrentItem: Bool
    ) -> ItemTransition {
        guard isStillCurrent else { return .ignore }
        return isOpened && !isAudioAppended && hasCurrentItem ? .makeOpenedItemCurrent : .replace
    }

    /// Returns whether the current item must seek after the next item was closed, because audio of the next item was
    /// already written to the device.
    static func mustSeekAfterClosingNextItem(
        isNextAudioWritten: Bool, phase: PlaybackPhase?, isSeekable: Bool
    ) -> Bool {
        isNextAudioWritten && phase == .playing && isSeekable
    }
}
