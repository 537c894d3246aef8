import Synchronization
import SystemCalls

extension PurgeableBuffer {
    /// The number of pages that are released or restored before the lock is released once.
    private static var batchSize: Int { 64 }

    /// Starts an access: the content stays until ``endContentAccess()``. If the kernel may have taken the content,
    /// checks each page.
    ///
    /// - Returns: Whether the content is complete. If it is gone, the access has not started.
    public func beginContentAccess() -> Bool {
        var step = state.withLock { state -> Restoring in
            guard !state.isDiscarded else { return .isDiscarded }
            state.accessCount += 1
            return restoreBatch(&state)
        }
        while step == .goesOn { step = state.withLock { restoreBatch(&$0) } }
        if step == .foundGone { returnMemory() }
        return step == .isComplete
    }

    /// Ends an access. The last one permits the kernel to take the content. An end without a start fails a
    /// precondition.
    public func endContentAccess() {
        var goesOn = state.withLock { state in
            precondition(state.accessCount > 0, "endContentAccess() without beginContentAccess()")
            state.accessCount -= 1
            return releaseBatch(&state)
        }
        while goesOn { goesOn = state.withLock { releaseBatch(&$0) } }
    }

    /// Discards the content at once if there is no access.
    public func discardContentIfPossible() {
        let isDiscardedNow = state.withLock { state in
            guard state.accessCount == 0, !state.isDiscarded else { return false }
            state.isDiscarded = true
            return true
        }
        if isDiscardedNow { returnMemory() }
    }

    /// Whether the content is known to be gone. Checks only the first page, so that the call takes constant time: if
    /// this is false, ``beginContentAccess()`` may still fail.
    public var isContentDiscarded: Bool {
        let (isDiscarded, isFoundGone) = state.withLock { state -> (Bool, Bool) in
            guard !state.isDiscarded, state.accessCount == 0, state.releasedPageCount > 0,
                firstWord(ofPage: 0).pointee.load(ordering: .relaxed) != Self.mark
            else { return (state.isDiscarded, false) }
            state.isDiscarded = true
            return (true, true)
        }
        if isFoundGone { returnMemory() }
        return isDiscarded
    }

    /// The result of restoring some pages.
    private enum Restoring {
        /// All pages are restored.
        case isComplete
        /// Further pages are released.
        case goesOn
        /// A page was missing. The caller returns the memory to the kernel.
        case foundGone
        /// Another thread found a page missing.
        case isDiscarded
    }

    /// Restores the last released pages, for a thread that has counted its access. Withdraws the access if a page is
    /// missing.
    private func restoreBatch(_ state: inout State) -> Restoring {
        guard !state.isDiscarded else {
            state.accessCount -= 1
            return .isDiscarded
        }
        let first = max(0, state.releasedPageCount - Self.batchSize)
        while state.releasedPageCount > first {
            let page = state.releasedPageCount - 1
            // The exchange writes to the page, so that the kernel keeps it from then on. A page that the kernel takes
            // before the exchange is zero, and the exchange fails.
            let isPresent = firstWord(ofPage: page).pointee.compareExchange(
                expected: Self.mark, desired: state.words[page], ordering: .acquiringAndReleasing
            ).exchanged
            guard isPresent else {
                state.isDiscarded = true
                state.accessCount -= 1
                return .foundGone
            }
            state.releasedPageCount = page
        }
        return first == 0 ? .isComplete : .goesOn
    }

    /// Releases the next pages, unless there is an access again.
    ///
    /// - Returns: Whether further pages are to be released.
    private func releaseBatch(_ state: inout State) -> Bool {
        guard state.accessCount == 0, !state.isDiscarded, state.releasedPageCount < pages.count else { return false }
        let batch = state.releasedPageCount..<min(state.releasedPageCount + Self.batchSize, pages.count)
        for page in batch {
            state.words[page] = firstWord(ofPage: page).pointee.exchange(Self.mark, ordering: .acquiringAndReleasing)
        }
        // If the kernel does not know the advice (before Linux 4.5), it never takes the pages, and the marks stay.
        try? pages.advise(.free, pages: batch)
        state.releasedPageCount = batch.upperBound
        return batch.upperBound < pages.count
    }

    /// Returns the memory of discarded content to the kernel. No thread accesses it: accesses to discarded content do
    /// not start, and the content is discarded only while there are none.
    private func returnMemory() { try? pages.advise(.doNotNeed, pages: 0..<pages.count) }

    /// The first word of a page, which threads access under the lock; the kernel changes it to zero when it takes the
    /// page.
    private func firstWord(ofPage page: Int) -> UnsafeMutablePointer<Atomic<UInt64>> {
        (pages.base + page * MemoryPages.size).assumingMemoryBound(to: Atomic<UInt64>.self)
    }
}
