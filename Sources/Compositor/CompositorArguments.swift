/// The command line of `swiftplay-compositor`.
///
/// The program parses these few options itself: swift-argument-parser would add 6 MB to the program.
package struct CompositorArguments: Equatable, Sendable {
    /// The action that the arguments request.
    package enum Action: Equatable, Sendable { case run, printHelp, printVersion }

    /// A wrong argument, as a message for the user.
    package struct Failure: Error, Equatable, CustomStringConvertible {
        package let description: String
    }

    /// The action that the arguments request.
    package var action = Action.run
    /// Seconds without a connected program after which the process exits; 0 or less to run forever.
    package var idleTimeout = 10.0
    /// The descriptor to which the process writes one byte when it accepts connections; `nil` for no notification.
    package var readyDescriptor: Int32?
    /// The folder with the subfolders `proc` and `cgroup` that replace the kernel's files about memory, for tests.
    package var memoryRoot: String?
    /// Whether debug messages are written to standard error.
    package var isVerbose = false

    /// The text of `--help`. It omits `--ready-fd` and `--memory-root`, which only other programs pass.
    package static let help = """
        OVERVIEW: Shows the Picture-in-Picture windows of SwiftPlay programs.

        SwiftPlay programs start it when they need it, and it exits when no program uses it. There is no need to start
        it by hand. Each user has one compositor, which listens at $XDG_RUNTIME_DIR/swiftplay/compositor for programs
        of this user only.

        Exit codes: 0 normal exit, or another compositor is already running; 1 cannot serve; 64 wrong arguments.

        USAGE: swiftplay-compositor [--idle-timeout <seconds>] [--verbose]

        OPTIONS:
          --idle-timeout <seconds>
                                  Exit after this time without a connected program; 0 = never. (default: 10.0)
          -v, --verbose           Write debug messages to standard error.
          --version               Show the version.
          -h, --help              Show help information.

        """

    /// Parses the arguments after the program's name.
    ///
    /// - Throws: ``Failure`` for an unknown argument and for an invalid or missing value.
    package init(_ arguments: some Sequence<String>) throws(Failure) {
        var remainingArguments = Array(arguments)[...]
        while let argument = remainingArguments.popFirst() {
            let nameAndValue = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                .map(String.init)
            switch argument {
            case "-h", "--help": action = .printHelp
            case "--version": action = .printVersion
            case "-v", "--verbose": isVerbose = true
            default:
                switch nameAndValue[0] {
                case "--idle-timeout": idleTimeout = try Self.value(of: nameAndValue, &remainingArguments, Self.seconds)
                case "--ready-fd": readyDescriptor = try Self.value(of: nameAndValue, &remainingArguments) { Int32($0) }
                case "--memory-root": memoryRoot = try Self.value(of: nameAndValue, &remainingArguments) { $0 }
                default: throw Failure(description: "unknown argument '\(argument)'")
                }
            }
            if action != .run { return }
        }
    }

    /// Returns a number of seconds; nil for other texts and for NaN.
    private static func seconds(_ text: String) -> Double? { Double(text).flatMap { $0.isNaN ? nil : $0 } }

    /// Returns the value of an option, which follows `=` or is the next argument.
    private static func value<Value>(
        of parts: [String], _ remaining: inout ArraySlice<String>, _ parse: (String) -> Value?
    ) throws(Failure) -> Value {
        guard let text = parts.count > 1 ? parts[1] : remaining.popFirst() else {
            throw Failure(description: "\(parts[0]) needs a value")
        }
        guard let value = parse(text) else {
            throw Failure(description: "'\(text)' is not a valid value for \(parts[0])")
        }
        return value
    }
}
