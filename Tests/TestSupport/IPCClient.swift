import CLinux
import Foundation
import SystemCalls

/// A client for mpv's JSON IPC protocol over a Unix socket. Each line is one JSON object, and each command has a
/// request id.
package final class IPCClient: Sendable {
    private struct State {
        var nextID = 1
        /// The received replies that ``exchange(_:within:)`` has not returned yet, by request id.
        var replies: [Int: JSONValue] = [:]
        var events: [JSONValue] = []
        var isClosed = false
        /// The received bytes of the last line, which is not complete yet.
        var partialLine: [UInt8] = []
    }
    private let state: Monitor<State>
    private let socket: SharedDescriptor
    private let reader: NamedThread

    /// Connects to `path`, and retries until a server listens there or `timeout` has passed.
    ///
    /// - Throws: ``TestFailure`` if no server accepts the connection within `timeout`.
    package init(path: String, within timeout: Duration = .seconds(10)) throws {
        guard let socket = Deadline.poll(for: timeout, { Self.connect(path) }) else {
            throw TestFailure("no server listens at \(path) after \(timeout)")
        }
        self.socket = socket
        let state = Monitor(State())
        self.state = state
        reader = try NamedThread("ipc-client") { Self.read(socket, into: state) }
    }

    deinit {
        shutdown(socket.raw, Int32(SHUT_RDWR))
        reader.join()
    }

    /// Whether the player has closed the connection.
    package var isClosed: Bool { state.withLock { $0.isClosed } }
    /// All IPC events received so far, oldest first.
    package var events: [JSONValue] { state.withLock { $0.events } }

    /// Sends a command and returns the complete reply (`error`, `data`, `request_id`).
    ///
    /// - Throws: ``TestFailure`` if no reply arrives within `timeout` or the player closes the connection.
    package func exchange(_ command: [JSONValue], within timeout: Duration = .seconds(5)) throws -> JSONValue {
        let id = state.withLock { state in
            defer { state.nextID += 1 }
            return state.nextID
        }
        try send(line: .object(["command": .array(command), "request_id": .number(Double(id))]))
        let receivedReply = state.wait(until: Deadline.after(timeout)) { state -> JSONValue?? in
            if let reply = state.replies.removeValue(forKey: id) { return .some(reply) }
            return state.isClosed ? .some(nil) : nil
        }
        guard let reply = receivedReply ?? nil else { throw TestFailure("no reply to \(command) within \(timeout)") }
        return reply
    }

    /// Sends a command and returns the `data` of its reply.
    ///
    /// - Throws: ``TestFailure`` if the player replies with an error.
    @discardableResult
    package func command(_ command: [JSONValue], within timeout: Duration = .seconds(5)) throws -> JSONValue {
        let reply = try exchange(command, within: timeout)
        guard reply["error"] == "success" else {
            throw TestFailure("the reply to \(command) is \(reply["error"] ?? .null)")
        }
        return reply["data"] ?? .null
    }

    /// Returns the value of a property of the player.
    package func property(_ name: String) throws -> JSONValue { try command(["get_property", .string(name)]) }
    package func setProperty(_ name: String, _ value: JSONValue) throws {
        try command(["set_property", .string(name), value])
    }

    /// Polls a property of the player until `condition` returns true for its value, and returns the value. The value of
    /// an unavailable property is null.
    @discardableResult
    package func waitForProperty(
        _ name: String, within timeout: Duration = .seconds(10), where condition: (JSONValue) -> Bool
    ) throws -> JSONValue {
        var lastValue = JSONValue.null
        let matchingValue = try Deadline.poll(for: timeout, every: .milliseconds(5)) { () throws -> JSONValue? in
            lastValue = try exchange(["get_property", .string(name)])["data"] ?? .null
            // `condition(lastValue) ? lastValue : nil` would return a JSON null instead of nil, because ``JSONValue``
            // has a nil literal.
            return condition(lastValue) ? .some(lastValue) : .none
        }
        guard let matchingValue else { throw TestFailure("\(name) is still \(lastValue) after \(timeout)") }
        return matchingValue
    }

    /// Waits for an event with this name for which `condition` returns true. Events that arrived before this method was
    /// called count too.
    @discardableResult
    package func waitForEvent(
        _ name: String, within timeout: Duration = .seconds(10), where condition: (JSONValue) -> Bool = { _ in true }
    ) throws -> JSONValue {
        let matchingEvent = state.wait(until: Deadline.after(timeout)) { state in
            state.events.first { $0["event"] == .string(name) && condition($0) }
        }
        guard let matchingEvent else {
            throw TestFailure("no event \(name) within \(timeout); seen: \(events.compactMap { $0["event"]?.string })")
        }
        return matchingEvent
    }

    /// Sends raw bytes, for tests of malformed input.
    package func send(bytes: [UInt8]) throws {
        var unsentBytes = bytes[...]
        while !unsentBytes.isEmpty {
            let sentCount = try unsentBytes.withUnsafeBytes { buffer in
                try systemCall("send") { Glibc.send(socket.raw, buffer.baseAddress, buffer.count, Int32(MSG_NOSIGNAL)) }
            }
            unsentBytes = unsentBytes.dropFirst(sentCount)
        }
    }

    /// Sends a JSON object as one line.
    private func send(line: JSONValue) throws { try send(bytes: Array(JSONEncoder().encode(line)) + [0x0A]) }

    /// Returns a socket that is connected to the server at `path`; nil if no server accepts the connection.
    private static func connect(_ path: String) -> SharedDescriptor? {
        let descriptor = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return nil }
        let socket = SharedDescriptor(FileDescriptor(owning: descriptor))
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.dropLast().copyBytes(from: path.utf8.prefix($0.count - 1)) }
        let connectResult = withUnsafeBytes(of: &address) {
            Glibc.connect(descriptor, $0.assumingMemoryBound(to: sockaddr.self).baseAddress, socklen_t($0.count))
        }
        return connectResult == 0 ? socket : nil
    }

    /// Reads and stores lines from the player until the connection ends; runs on the client's reader thread.
    private static func read(_ socket: SharedDescriptor, into state: Monitor<State>) {
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while let count = try? systemCall("read", { Glibc.read(socket.raw, &buffer, buffer.count) }), count > 0 {
            state.update { state in
                state.partialLine += buffer[..<count]
                while let end = state.partialLine.firstIndex(of: 0x0A) {
                    storeReceivedLine(state.partialLine[..<end], &state)
                    state.partialLine.removeSubrange(...end)
                }
            }
        }
        state.update { $0.isClosed = true }
    }

    /// Stores a line from the player as an event or a reply; ignores a line that is not JSON.
    private static func storeReceivedLine(_ line: ArraySlice<UInt8>, _ state: inout State) {
        guard let value = try? JSONDecoder().decode(JSONValue.self, from: Data(line)) else { return }
        if value["event"] != nil {
            state.events.append(value)
        } else if let id = value["request_id"]?.number {
            state.replies[Int(id)] = value
        }
    }
}
