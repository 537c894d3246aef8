/// One line from a client, understood.
enum IPCRequest: Sendable, Equatable {
    /// A JSON request, to be answered with the id it gave (any value; zero when it gave none).
    case command(IPCCommand, id: JSONValue)
    /// A JSON request that makes no sense, to be answered with `invalid parameter`.
    case malformed(id: JSONValue)
    /// Plain commands, which have no answer.
    case text([IPCCommand])
    /// Nothing to do and nothing to answer: an empty line, a comment, a plain command that cannot be read.
    case nothing

    private static let noID = JSONValue.int(0)

    /// Understands a line without its line feed. Any bytes will do; like mpv it goes no further than a zero byte.
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

    /// `async` says nothing here (every command is answered when it is done) but must be true or false.
    private static func isFlag(_ value: JSONValue?) -> Bool {
        switch value {
        case nil, .bool: true
        default: false
        }
    }
}
