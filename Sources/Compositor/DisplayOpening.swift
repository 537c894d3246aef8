import SystemCalls
import VideoOutput

/// A connection to an X server on its way: made on a thread of its own, since a server that accepts connections and never
/// answers would be waited for without end.
final class DisplayOpening: Sendable {
    enum Outcome: Sendable {
        case connected(XConnection)
        case failed(String)
    }

    private struct State {
        var socket: XDisplaySocket?
        var outcome: Outcome?
        var isCancelled = false
    }

    /// Host time at which the server is waited for no longer.
    let deadline: Int64
    /// Nanoseconds.
    private static let patience: Int64 = 3_000_000_000
    private let state: Monitor<State>
    private let thread: NamedThread

    /// - Parameter wake: signalled when there is an outcome.
    init(display: String, authority: String, watch: XCallWatch, wake: EventDescriptor) throws(SystemCallError) {
        let state = Monitor(State()), deadline = MonotonicTime.now + Self.patience
        (self.state, self.deadline) = (state, deadline)
        thread = try NamedThread("display open") {
            let outcome: Outcome
            do throws(XError) {
                let socket = try XDisplaySocket(display: display, until: deadline)
                let isCancelled = state.withLock { state in
                    state.socket = socket
                    return state.isCancelled
                }
                if isCancelled { socket.shutdown() }
                outcome = .connected(try XConnection(socket: socket, authority: authority, watch: watch))
            } catch { outcome = .failed(error.description) }
            state.withLock { ($0.outcome, $0.socket) = (outcome, nil) }
            wake.signal()
        }
    }

    deinit {
        cancel()
        // Only the look-up of a host's name is not called off: the thread ends after it.
        if isOver { thread.join() } else { thread.leaveBehind() }
    }

    /// Stops waiting for the server; the outcome follows.
    func cancel() {
        state.withLock { state in
            state.isCancelled = true
            return state.socket
        }?.shutdown()
    }

    var isOver: Bool { outcome != nil }

    /// nil while the connection is on its way.
    var outcome: Outcome? { state.withLock { $0.outcome } }
}
