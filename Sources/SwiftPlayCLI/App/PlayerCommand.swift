/// A command of mpv's JSON IPC that controls the player: its name, its parameters, and the closure that executes it.
///
/// The tables in `Commands+….swift` contain all commands.
struct PlayerCommand: Sendable {
    /// A parameter of a command.
    struct Parameter: Sendable, Equatable {
        let name: String
        /// mpv's name of the type, such as `String`.
        let type: String
        let isOptional: Bool
    }

    let name: String
    let parameters: [Parameter]
    /// Whether the last parameter takes any number of arguments.
    let isVariadic: Bool
    /// Executes the command on the server's thread. Returns the reply's `data`; nil is sent as null.
    private let body: @Sendable (PlayerTarget, CommandArguments) throws(IPCError) -> JSONValue?

    /// Creates a command.
    ///
    /// - Parameters:
    ///   - name: The name, spelt with hyphens.
    ///   - parameters: The parameters, separated by spaces: each is a name, a colon and mpv's name of the type, with
    ///     `?` at the end of an optional parameter and `*` at the end of one that takes any number of arguments.
    ///   - body: Executes the command.
    init(
        _ name: String, _ parameters: String = "",
        body: @escaping @Sendable (PlayerTarget, CommandArguments) throws(IPCError) -> JSONValue?
    ) {
        self.name = name
        self.parameters = parameters.split(separator: " ").map { text in
            let parts = text.split(separator: ":")
            let isOptional = text.hasSuffix("?") || text.hasSuffix("*")
            return Parameter(
                name: String(parts[0]), type: String(isOptional ? parts[1].dropLast() : parts[1]),
                isOptional: isOptional)
        }
        isVariadic = parameters.hasSuffix("*")
        self.body = body
    }

    /// Executes the command.
    ///
    /// - Throws: ``IPCError/invalidParameter`` for a wrong number of arguments, and what the command throws.
    func run(_ target: PlayerTarget, _ values: [JSONValue], client: String = "") throws(IPCError) -> JSONValue? {
        guard isVariadic || values.count <= parameters.count else { throw .invalidParameter }
        for (index, parameter) in parameters.enumerated() where !parameter.isOptional {
            guard values.indices.contains(index), values[index] != .null else { throw .invalidParameter }
        }
        return try body(target, CommandArguments(values: values, client: client))
    }

    /// The command as an object in the property `command-list`.
    var description: JSONValue {
        .object([
            "name": .string(name), "vararg": .bool(isVariadic),
            "args": .array(
                parameters.map { parameter in
                    .object([
                        "name": .string(parameter.name), "type": .string(parameter.type),
                        "optional": .bool(parameter.isOptional),
                    ])
                }),
        ])
    }

    /// All commands, in the order of the tables.
    static let all: [PlayerCommand] = playback + playlist + properties + subtitles + messages + overlays + files

    /// The commands by name.
    static let table = Dictionary(all.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })

    /// Returns the names of a command's parameters, in order; nil if there is no such command.
    static func parameterNames(of command: String) -> [String]? { table[command]?.parameters.map(\.name) }
}

/// The arguments of a command, which a client has sent.
struct CommandArguments: Sendable {
    let values: [JSONValue]
    /// The name of the client; empty for the command of a key.
    var client = ""

    /// The argument at an index; nil if it is omitted.
    private subscript(_ index: Int) -> JSONValue? {
        values.indices.contains(index) && values[index] != .null ? values[index] : nil
    }

    /// Returns a text argument, or `defaultText` if it is omitted.
    ///
    /// - Throws: ``IPCError/invalidParameter`` if it is omitted without a default, or not a string.
    func text(_ index: Int, default defaultText: String? = nil) throws(IPCError) -> String {
        guard let value = self[index] else {
            guard let defaultText else { throw .invalidParameter }
            return defaultText
        }
        return try value.argumentString()
    }

    /// Returns an argument that is a path or an address.
    func location(_ index: Int) throws(IPCError) -> String {
        guard let value = self[index] else { throw .invalidParameter }
        return try value.argumentLocation()
    }

    /// Returns a numeric argument, or `defaultNumber` if it is omitted.
    ///
    /// - Throws: ``IPCError/invalidParameter`` if it is omitted without a default, or not a number.
    func number(_ index: Int, default defaultNumber: Double? = nil) throws(IPCError) -> Double {
        guard let value = self[index] else {
            guard let defaultNumber else { throw .invalidParameter }
            return defaultNumber
        }
        return try value.argumentNumber()
    }

    /// Returns an integer argument, or `defaultNumber` if it is omitted.
    ///
    /// - Throws: ``IPCError/invalidParameter`` if it is omitted without a default, or not an integer within ±10⁹.
    func integer(_ index: Int, default defaultNumber: Int? = nil) throws(IPCError) -> Int {
        let number = try number(index, default: defaultNumber.map(Double.init))
        guard abs(number) <= 1e9, let integer = Int(exactly: number) else { throw .invalidParameter }
        return integer
    }

    /// Returns an argument that is one of several words, or the first of them if it is omitted.
    ///
    /// - Throws: ``IPCError/invalidParameter`` for another value.
    func choice(_ index: Int, of choices: [String]) throws(IPCError) -> String {
        let word = try text(index, default: choices[0])
        guard choices.contains(word) else { throw .invalidParameter }
        return word
    }

    /// Returns the words of an argument, which are joined by `+`; none if it is omitted.
    ///
    /// - Throws: ``IPCError/invalidParameter`` for a word that is not in `known`.
    func flags(_ index: Int, known: Set<String>) throws(IPCError) -> Set<String> {
        guard let value = self[index] else { return [] }
        let flags = Set(try value.argumentString().split(separator: "+").map(String.init))
        guard flags.isSubset(of: known) else { throw .invalidParameter }
        return flags
    }
}

extension PlayerTarget {
    func argumentNames(ofCommand command: String) -> [String]? { PlayerCommand.parameterNames(of: command) }

    /// Executes a command and returns its result; nil if it has no result. Throws `invalidParameter` for an unknown
    /// command.
    func run(_ command: String, _ arguments: [JSONValue]) throws(IPCError) -> JSONValue? {
        try run(command, arguments, client: "")
    }

    func run(_ command: String, _ arguments: [JSONValue], client: String) throws(IPCError) -> JSONValue? {
        guard let command = PlayerCommand.table[command] else { throw .invalidParameter }
        return try command.run(self, arguments, client: client)
    }
}
