/// A parsed line from a client.
enum IPCRequest: Sendable, Equatable {
    /// A JSON request. The reply carries the request's id, which may be any JSON value; zero if the request has no id.
    case command(IPCCommand, id: JSONValue)
    /// A malformed JSON request. The reply is `invalid parameter`.
    case malformed(id: JSONValue)
    /// Plain-text commands, which receive no reply.
    case text([IPCCommand])
    /// A line without effect or reply: an empty line, a comment or a malformed plain-text command.
    case nothing

    /// The `request_id` of the reply to a request without an id.
    private static let noID = JSONValue.int(0)

    /// Parses a client's line, which is given without its line feed. The line may contain any bytes; like mpv, parsing
    /// ends at a zero byte.
    ///
    /// - Parameter argumentNames: Returns the names of a command's arguments, as
    ///   ``IPCTarget/argumentNames(ofCommand:)`` does.
    init(line: ArraySlice<UInt8>, argumentNames: (String) -> [String]?) {
        let text = line.prefix { $0 != 0 }.drop { $0.isASCIISpace }
        guard text.first == UInt8(ascii: "{") else {
            let commands = IPCTextCommands.parse(text) ?? []
            self = commands.isEmpty ? .nothing : .text(commands)
            return
        }
        guard case .object(let members)? = JSONParser.value(in: text), Self.isAbsentOrBoolean(members["async"]) else {
            self = .malformed(id: Self.noID)
            return
        }
        let id = members["request_id"] ?? Self.noID
        let command: IPCCommand? =
            switch members["command"] {
            case .array(let list): IPCCommand(list: list)
            case .object(let namedArguments): IPCCommand(named: namedArguments, argumentNames: argumentNames)
            default: nil
            }
        self = command.map { .command($0, id: id) } ?? .malformed(id: id)
    }

    /// Returns whether the value of a request's member `async` is valid: absent or a boolean. The value has no effect:
    /// the reply to a command always follows when the command has finished.
    private static func isAbsentOrBoolean(_ value: JSONValue?) -> Bool {
        switch value {
        case nil, .bool: true
        default: false
        }
    }
}
