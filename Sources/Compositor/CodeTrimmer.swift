import Logging
import SystemCalls

/// Removes code that is used only while programs, windows and audio sessions start from the compositor's memory, 3 s
/// after the last of them started.
///
/// The thread "trim code" removes the code, because the removal waits for the dynamic loader's lock. A thread that
/// loads a library from a slow disk may hold the lock.
final class CodeTrimmer: EventSource {
    /// The time from a start until its code is not used any more, in nanoseconds.
    private static let delay: Int64 = 3_000_000_000

    /// The longest time for which the deinitialiser waits for the thread, in nanoseconds.
    private static let endTimeout: Int64 = 200_000_000

    /// The host time of the next removal; nil if none is planned.
    private(set) var deadline: Int64?
    private var thread: NamedThread?
    private let logger: Logger

    init(logger: Logger) { self.logger = logger }

    /// Waits for the thread, which takes some milliseconds. If the loader hangs, the thread is abandoned.
    deinit {
        if let thread, !thread.join(until: MonotonicTime.now + Self.endTimeout) { thread.detach() }
    }

    /// Plans a removal ``delay`` after `now`. Replaces an earlier plan.
    func setNeedsTrimming(now: Int64) { deadline = now + Self.delay }

    func process(_ ready: ArraySlice<Poll.Entry>, now: Int64) {
        guard let deadline, now >= deadline else { return }
        if let thread, !thread.join(until: now) {
            // The last removal has not ended.
            return setNeedsTrimming(now: now)
        }
        self.deadline = nil
        do throws(SystemCallError) {
            thread = try NamedThread("trim code") {
                HeapTuning.trimHeap()
                CodePages.unmap()
            }
        } catch { logger.debug("the code of the start stays in memory: \(error)") }
    }
}
