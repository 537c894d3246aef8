/// Something that happened in the player, for all clients: `file-loaded`, `end-file`... by mpv's name.
struct IPCEvent: Sendable {
    let name: String
    private let fields: [(String, JSONValue)]

    /// - Parameter fields: what comes after the name, in the order to be printed.
    init(_ name: String, _ fields: KeyValuePairs<String, JSONValue> = [:]) {
        self.name = name
        self.fields = fields.map { ($0.key, $0.value) }
    }

    /// Appends the event as a line.
    func encode(into bytes: inout [UInt8]) {
        JSONValue.encode(members: [("event", .string(name))] + fields, into: &bytes)
        bytes.append(UInt8(ascii: "\n"))
    }

    /// The names that `enable_event` and `disable_event` know; `shutdown` among them cannot be disabled.
    static let knownNames: Set<String> = [
        "none", "shutdown", "log-message", "get-property-reply", "set-property-reply", "command-reply", "start-file",
        "end-file", "file-loaded", "idle", "tick", "client-message", "video-reconfig", "audio-reconfig", "seek",
        "playback-restart", "property-change", "event-queue-overflow", "hook",
    ]

    /// Tells a client that events were lost, because they came faster than they could be passed on.
    static let overflow = IPCEvent("event-queue-overflow")
}
