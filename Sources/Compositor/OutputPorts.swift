/// The ports of the sound server's default output. A pure value.
struct OutputPorts: Equatable, Sendable {
    /// A port of the output.
    struct Port: Equatable, Sendable {
        var name: String
        var isSpeaker: Bool
        /// Whether the server knows that the port is not connected.
        var isUnavailable = false
    }

    /// The sound server's name for the output.
    var sink: String
    var ports: [Port]
    /// The name of the port that is in use.
    var active: String?

    /// The name of a usable speaker port, preferably the active one; `nil` if there is none.
    var speaker: String? {
        let speakers = ports.filter { $0.isSpeaker && !$0.isUnavailable }
        return (speakers.first { $0.name == active } ?? speakers.first)?.name
    }
}
