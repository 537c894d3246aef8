import WireFormat

/// A program that uses background transfers, as it describes itself.
package struct ProgramDescription: Sendable, Equatable {
    /// The name under which the service remembers the program; the same in every run.
    package var name: String
    /// The arguments with which the service starts the program when it has events; nil if the program must not be
    /// started. The executable file is the one that runs.
    package var launchArguments: [String]?
    /// Whether the service has started the program, so that no user has opened it.
    package var isBackgroundStart: Bool
    /// The reasons for which the service may start the program.
    package var modes: BackgroundModes = []

    /// Creates a description.
    package init(name: String, launchArguments: [String]? = nil, isBackgroundStart: Bool = false) {
        (self.name, self.launchArguments, self.isBackgroundStart) = (name, launchArguments, isBackgroundStart)
    }

    /// Appends the description to a message.
    func write(to writer: inout MessageWriter) {
        writer.writeText(name)
        writer.writeOptional(launchArguments) { writer, arguments in
            writer.write(UInt8(clamping: arguments.count))
            for argument in arguments { writer.writeText(argument) }
        }
        writer.write(isBackgroundStart)
        writer.write(modes.rawValue)
    }

    /// Reads a description; rejects invalid names and arguments.
    init(from reader: inout MessageReader) throws(MalformedMessage) {
        let name = try reader.readName()
        let arguments = try reader.readOptional { reader throws(MalformedMessage) in
            let count = Int(try reader.read(UInt8.self))
            guard count <= ClientLimits.argumentCount else { throw MalformedMessage("there are too many arguments") }
            var arguments: [String] = []
            for _ in 0..<count {
                let argument = try reader.readText(limit: ClientLimits.argumentBytes)
                guard !argument.utf8.contains(0) else { throw MalformedMessage("an argument contains a zero byte") }
                arguments.append(argument)
            }
            return arguments
        }
        self.init(name: name, launchArguments: arguments, isBackgroundStart: try reader.read())
        // A newer program may have modes that this service does not know.
        modes = BackgroundModes(rawValue: try reader.read()).intersection(.known)
    }
}
