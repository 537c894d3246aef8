import CLinux
import Foundation
import SystemCalls

/// Speaks mpv's JSON IPC over a Unix socket: one JSON object a line, a request id on each command.
package final class IPCClient: Sendable {
    private struct State {
        var nextID = 1
        var replies: [Int: JSONValue] = [:]
        var events: [JSONValue] = []
        var isClosed = false
        var partial: [UInt8] = []
    }
    private let state: Monitor<State>
    private let socket: SharedDescriptor
    private let reader: NamedThread

    /// Connects to `path`, trying until somebody listens there or `patience` is over.
    package init(path: String, within patience: Duration = .seconds(10)) throws {
        guard let socket = Deadline.poll(for: patience, { Self.connect(path) }) else {
            throw RigError("nobody listens at \(path) after \(patience)")
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

    /// True when the player has closed the connection.
    package var isClosed: Bool { state.withLock { $0.isClosed } }
    /// All events so far, oldest first.
    package var events: [JSONValue] { state.withLock { $0.events } }

    /// Sends a command and waits for its answer, which is returned whole (`error`, `data`, `request_id`).
    package func exchange(_ command: [JSONValue], within patience: Duration = .seconds(5)) throws -> JSONValue {
        let id = state.withLock { state in
            defer { state.nextID += 1 }
            return state.nextID
        }
        try send(line: .object(["command": .array(command), "request_id": .number(Double(id))]))
        let answer = state.wait(until: Deadline.after(patience)) { state -> JSONValue?? in
            if let reply = state.replies.removeValue(forKey: id) { return .some(reply) }
            return state.isClosed ? .some(nil) : nil
        }
        guard let reply = answer ?? nil else { throw RigError("no answer to \(command) within \(patience)") }
        return reply
    }

    /// Sends a command that must succeed; returns its `data`.
    @discardableResult
    package func command(_ command: [JSONValue], within patience: Duration = .seconds(5)) throws -> JSONValue {
        let reply = try exchange(command, within: patience)
        guard reply["error"] == "success" else {
            throw RigError("\(command) was answered with \(reply["error"] ?? .null)")
        }
        return reply["data"] ?? .null
    }

    package func property(_ name: String) throws -> JSONValue { try command(["get_property", .string(name)]) }
    package func setProperty(_ name: String, _ value: JSONValue) throws {
        try command(["set_property", .string(name), value])
    }

    /// Asks for a property until `condition` holds for it, and returns it. A property that is unavailable counts as
    /// null.
    @discardableResult
    package func waitForProperty(
        _ name: String, within patience: Duration = .seconds(10), where condition: (JSONValue) -> Bool
    ) throws -> JSONValue {
        var last = JSONValue.null
        let found = try Deadline.poll(for: patience, every: .milliseconds(5)) { () throws -> JSONValue? in
            last = try exchange(["get_property", .string(name)])["data"] ?? .null
            // Not `? last : nil`: a JSON value can be written nil too.
            return condition(last) ? .some(last) : .none
        }
        guard let found else { throw RigError("\(name) is still \(last) after \(patience)") }
        return found
    }

    /// Waits for an event of this name, one that has come already included, that `condition` holds for.
    @discardableResult
    package func waitForEvent(
        _ name: String, within patience: Duration = .seconds(10), where condition: (JSONValue) -> Bool = { _ in true }
    ) throws -> JSONValue {
        let found = state.wait(until: Deadline.after(patience)) { state in
            state.events.first { $0["event"] == .string(name) && condition($0) }
        }
        guard let found else {
            throw RigError("no event \(name) within \(patience); seen: \(events.compactMap { $0["event"]?.string })")
        }
        return found
    }

    /// Sends bytes as they are, for tests of what a server does with nonsense.
    package func send(bytes: [UInt8]) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let sent = try rest.withUnsafeBytes { piece in
                try systemCall("send") { Glibc.send(socket.raw, piece.baseAddress, piece.count, Int32(MSG_NOSIGNAL)) }
            }
            rest = rest.dropFirst(sent)
        }
    }

    private func send(line: JSONValue) throws { try send(bytes: Array(JSONEncoder().encode(line)) + [0x0A]) }

    private static func connect(_ path: String) -> SharedDescriptor? {
        let number = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard number >= 0 else { return nil }
        let socket = SharedDescriptor(FileDescriptor(owning: number))
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.dropLast().copyBytes(from: path.utf8.prefix($0.count - 1)) }
        let code = withUnsafeBytes(of: &address) {
            Glibc.connect(number, $0.assumingMemoryBound(to: sockaddr.self).baseAddress, socklen_t($0.count))
        }
        return code == 0 ? socket : nil
    }

    private static func read(_ socket: SharedDescriptor, into state: Monitor<State>) {
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while let count = try? systemCall("read", { Glibc.read(socket.raw, &buffer, buffer.count) }), count > 0 {
            state.update { state in
                state.partial += buffer[..<count]
                while let end = state.partial.firstIndex(of: 0x0A) {
                    take(state.partial[..<end], &state)
                    state.partial.removeSubrange(...end)
                }
            }
        }
        state.update { $0.isClosed = true }
    }

    private static func take(_ line: ArraySlice<UInt8>, _ state: inout State) {
        guard let value = try? JSONDecoder().decode(JSONValue.self, from: Data(line)) else { return }
        if value["event"] != nil {
            state.events.append(value)
        } else if let id = value["request_id"]?.number {
            state.replies[Int(id)] = value
        }
    }
}
