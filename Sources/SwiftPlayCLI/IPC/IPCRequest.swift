/// A parsed line from a client.
enum IPCRequest: Sendable, Equatable {
    /// A JSON request. The reply carries its id, which may be any JSON value; zero if it has none.
    case command(IPCCommand, id: JSONValue)
    /// A malformed JSON request. The reply is `invalid parameter`.
    case malformed(id: JSONValue)
    /// Plain-text commands, which receive no reply.
    case text([IPCCommand])
    /// A line without effect or reply: an empty line, a comment or a malformed plain-text command.
    case nothing

    private static let noID = JSONValue.int(0)

    /// Parses a line without its line feed. The line may hold any bytes; like mpv, parsing ends at a zero byte.
    init(line: ArraySlice<UInt8>) {
        let text = line.prefix { $0 != 0 }.drop { $0.isASCIISpace }
        guard text.first == UInt8(ascii: "{") else {
            let commands = IPCTextCommands.parse(text) ?? []
            self = commands.isEmpty ? .nothing : .text(commands)
            return
        }
        guard case .object(let members)? = JSONParser.value(in: text), Self.isFlag(members["async"]) else {
            self = .malformed(id: Self.noID)
            return
        }
        let id = members["request_id"] ?? Self.noID
        let command: IPCCommand? =
            switch members["command"] {
            case .array(let list): IPCCommand(list: list)
            case .object(let named): IPCCommand(named: named)
            default: nil
            }
        self = command.map { .command($0, id: id) } ?? .malformed(id: id)
    }

    /// Returns whether the value of `async` is valid: absent or a boolean. The value itself has no effect: the reply to
    /// a command always follows when the command has finished.
    private static func isFlag(_ value: JSONValue?) -> Bool {
        switch value {
        case nil, .bool: true
        default: false
        }
    }
}
