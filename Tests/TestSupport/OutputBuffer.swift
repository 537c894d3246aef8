import SystemCalls

/// What a program wrote, the last `limit` bytes of it, safe to read while it goes on writing.
package final class OutputBuffer: Sendable {
    private struct State {
        var bytes: [UInt8] = []
        var total = 0
    }
    private let state = Monitor(State())
    private let limit: Int

    package init(limit: Int = 1 << 20) { self.limit = limit }

    package func append(_ new: some Collection<UInt8>) {
        state.update { state in
            state.bytes.append(contentsOf: new)
            state.total += new.count
            // Cut rarely, so that appending stays cheap.
            if state.bytes.count > 2 * limit { state.bytes.removeFirst(state.bytes.count - limit) }
        }
    }

    /// The last bytes, at most `limit` of them.
    package var bytes: [UInt8] { state.withLock { Array($0.bytes.suffix(limit)) } }
    /// The last bytes as text, with what is not UTF-8 replaced.
    package var text: String { String(decoding: bytes, as: UTF8.self) }
    /// How many bytes were written in all.
    package var total: Int { state.withLock { $0.total } }

    /// Waits until the text holds `words`; false when `patience` was over first.
    package func wait(for words: String, within patience: Duration = .seconds(10)) -> Bool {
        state.wait(until: Deadline.after(patience)) { state -> Bool? in
            String(decoding: state.bytes, as: UTF8.self).contains(words) ? true : nil
        } ?? false
    }

    /// Waits until `count` bytes were written in all.
    package func wait(total count: Int, within patience: Duration = .seconds(10)) -> Bool {
        state.wait(until: Deadline.after(patience)) { $0.total >= count ? true : nil } ?? false
    }
}
