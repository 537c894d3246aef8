/// The program's memory budget, which follows its role.
extension PlaybackLoop {
    /// Applies the limit of unused frames to the pool, if it has changed.
    func updateSpareFrames() {
        let limit = Application.shared.memoryBudget.spareFrameLimit
        guard limit != spareFrameLimit else { return }
        spareFrameLimit = limit
        core.pool.setSpareLimit(limit)
    }

    /// Has the thread "player" apply a changed budget as soon as it changes.
    func followMemoryBudget() {
        Application.shared.setBudgetHandler(core) { [weak core] in core?.wake.signal() }
    }
}
