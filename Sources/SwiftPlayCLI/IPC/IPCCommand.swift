/// One command: a name and what follows it.
struct IPCCommand: Sendable, Equatable {
    let name: String
    let arguments: [JSONValue]

    init(_ name: String, _ arguments: [JSONValue] = []) {
        self.name = name
        self.arguments = arguments
    }

    /// From a list, name first; nil when the first element is no string.
    init?(list: [JSONValue]) {
        guard case .string(let name)? = list.first else { return nil }
        self.init(name, Array(list.dropFirst()))
    }

    /// From an object with `name` and arguments by name; nil for a command whose arguments have no names here, and for
    /// a name that is not one of its arguments. What is left out before another argument is null.
    init?(named members: [String: JSONValue]) {
        guard case .string(let name)? = members["name"], let known = Self.argumentNames[Self.canonical(name)],
            members.keys.allSatisfy({ $0 == "name" || known.contains($0) })
        else { return nil }
        let last = known.lastIndex { members[$0] != nil } ?? -1
        self.init(name, known.prefix(last + 1).map { members[$0] ?? .null })
    }

    /// The command with prefixes such as `no-osd` taken off and its name spelt with hyphens; nil when nothing is left.
    var withoutPrefixes: IPCCommand? {
        var rest = [JSONValue.string(name)] + arguments
        while case .string(let word)? = rest.first {
            guard Self.prefixes.contains(word) else { return IPCCommand(Self.canonical(word), Array(rest.dropFirst())) }
            rest.removeFirst()
        }
        return nil
    }

    /// mpv knows `frame_step` as `frame-step`.
    private static func canonical(_ name: String) -> String {
        String(name.map { $0 == "_" ? "-" : $0 })
    }

    private static let prefixes: Set<String> = [
        "osd-auto", "no-osd", "osd-bar", "osd-msg", "osd-msg-bar", "raw", "expand-properties", "repeatable", "async",
        "sync",
    ]

    private static let argumentNames: [String: [String]] = [
        "seek": ["target", "flags"],
        "loadfile": ["url", "flags", "options"],
        "loadlist": ["url", "flags"],
        "show-text": ["text", "duration", "level"],
        "screenshot": ["flags"],
        "screenshot-to-file": ["filename", "flags"],
        "playlist-next": ["flags"],
        "playlist-prev": ["flags"],
        "revert-seek": ["flags"],
        "stop": ["flags"],
        "quit": ["code"],
        "frame-step": [],
        "frame-back-step": [],
    ]
}
