import SystemCalls

/// A thread-safe buffer of the most recent output of a program.
package final class OutputBuffer: Sendable {
    private struct State {
        var bytes: [UInt8] = []
        var totalByteCount = 0
    }
    private let state = Monitor(State())
    /// The number of most recent output bytes that are always kept; older bytes may be discarded.
    private let limit: Int

    package init(limit: Int = 1 << 20) { self.limit = limit }

    package func append(_ newBytes: some Collection<UInt8>) {
        state.update { state in
            state.bytes.append(contentsOf: newBytes)
            state.totalByteCount += newBytes.count
            // Remove old bytes only when there are twice as many as the limit, so that appending stays cheap.
            if state.bytes.count > 2 * limit { state.bytes.removeFirst(state.bytes.count - limit) }
        }
    }

    /// The most recent output of the program, at most `limit` bytes.
    package var bytes: [UInt8] { state.withLock { Array($0.bytes.suffix(limit)) } }
    /// The most recent output as text; invalid UTF-8 is replaced.
    package var text: String { String(decoding: bytes, as: UTF8.self) }
    /// The number of bytes that the program has written since its start.
    package var totalByteCount: Int { state.withLock { $0.totalByteCount } }

    /// Waits until the most recent output contains `expectedText`. Returns false if it does not within `timeout`.
    package func wait(for expectedText: String, within timeout: Duration = .seconds(10)) -> Bool {
        state.wait(until: Deadline.after(timeout)) { state -> Bool? in
            String(decoding: state.bytes, as: UTF8.self).contains(expectedText) ? true : nil
        } ?? false
    }

    /// Waits until the program has written `count` bytes since its start. Returns false if it has not within
    /// `timeout`.
    package func wait(forTotalByteCount count: Int, within timeout: Duration = .seconds(10)) -> Bool {
        state.wait(until: Deadline.after(timeout)) { $0.totalByteCount >= count ? true : nil } ?? false
    }
}
