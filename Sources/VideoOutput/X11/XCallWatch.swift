import Glibc
import SystemCalls

/// Ends connections to X servers that keep one thread waiting for too long.
///
/// libxcb waits for an answer, or for room to write, without a deadline. Calls that may wait are announced here, and the
/// thread "display watch" shuts the socket of a call down that takes longer than ``patience``: the call then fails, and
/// ``XConnection/isBroken`` is true. One thread makes the calls, one at a time.
package final class XCallWatch: Sendable {
    private struct State {
        var call: (connection: XConnection, since: Int64)?
        /// The thread waits for the next call without a deadline.
        var isAsleep = true
        var hasCalled = false
        var isClosed = false
    }

    /// Nanoseconds that a server may keep the thread waiting.
    package static let patience: Int64 = 500_000_000

    private let state = Monitor(State())
    private let thread: NamedThread

    package init() throws(SystemCallError) {
        let state = state
        thread = try NamedThread("display watch") { Self.watch(state) }
    }

    deinit {
        state.update { $0.isClosed = true }
        thread.join()
    }

    /// Runs a call that may wait for the server. Not nested.
    func during<Result>(_ connection: XConnection, _ call: () -> Result) -> Result {
        let wakes = state.withLock { state in
            state.call = (connection, MonotonicTime.now)
            state.hasCalled = true
            defer { state.isAsleep = false }
            return state.isAsleep
        }
        // Waking the thread costs more than the call, and is done for the first call after a pause only.
        if wakes { state.update { _ in } }
        defer { state.withLock { $0.call = nil } }
        return call()
    }

    private static func watch(_ state: Monitor<State>) {
        while state.wait({ state in state.isClosed ? false : state.isAsleep ? nil : true }) == true {
            while true {
                let due: Int64? = state.withLock { state in
                    let now = MonotonicTime.now
                    if let call = state.call {
                        guard now >= call.since + patience else { return call.since + patience }
                        // The call holds the connection, and so its descriptor is open.
                        _ = shutdown(call.connection.descriptor, Int32(SHUT_RDWR))
                        return now + patience
                    }
                    defer { state.hasCalled = false }
                    state.isAsleep = !state.hasCalled
                    return state.hasCalled ? now + patience : nil
                }
                guard let due else { break }
                if state.wait(until: due, { $0.isClosed ? true : nil }) == true { return }
            }
        }
    }
}
