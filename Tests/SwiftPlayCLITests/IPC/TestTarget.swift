import Synchronization

@testable import SwiftPlayCLI

/// A simulated player for tests of the IPC server: it consists of a table of properties and records the commands.
final class TestTarget: IPCTarget {
    struct State {
        /// The properties by name. A property whose value is nil is unavailable.
        var properties: [String: JSONValue?] = [
            "pause": false, "volume": 100.0, "time-pos": nil, "pid": 8129, "playlist": [], "title": "t",
            "mpv-version": "0",
        ]
        /// The received commands, in order.
        var commands: [IPCCommand] = []
    }

    private let state = Mutex(State())
    /// Called after each `quit`, on the server's thread.
    private let onQuit: @Sendable () -> Void

    init(onQuit: @escaping @Sendable () -> Void = {}) { self.onQuit = onQuit }

    var commands: [IPCCommand] { state.withLock { $0.commands } }

    /// Changes a property without notifying the server.
    func changeProperty(_ name: String, to value: JSONValue?) {
        state.withLock { _ = $0.properties.updateValue(value, forKey: name) }
    }

    func getProperty(_ name: String) throws(IPCError) -> JSONValue {
        let property = state.withLock { state in
            return state.properties[name]
        }
        guard let currentValue = property else { throw .propertyNotFound }
        guard let value = currentValue else { throw .propertyUnavailable }
        return value
    }

    func changesOfProperty(_ name: String) -> PropertyChanges { .withPlayback }

    func argumentNames(ofCommand command: String) -> [String]? { PlayerCommand.parameterNames(of: command) }

    func setProperty(_ name: String, _ value: JSONValue) throws(IPCError) {
        guard let currentValue = state.withLock({ $0.properties[name] }) else { throw .propertyNotFound }
        switch currentValue {
        case nil: throw .propertyUnavailable
        case .bool: changeProperty(name, to: .bool(try value.propertyFlag()))
        case .double: changeProperty(name, to: .double(try value.propertyNumber(in: 0...1000)))
        case .string where name == "title": changeProperty(name, to: value)
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
            changeProperty("pause", to: .bool(!flag))
            return nil
        case "quit":
            onQuit()
            return nil
        case "show-text", "stop": return nil
        default: throw .invalidParameter
        }
    }
}
