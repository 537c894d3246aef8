/// Removes from a service's memory the code that is used only while it works for programs that start or end, and trims
/// the heap, 3 s after the last start or end.
///
/// The thread "trim code" removes the code, because the removal waits for the dynamic loader's lock. A thread that
/// loads a library from a slow disk may hold the lock.
package final class CodeTrimmer: EventSource {
    /// The time after which the code of a start or an end is not used any more, in nanoseconds.
    private static let delay: Int64 = 3_000_000_000

    /// The longest time for which ``end()`` waits for the thread, in nanoseconds.
    private static let endTimeout: Int64 = 200_000_000

    /// The host time of the next removal; nil if none is planned.
    package private(set) var deadline: Int64?
    private var thread: NamedThread?
    /// Removes the code and trims the heap.
    private let trim: @Sendable () -> Void
    /// Called if the thread cannot be started; the memory is kept then.
    private let onFailure: (SystemCallError) -> Void

    /// Creates a trimmer that trims when ``setNeedsTrimming(now:)`` asks for it.
    package convenience init(onFailure: @escaping (SystemCallError) -> Void) {
        self.init(trim: Self.trimMemory, onFailure: onFailure)
    }

    init(trim: @escaping @Sendable () -> Void, onFailure: @escaping (SystemCallError) -> Void = { _ in }) {
        (self.trim, self.onFailure) = (trim, onFailure)
        CodePages.prepare()
    }

    /// Returns the free memory of the heap to the kernel, and unmaps the pages of code and constants.
    @Sendable private static func trimMemory() {
        HeapTuning.trimHeap()
        CodePages.unmap()
    }

    deinit { end() }

    /// Waits for the thread, which takes some milliseconds. If the loader hangs, the thread is abandoned.
    package func end() {
        if let thread, !thread.join(until: MonotonicTime.now + Self.endTimeout) { thread.detach() }
        (thread, deadline) = (nil, nil)
    }

    /// Plans a removal ``delay`` after `now`. Replaces an earlier plan.
    package func setNeedsTrimming(now: Int64) { deadline = now + Self.delay }

    package func process(_ ready: ArraySlice<Poll.Entry>, now: Int64) {
        guard let deadline, now >= deadline else { return }
        if let thread, !thread.join(until: now) {
            // Try again later if the last removal has not ended.
            return setNeedsTrimming(now: now)
        }
        self.deadline = nil
        do throws(SystemCallError) {
            thread = try NamedThread("trim code", trim)
        } catch { onFailure(error) }
    }
}
