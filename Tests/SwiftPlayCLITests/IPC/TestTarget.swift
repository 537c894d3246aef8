import Synchronization

@testable import SwiftPlayCLI

/// A player that is only a table of properties.
final class TestTarget: IPCTarget {
    struct State {
        /// A property whose value is nil is unavailable.
        var properties: [String: JSONValue?] = [
            "pause": false, "volume": 100.0, "time-pos": nil, "pid": 8129, "playlist": [], "title": "t",
            "mpv-version": "0",
        ]
        var commands: [IPCCommand] = []
        var reads = 0
    }

    private let state = Mutex(State())
    /// Called after each `quit`, on the server's thread.
    private let onQuit: @Sendable () -> Void

    init(onQuit: @escaping @Sendable () -> Void = {}) { self.onQuit = onQuit }

    var commands: [IPCCommand] { state.withLock { $0.commands } }
    var reads: Int { state.withLock { $0.reads } }

    /// Changes a property behind the remote control's back.
    func change(_ name: String, to value: JSONValue?) {
        state.withLock { _ = $0.properties.updateValue(value, forKey: name) }
    }

    func getProperty(_ name: String) throws(IPCError) -> JSONValue {
        let found = state.withLock { state in
            state.reads += 1
            return state.properties[name]
        }
        guard let known = found else { throw .propertyNotFound }
        guard let value = known else { throw .propertyUnavailable }
        return value
    }

    func setProperty(_ name: String, _ value: JSONValue) throws(IPCError) {
        guard let known = state.withLock({ $0.properties[name] }) else { throw .propertyNotFound }
        switch known {
        case nil: throw .propertyUnavailable
        case .bool: change(name, to: .bool(try value.propertyFlag()))
        case .double: change(name, to: .double(try value.propertyNumber(in: 0...1000)))
        case .string where name == "title": change(name, to: value)
        default: throw .propertyError
        }
    }

    func run(_ command: String, _ arguments: [JSONValue]) throws(IPCError) -> JSONValue? {
        state.withLock { $0.commands.append(IPCCommand(command, arguments)) }
        switch command {
        case "loadfile": return ["playlist_entry_id": 1]
        case "seek": throw .commandFailed
        case "cycle":
            guard case .bool(let flag) = try getProperty("pause") else { throw .commandFailed }
            change("pause", to: .bool(!flag))
            return nil
        case "quit":
            onQuit()
            return nil
        case "show-text", "stop": return nil
        default: throw .invalidParameter
        }
    }
}
