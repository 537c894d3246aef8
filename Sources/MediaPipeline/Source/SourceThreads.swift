import Glibc
import SystemCalls

/// The threads of a ``LocalMediaSource``, and the end of them.
final class SourceThreads: Sendable {
    private struct State {
        var threads: [NamedThread] = []
        var isClosed = false
    }

    private let state = Monitor(State())

    /// Starts a thread. One of the same name that runs already is joined by the new one before `body` runs: it is on
    /// its way out.
    ///
    /// - Throws: `ECANCELED` after ``close()``: a reader that was left behind may come back later, and no owner would
    ///   join what it starts.
    func spawn(_ name: String, _ body: @escaping @Sendable () -> Void) throws(SystemCallError) {
        try state.withLock { (state: inout State) throws(SystemCallError) in
            guard !state.isClosed else { throw SystemCallError(call: "pthread_create", number: ECANCELED) }
            let old = state.threads.filter { $0.name == name }
            state.threads.removeAll { $0.name == name }
            do throws(SystemCallError) {
                state.threads.append(
                    try NamedThread(name) {
                        for thread in old { thread.join() }
                        body()
                    })
            } catch {
                state.threads += old
                throw error
            }
        }
    }

    /// Refuses new threads.
    func close() { state.withLock { $0.isClosed = true } }

    /// - Parameter deadline: host nanoseconds.
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

    /// Gives up the threads that still run.
    func leaveBehind() { while let thread = state.withLock({ $0.threads.popLast() }) { thread.leaveBehind() } }
}
