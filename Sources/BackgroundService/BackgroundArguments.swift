/// The command line of `swiftplay-backgroundd`.
package struct BackgroundArguments: Equatable, Sendable {
    /// What the process does.
    package enum Action: Sendable {
        case run
        case printHelp
        case printVersion
    }

    /// An invalid argument, as a message for the user.
    package struct Failure: Error, CustomStringConvertible, Equatable {
        package let description: String
    }

    /// What the process does.
    package var action = Action.run
    /// Seconds without work after which the process exits; 0 to run forever.
    package var idleTimeout = 60.0
    /// The descriptor of the ``StartPipe``; nil for none.
    package var readyDescriptor: Int32?
    /// Whether the service runs in a process of its own, under a ``ServiceSupervisor`` whose parent has exited.
    package var isDetached = false
    /// Whether the process logs what it does.
    package var isVerbose = false

    /// Parses the arguments after the program's name.
    package init(_ arguments: some Sequence<String>) throws(Failure) {
        var iterator = arguments.makeIterator()
        while let argument = iterator.next() {
            switch argument {
            case "-h", "--help": action = .printHelp
            case "--version": action = .printVersion
            case "-v", "--verbose": isVerbose = true
            case "--detach": isDetached = true
            case "--idle-timeout":
                guard let value = iterator.next().flatMap({ Double($0) }), value.isFinite, value >= 0 else {
                    throw Failure(description: "--idle-timeout requires a number of seconds")
                }
                idleTimeout = value
            case "--ready-fd":
                guard let value = iterator.next().flatMap({ Int32($0) }), value > 2 else {
                    throw Failure(description: "--ready-fd requires the number of an open descriptor")
                }
                readyDescriptor = value
            default: throw Failure(description: "unknown argument '\(argument)'")
            }
        }
    }

    /// The arguments that ``init(_:)`` reads as this value, for an action of ``Action/run``.
    package var commandLine: [String] {
        var arguments = ["--idle-timeout", "\(idleTimeout)"]
        if let readyDescriptor { arguments += ["--ready-fd", "\(readyDescriptor)"] }
        if isDetached { arguments.append("--detach") }
        if isVerbose { arguments.append("--verbose") }
        return arguments
    }

    /// The text of `--help`.
    package static let help = """
        USAGE: swiftplay-backgroundd [--idle-timeout <seconds>] [--verbose] [--detach]
                                     [--ready-fd <number>]

        Keeps the record of the background transfers of a user and drives them. Programs
        that use SwiftPlayBackground start it; it exits when there is no work.

        Exit codes: 0 normal exit, or another service is running; 1 cannot serve;
        64 invalid arguments; 75 no space for the record.

        OPTIONS:
          --idle-timeout <seconds>
                                  Exit after this time without work; 0 = never. (default: 60)
          -v, --verbose           Write log messages to standard error.
          --detach                Run in a new process, which is started again if it is
                                  killed, and exit at once.
          --ready-fd <number>     Report to this descriptor that programs can connect, or
                                  why they cannot.
          --version               Print the version.
          -h, --help              Print this help.

        ENVIRONMENT:
          SWIFTPLAY_TRANSFER        the path of swiftplay-transfer, which moves the bytes
          SWIFTPLAY_BACKGROUND_LOG  if set, swiftplay-transfer logs to standard error too

        """
}
