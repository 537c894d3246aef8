import Glibc
import HTTPTransfer
import SystemCalls

/// The threads of a ``LocalMediaSource``. Starts and joins them.
final class SourceThreads: Sendable {
    /// The running threads, protected by a lock.
    private struct State {
        var threads: [NamedThread] = []
        /// Whether no more threads may be started.
        var isClosed = false
    }

    private let state = Monitor(State())

    /// Starts a thread. A thread of the same name that is still running is about to end; the new thread joins that
    /// thread before `body` runs.
    ///
    /// - Throws: `ECANCELED` after ``close()``: a detached reader may still call this method, and no owner would join a
    ///   thread that it starts.
    func spawn(_ name: String, _ body: @escaping @Sendable () -> Void) throws(SystemCallError) {
        try state.withLock { (state: inout State) throws(SystemCallError) in
            guard !state.isClosed else { throw SystemCallError(call: "pthread_create", number: ECANCELED) }
            let previousThreads = state.threads.filter { $0.name == name }
            state.threads.removeAll { $0.name == name }
            do throws(SystemCallError) {
                state.threads.append(
                    try NamedThread(name) {
                        for thread in previousThreads { thread.join() }
                        body()
                    })
            } catch {
                state.threads += previousThreads
                throw error
            }
        }
    }

    /// Releases the memory of received bytes on another thread, because that takes milliseconds, in which a reading
    /// thread would read no packets.
    func release(_ droppedBytes: [DroppedBytes]) {
        guard !droppedBytes.isEmpty else { return }
        do throws(SystemCallError) {
            try spawn("cache release") { for bytes in droppedBytes { bytes.release() } }
        } catch {
            // The source is being closed, or the system cannot start another thread.
            for bytes in droppedBytes { bytes.release() }
        }
    }

    /// Prevents new threads from now on: ``spawn(_:_:)`` throws.
    func close() { state.withLock { $0.isClosed = true } }

    /// Waits for all threads to end.
    ///
    /// - Parameter deadline: The deadline in host nanoseconds.
    /// - Returns: whether all threads have ended.
    func join(until deadline: Int64) -> Bool {
        while let thread = state.withLock({ $0.threads.popLast() }) {
            guard thread.join(until: deadline) else {
                state.withLock { $0.threads.append(thread) }
                return false
            }
        }
        return true
    }

    /// Detaches the threads that are still running.
    func detachAll() { while let thread = state.withLock({ $0.threads.popLast() }) { thread.detach() } }
}
