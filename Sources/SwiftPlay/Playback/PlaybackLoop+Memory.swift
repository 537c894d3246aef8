/// The memory budget of the program, which depends on the program's role.
extension PlaybackLoop {
    /// Applies the limits of unused frames and of decoding threads, if they have changed.
    func applyMemoryBudget() {
        let budget = Application.shared.memoryBudget
        if budget.spareFrameLimit != spareFrameLimit {
            spareFrameLimit = budget.spareFrameLimit
            core.pool.setFreeSlotLimit(spareFrameLimit)
        }
        let threadLimit = decoderThreadLimit(in: budget)
        guard let currentItem, sentDemands.decoderThreadLimit != .some(threadLimit) else { return }
        sentDemands.decoderThreadLimit = .some(threadLimit)
        currentItem.source.setDecoderThreadLimit(threadLimit)
    }

    /// The largest number of video decoding threads; nil for no limit. Playback that does not follow the clock is not
    /// limited, because a user waits for its end.
    func decoderThreadLimit(in budget: MemoryBudget) -> Int? {
        core.configuration.isUntimed ? nil : budget.decoderThreadLimit
    }

    /// Makes the player's thread apply the memory budget after each change.
    func followMemoryBudget() {
        Application.shared.setBudgetHandler(core) { [weak core] in core?.wakeEvent.signal() }
        Application.shared.setPlayerMemoryFunction(core) { [weak core] in
            guard let core else { return nil }
            let item = core.snapshot.withLock { $0.item }
            return Application.PlayerMemory(
                frameBytes: core.pool.usage.bytes, packetBytes: item?.bufferingState?.packetBytes ?? 0)
        }
    }

    /// Stops applying changes of the memory budget (``followMemoryBudget()``).
    func stopFollowingMemoryBudget() {
        Application.shared.setBudgetHandler(core, nil)
        Application.shared.setPlayerMemoryFunction(core, nil)
    }
}
