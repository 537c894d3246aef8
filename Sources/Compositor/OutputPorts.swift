/// The ports of the sound server's default output. A pure value.
struct OutputPorts: Equatable, Sendable {
    /// A port of the output, such as headphones or the speaker.
    struct Port: Equatable, Sendable {
        /// The sound server's name of the port.
        var name: String
        /// Whether the port is a loudspeaker of the machine.
        var isSpeaker: Bool
        /// Whether the sound server reports that nothing is plugged into the port.
        var isUnavailable = false
    }

    /// The sound server's name for the output.
    var sink: String
    /// All ports of the output.
    var ports: [Port]
    /// The name of the port that is in use; `nil` if unknown.
    var activePort: String?

    /// The name of an available speaker port, preferably the port in use; `nil` if no speaker port is available.
    var speakerPort: String? {
        let speakers = ports.filter { $0.isSpeaker && !$0.isUnavailable }
        return (speakers.first { $0.name == activePort } ?? speakers.first)?.name
    }
}
