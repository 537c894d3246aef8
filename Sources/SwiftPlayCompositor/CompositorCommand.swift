import ArgumentParser
import Compositor
import Glibc
import Logging
import SystemCalls

/// The command `swiftplay-compositor`, which runs the compositor process of a user.
@main
struct CompositorCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "swiftplay-compositor",
        abstract: "Shows the Picture-in-Picture windows of SwiftPlay programs.",
        discussion: """
            SwiftPlay programs start it when they need it, and it exits when no program uses it. There is no need to \
            start it by hand. Each user has one compositor, which listens at $XDG_RUNTIME_DIR/swiftplay/compositor for \
            programs of this user only.

            Exit codes: 0 normal exit, or another compositor is already running; 1 cannot serve; 64 wrong arguments.
            """,
        version: "swiftplay-compositor 0.1.0")

    /// Seconds without a connected program after which the process exits; 0 or less to run forever.
    @Option(help: ArgumentHelp("Exit after this time without a connected program; 0 = never.", valueName: "seconds"))
    var idleTimeout: Double = 10

    /// The descriptor to which the process writes one byte when it accepts connections; `nil` for no notification.
    @Option(help: .hidden)
    var readyFD: Int32?

    /// The folder with the subfolders `proc` and `cgroup` that replace the kernel's files about memory, for tests.
    @Option(help: .hidden)
    var memoryRoot: String?

    @Flag(name: .shortAndLong, help: "Write debug messages to standard error.")
    var verbose = false

    static func main() {
        let arguments = CommandLine.arguments.dropFirst()
        if arguments.count == 2, arguments.first == "--ready-fd",
            let descriptor = arguments.last.flatMap({ Int32($0) })
        {
            // The library starts the compositor with these arguments. Skip the argument parser, whose type metadata
            // would occupy 4 MB of memory as long as the process runs.
            Glibc.exit(
                run(CompositorServer.Options(), readyFD: descriptor, isVerbose: false) ? 0 : 1)
        }
        main(nil)
    }

    func run() throws {
        var options = CompositorServer.Options()
        options.idleTimeout = idleTimeout > 0 ? Int64(min(idleTimeout, 1e6) * 1e9) : nil
        if let root = memoryRoot {
            options.memoryRoots = MemoryFiles.Roots(proc: root + "/proc", controlGroups: root + "/cgroup")
        }
        if !Self.run(options, readyFD: readyFD, isVerbose: verbose) { throw ExitCode(1) }
    }

    /// Runs the compositor until it exits.
    ///
    /// - Returns: False if it cannot listen or its event loop fails.
    private static func run(_ options: CompositorServer.Options, readyFD: Int32?, isVerbose: Bool) -> Bool {
        var logger = Logger(label: "compositor") { label in StreamLogHandler.standardError(label: label) }
        logger.logLevel = isVerbose ? .debug : .warning
        do throws(SystemCallError) {
            let server = try CompositorServer(options: options, logger: logger)
            if let readyFD {
                // The program that started this process waits for this byte. A closed descriptor without the byte means
                // that another compositor is listening.
                let readyDescriptor = FileDescriptor(owning: readyFD)
                var byte: UInt8 = 1
                if server != nil { _ = write(readyDescriptor.raw, &byte, 1) }
            }
            try server?.run()
            return true
        } catch {
            logger.error("cannot serve: \(error)")
            return false
        }
    }
}
