import SystemCalls

extension IPCSession {
    /// The result of `get_version`: mpv 0.35's client API 2.0, as `major << 16 | minor`.
    static let clientAPIVersion: Int64 = 2 << 16

    /// Executes a command of the IPC protocol itself; returns nil if `command` is a command of the player.
    mutating func runProtocolCommand(_ command: IPCCommand, on target: any IPCTarget) -> IPCReply.Outcome? {
        let arguments = command.arguments
        do throws(IPCError) {
            switch command.name {
            case "client_name": return .success(.string(name))
            case "get_version": return .success(.int(Self.clientAPIVersion))
            case "get_time_us": return .success(.int((MonotonicTime.now - startTime) / 1000))
            case "get_property":
                return .success(try target.getProperty(try Self.stringArgument(arguments, of: 1)))
            case "get_property_string":
                let value = try target.getProperty(try Self.stringArgument(arguments, of: 1))
                return .success(.string(value.propertyString))
            case "set_property", "set_property_string":
                try target.setProperty(try Self.stringArgument(arguments, of: 2), arguments[1])
            case "observe_property", "observe_property_string":
                let property = try Self.stringArgument(arguments, of: 2, at: 1)
                let sendsText = command.name == "observe_property_string"
                try observers.observe(
                    id: try Self.integer(arguments[0]), name: property, sendsText: sendsText,
                    changes: target.changesOfProperty(property))
            case "unobserve_property":
                guard arguments.count == 1 else { throw .invalidParameter }
                observers.unobserve(id: try Self.integer(arguments[0]))
            case "request_log_messages":
                guard Self.logLevels.contains(try Self.stringArgument(arguments, of: 1)) else {
                    throw .invalidParameter
                }
            case "enable_event": try setEvent(try Self.stringArgument(arguments, of: 1), enabled: true)
            case "disable_event": try setEvent(try Self.stringArgument(arguments, of: 1), enabled: false)
            default: return nil
            }
            return .success(nil)
        } catch {
            return .failure(error)
        }
    }

    /// Executes a command of the player. The command `set` sets the property directly.
    func runCommand(_ command: IPCCommand, on target: any IPCTarget) -> IPCReply.Outcome {
        guard let command = command.withoutPrefixes else { return .failure(.invalidParameter) }
        do throws(IPCError) {
            guard command.name == "set" else {
                return .success(try target.run(command.name, command.arguments, client: name) ?? .null)
            }
            let property = try Self.stringArgument(command.arguments, of: 2)
            guard case .string = command.arguments[1] else { throw .invalidParameter }
            do throws(IPCError) {
                try target.setProperty(property, command.arguments[1])
            } catch {
                throw .commandFailed
            }
            return .success(.null)
        } catch {
            return .failure(error)
        }
    }

    /// Enables or disables an event for this client, by name; `all` stands for all events.
    private mutating func setEvent(_ name: String, enabled: Bool) throws(IPCError) {
        // `shutdown` stays enabled, so that every client is notified when the program ends.
        let names: Set<String> = name == "all" ? IPCEvent.knownNames.subtracting(["shutdown"]) : [name]
        guard names.isSubset(of: IPCEvent.knownNames), enabled || name != "shutdown" else { throw .invalidParameter }
        if enabled { disabledEvents.subtract(names) } else { disabledEvents.formUnion(names) }
    }

    /// Returns the string argument at `index`; throws `invalidParameter` if it is no string or if there are not exactly
    /// `count` arguments.
    private static func stringArgument(_ arguments: [JSONValue], of count: Int, at index: Int = 0) throws(IPCError)
        -> String
    {
        guard arguments.count == count else { throw .invalidParameter }
        return try arguments[index].argumentString()
    }

    /// Returns a JSON value as an integer; throws `invalidParameter` if it is no integer.
    private static func integer(_ value: JSONValue) throws(IPCError) -> Int64 {
        guard case .int(let number) = value else { throw .invalidParameter }
        return number
    }

    /// mpv's names of log levels. The server accepts them, but sends no log messages.
    private static let logLevels: Set<String> = [
        "no", "fatal", "error", "warn", "info", "status", "v", "debug", "trace", "terminal-default",
    ]
}
