import SystemCalls

/// Removes code that only a start needs from the compositor's memory, some time after the last program connected.
///
/// The thread "trim code" does it, because the loader's lock may be held by a thread that reads a library from a disk.
final class CodeTrimmer: EventSource {
    /// The time from a new connection until the code for the start of its windows and sounds is not used any more, in
    /// nanoseconds.
    private static let delay: Int64 = 3_000_000_000

    /// The host time of the next removal; nil if none is planned.
    private(set) var deadline: Int64?
    private var thread: NamedThread?

    /// Waits for the thread, unless the loader hangs.
    deinit {
        if let thread, !thread.join(until: MonotonicTime.now) { thread.detach() }
    }

    /// Plans a removal, because the process has started something.
    func setNeedsTrimming(now: Int64) { deadline = now + Self.delay }

    func process(_ ready: ArraySlice<Poll.Entry>, now: Int64) {
        guard let deadline, now >= deadline else { return }
        if let thread, !thread.join(until: now) {
            // The last removal has not ended.
            return setNeedsTrimming(now: now)
        }
        self.deadline = nil
        thread = try? NamedThread("trim code") {
            HeapTuning.trimHeap()
            CodePages.unmap()
        }
    }
}
