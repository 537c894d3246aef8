/// An event of the player that clients receive, such as `file-loaded` or `end-file`. Names are mpv's.
struct IPCEvent: Sendable {
    /// mpv's name of the event.
    let name: String
    /// The name of the only client that receives the event; nil for all clients.
    let recipient: String?
    /// The members that follow the name, in output order.
    private let fields: [(String, JSONValue)]

    /// Creates an event.
    ///
    /// - Parameters:
    ///   - name: mpv's name of the event.
    ///   - fields: The members that follow the name, in output order.
    ///   - recipient: The name of the only client that receives the event; nil for all clients.
    init(_ name: String, _ fields: KeyValuePairs<String, JSONValue> = [:], recipient: String? = nil) {
        self.name = name
        self.recipient = recipient
        self.fields = fields.map { ($0.key, $0.value) }
    }

    /// Appends the event as one line of JSON, with a line feed at the end.
    func encode(into bytes: inout [UInt8]) {
        JSONValue.encode(members: [("event", .string(name))] + fields, into: &bytes)
        bytes.append(UInt8(ascii: "\n"))
    }

    /// The event names that the commands `enable_event` and `disable_event` accept. `shutdown` cannot be disabled.
    static let knownNames: Set<String> = [
        "none", "shutdown", "log-message", "get-property-reply", "set-property-reply", "command-reply", "start-file",
        "end-file", "file-loaded", "idle", "tick", "client-message", "video-reconfig", "audio-reconfig", "seek",
        "playback-restart", "property-change", "event-queue-overflow", "hook",
    ]

    /// The event that reports that events were dropped, because they arrived faster than the server could deliver them.
    static let overflow = IPCEvent("event-queue-overflow")
}
