import SwiftPlayKit

/// The commands that show text, press keys and send messages to other clients.
extension PlayerCommand {
    static let messages: [PlayerCommand] = [
        PlayerCommand("show-text", "text:String duration:Integer? level:Integer?") {
            target, arguments throws(IPCError) in
            let text = target.expand(try arguments.text(0)), milliseconds = try arguments.integer(1, default: -1)
            _ = try arguments.integer(2, default: 0)
            let duration = milliseconds < 0 ? defaultMessageMilliseconds : milliseconds
            target.runOnMainQueue { $0.show(text, for: .milliseconds(duration)) }
            return nil
        },
        PlayerCommand("show-progress") { target, _ in
            target.runOnMainQueue { $0.perform(.showControls) }
            return nil
        },
        PlayerCommand("print-text", "text:String") { target, arguments throws(IPCError) in
            StandardErrorWriter.write(target.expand(try arguments.text(0)))
            return nil
        },
        PlayerCommand("expand-text", "text:String") { target, arguments throws(IPCError) in
            .string(target.expand(try arguments.text(0)))
        },
        PlayerCommand("script-message", "args:String*") { target, arguments throws(IPCError) in
            try sendMessage(target, arguments.values, to: nil)
            return nil
        },
        PlayerCommand("script-message-to", "target:String args:String*") { target, arguments throws(IPCError) in
            let recipient = try arguments.text(0)
            // Refuse names without this prefix: in mpv they belong to scripts, which this program does not support.
            guard recipient.hasPrefix(IPCSession.namePrefix) else { throw .commandFailed }
            try sendMessage(target, Array(arguments.values.dropFirst()), to: recipient)
            return nil
        },
        PlayerCommand("keypress", "name:String") { target, arguments throws(IPCError) in
            try press(target, try arguments.text(0))
            return nil
        },
        PlayerCommand("keydown", "name:String") { target, arguments throws(IPCError) in
            try press(target, try arguments.text(0))
            return nil
        },
        PlayerCommand("keyup", "name:String?") { _, arguments throws(IPCError) in
            guard KeyName.canonical(try arguments.text(0, default: "SPACE")) != nil else { throw .commandFailed }
            return nil
        },
        PlayerCommand("keybind", "name:String cmd:String") { target, arguments throws(IPCError) in
            let name = try arguments.text(0), command = try arguments.text(1)
            guard let key = KeyName.canonical(name) else { throw .commandFailed }
            guard IPCTextCommands.parse(Array(command.utf8)[...]) != nil else { throw .invalidParameter }
            try target.state.withLock { state throws(IPCError) in
                let isFull = state.keyBindings.count >= PlayerTarget.keyBindingLimit
                guard state.keyBindings[key] != nil || !isFull, command.utf8.count <= PlayerTarget.keyCommandByteLimit
                else { throw .outOfMemory }
                state.keyBindings[key] = command
            }
            return nil
        },
    ]

    /// The duration of a message without a stated duration, in milliseconds: the default of mpv's `--osd-duration`.
    private static let defaultMessageMilliseconds = 1000

    /// Sends a `client-message` event to all clients, or to the client with the name `recipient`.
    private static func sendMessage(_ target: PlayerTarget, _ arguments: [JSONValue], to recipient: String?)
        throws(IPCError)
    {
        for argument in arguments { _ = try argument.argumentString() }
        let event = IPCEvent("client-message", ["args": .array(arguments)], recipient: recipient)
        target.runOnMainQueue { $0.ipc?.broadcast(event) }
    }

    /// Executes the command of a key, as if the user had pressed it.
    private static func press(_ target: PlayerTarget, _ name: String) throws(IPCError) {
        guard let key = KeyName.canonical(name) else { throw .commandFailed }
        target.runOnMainQueue { $0.pressKey(key) }
    }
}

extension PlayerTarget {
    /// The largest number of keys that clients can bind.
    static let keyBindingLimit = 1024
    /// The largest size of the commands of one key, in bytes.
    static let keyCommandByteLimit = 16 << 10

    /// Returns a text in which the values of properties replace mpv's `${…}`.
    ///
    /// - Parameter filter: Converts each value before it is inserted, for example to remove control characters.
    func expand(_ text: String, filter: (String) -> String = { $0 }) -> String {
        PropertyExpansion.expand(text) { name, isRaw in
            guard let value = try? self.getProperty(name) else {
                return PropertyTable.find(name) == nil ? .unknown : .unavailable
            }
            guard !isRaw, let (property, path) = PropertyTable.find(name), path.isEmpty else {
                return .text(filter(value.propertyString))
            }
            return .text(filter(property.type.displayText(of: value)))
        }
    }
}

extension PlayerApp {
    /// Executes the commands that a client has bound to a key. Returns false if no client has bound it.
    func performClientBinding(of key: String) -> Bool {
        guard let target = ipcTarget, let text = target.state.withLock({ $0.keyBindings[key] }) else { return false }
        for command in IPCTextCommands.parse(Array(text.utf8)[...]) ?? [] {
            guard let command = command.withoutPrefixes else { continue }
            do throws(IPCError) {
                _ = try target.run(command.name, command.arguments)
            } catch { logger.warning("the command \(command.name) of the key \(key) failed: \(error.description)") }
        }
        return true
    }
}
