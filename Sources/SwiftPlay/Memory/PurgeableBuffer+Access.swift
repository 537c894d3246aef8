import Synchronization
import SystemCalls

extension PurgeableBuffer {
    /// The maximum number of pages that are released or restored in one critical section.
    private static var batchSize: Int { 64 }

    /// Starts an access: the content stays until ``endContentAccess()``. If the kernel may have taken the content,
    /// checks each page.
    ///
    /// - Returns: Whether the content is complete. If it was discarded, the access has not started.
    public func beginContentAccess() -> Bool {
        var progress = state.withLock { state -> RestoreProgress in
            guard !state.isDiscarded else { return .wasDiscarded }
            state.accessCount += 1
            return restoreBatch(&state)
        }
        while progress == .hasMorePages { progress = state.withLock { restoreBatch(&$0) } }
        if progress == .foundMissingPage { returnMemory() }
        return progress == .isComplete
    }

    /// Ends an access. When no access is left, the kernel may take the content. A call without a started access fails a
    /// precondition.
    public func endContentAccess() {
        var hasMorePages = state.withLock { state in
            precondition(state.accessCount > 0, "endContentAccess() without beginContentAccess()")
            state.accessCount -= 1
            return releaseBatch(&state)
        }
        while hasMorePages { hasMorePages = state.withLock { releaseBatch(&$0) } }
    }

    /// Discards the content at once if there is no access.
    public func discardContentIfPossible() {
        let isNewlyDiscarded = state.withLock { state in
            guard state.accessCount == 0, !state.isDiscarded else { return false }
            state.isDiscarded = true
            return true
        }
        if isNewlyDiscarded { returnMemory() }
    }

    /// Whether the content is known to be discarded. Checks only the first page, so that the getter takes constant
    /// time. If this is false, ``beginContentAccess()`` may still return false.
    public var isContentDiscarded: Bool {
        let (isDiscarded, isNewlyDiscarded) = state.withLock { state -> (Bool, Bool) in
            guard !state.isDiscarded, state.accessCount == 0, state.releasedPageCount > 0,
                firstWord(ofPage: 0).pointee.load(ordering: .relaxed) != Self.releaseMark
            else { return (state.isDiscarded, false) }
            state.isDiscarded = true
            return (true, true)
        }
        if isNewlyDiscarded { returnMemory() }
        return isDiscarded
    }

    /// The result of restoring a batch of pages.
    private enum RestoreProgress {
        /// All pages are restored.
        case isComplete
        /// Further pages must be restored.
        case hasMorePages
        /// The kernel has taken a page. The caller must return the memory to the kernel.
        case foundMissingPage
        /// The content was discarded before: by another thread, which found a missing page, or on request.
        case wasDiscarded
    }

    /// Restores a batch of released pages, the last ones first. The caller has increased the access count; if a page is
    /// missing, this method decreases the count.
    private func restoreBatch(_ state: inout State) -> RestoreProgress {
        guard !state.isDiscarded else {
            state.accessCount -= 1
            return .wasDiscarded
        }
        let firstPage = max(0, state.releasedPageCount - Self.batchSize)
        while state.releasedPageCount > firstPage {
            let page = state.releasedPageCount - 1
            // The exchange writes to the page, so that the kernel keeps it from then on. A page that the kernel takes
            // before the exchange is zero, and the exchange fails.
            let isPresent = firstWord(ofPage: page).pointee.compareExchange(
                expected: Self.releaseMark, desired: state.savedWords[page], ordering: .acquiringAndReleasing
            ).exchanged
            guard isPresent else {
                state.isDiscarded = true
                state.accessCount -= 1
                return .foundMissingPage
            }
            state.releasedPageCount = page
        }
        return firstPage == 0 ? .isComplete : .hasMorePages
    }

    /// Releases the next batch of pages, unless an access is under way again.
    ///
    /// - Returns: Whether further pages must be released.
    private func releaseBatch(_ state: inout State) -> Bool {
        guard state.accessCount == 0, !state.isDiscarded, state.releasedPageCount < pages.count else { return false }
        let batch = state.releasedPageCount..<min(state.releasedPageCount + Self.batchSize, pages.count)
        for page in batch {
            state.savedWords[page] = firstWord(ofPage: page).pointee.exchange(
                Self.releaseMark, ordering: .acquiringAndReleasing)
        }
        // If the kernel does not know the advice (before Linux 4.5), it never takes the pages, and the marks stay.
        try? pages.advise(.free, pages: batch)
        state.releasedPageCount = batch.upperBound
        return batch.upperBound < pages.count
    }

    /// Returns the memory of discarded content to the kernel. No thread accesses the memory, because content is
    /// discarded only while there are no accesses, and no access to discarded content starts.
    private func returnMemory() { try? pages.advise(.doNotNeed, pages: 0..<pages.count) }

    /// Returns the first word of a page. Threads access the word under the lock. The kernel changes it to zero when it
    /// takes the page.
    private func firstWord(ofPage page: Int) -> UnsafeMutablePointer<Atomic<UInt64>> {
        (pages.base + page * MemoryPages.size).assumingMemoryBound(to: Atomic<UInt64>.self)
    }
}
