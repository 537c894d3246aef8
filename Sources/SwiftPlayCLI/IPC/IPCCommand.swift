/// One command of a client: a name and its arguments.
struct IPCCommand: Sendable, Equatable {
    let name: String
    let arguments: [JSONValue]

    init(_ name: String, _ arguments: [JSONValue] = []) {
        self.name = name
        self.arguments = arguments
    }

    /// Creates a command from a list that begins with the name; nil if the first element is not a string.
    init?(list: [JSONValue]) {
        guard case .string(let name)? = list.first else { return nil }
        self.init(name, Array(list.dropFirst()))
    }

    /// Creates a command from an object with `name` and named arguments.
    ///
    /// Returns nil if the command cannot have named arguments, or if a key is not the name of one of its arguments. An
    /// omitted argument that precedes a given one becomes null.
    ///
    /// - Parameter argumentNames: Returns the names of a command's arguments, as
    ///   ``IPCTarget/argumentNames(ofCommand:)`` does.
    init?(named members: [String: JSONValue], argumentNames: (String) -> [String]?) {
        guard case .string(let name)? = members["name"], let knownNames = argumentNames(Self.canonical(name)) else {
            return nil
        }
        // As in mpv, an argument that is itself called `name` cannot be given by name.
        guard members.keys.allSatisfy({ $0 == "name" || knownNames.contains($0) }), !knownNames.contains("name") else {
            return nil
        }
        let lastGivenIndex = knownNames.lastIndex { members[$0] != nil } ?? -1
        self.init(name, knownNames.prefix(lastGivenIndex + 1).map { members[$0] ?? .null })
    }

    /// The command without prefixes such as `no-osd`, its name spelt with hyphens; nil if the command consists only of
    /// prefixes.
    var withoutPrefixes: IPCCommand? {
        var elements = [JSONValue.string(name)] + arguments
        while case .string(let element)? = elements.first {
            guard Self.prefixes.contains(element) else {
                return IPCCommand(Self.canonical(element), Array(elements.dropFirst()))
            }
            elements.removeFirst()
        }
        return nil
    }

    /// Returns `name` with hyphens in place of underscores, because mpv accepts `frame_step` for `frame-step`.
    private static func canonical(_ name: String) -> String {
        String(name.map { $0 == "_" ? "-" : $0 })
    }

    /// The command prefixes of mpv, such as `no-osd`, which have no effect here.
    private static let prefixes: Set<String> = [
        "osd-auto", "no-osd", "osd-bar", "osd-msg", "osd-msg-bar", "raw", "expand-properties", "repeatable", "async",
        "sync",
    ]
}
