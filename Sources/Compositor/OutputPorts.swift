/// The ports of the sound server's default output. A pure value.
struct OutputPorts: Equatable, Sendable {
    struct Port: Equatable, Sendable {
        var name: String
        var isSpeaker: Bool
        /// The server knows that nothing is connected there.
        var isUnavailable = false
    }

    /// The sound server's name of the output.
    var sink: String
    var ports: [Port]
    /// The name of the port that is in use.
    var active: String?

    /// The name of the port that leads to a speaker, the one in use first; nil: there is none that can be used.
    var speaker: String? {
        let speakers = ports.filter { $0.isSpeaker && !$0.isUnavailable }
        return (speakers.first { $0.name == active } ?? speakers.first)?.name
    }
}
