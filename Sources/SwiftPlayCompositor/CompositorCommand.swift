import ArgumentParser
import Compositor
import Glibc
import Logging
import SystemCalls

/// The compositor process: owns the floating windows of every program of this user.
@main
struct CompositorCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "swiftplay-compositor",
        abstract: "Owns the Picture-in-Picture windows of SwiftPlay programs.",
        discussion: """
            Programs start it when they first need it and it leaves when nobody does; there is no need to start it by hand. \
            It listens at $XDG_RUNTIME_DIR/swiftplay/compositor, for this user only, one per user.

            Exit codes: 0 left in good order, or another one is running; 1 cannot listen; 64 wrong arguments.
            """,
        version: "swiftplay-compositor 0.1.0")

    @Option(help: ArgumentHelp("Leave after so many seconds without a program; 0 = never.", valueName: "seconds"))
    var idleTimeout: Double = 10

    @Option(help: .hidden)
    var readyFD: Int32?

    @Flag(name: .shortAndLong, help: "Say on standard error what happens.")
    var verbose = false

    func run() throws {
        var logger = Logger(label: "compositor") { label in StreamLogHandler.standardError(label: label) }
        logger.logLevel = verbose ? .debug : .warning
        var options = CompositorServer.Options()
        options.idleTimeout = idleTimeout > 0 ? Int64(min(idleTimeout, 1e6) * 1e9) : nil
        do throws(SystemCallError) {
            let server = try CompositorServer(options: options, logger: logger)
            if let readyFD {
                // Whoever started us waits for this byte, or for the end that says that another one is listening.
                let ready = FileDescriptor(owning: readyFD)
                var byte: UInt8 = 1
                if server != nil { _ = write(ready.raw, &byte, 1) }
            }
            try server?.run()
        } catch {
            logger.error("cannot serve: \(error)")
            throw ExitCode(1)
        }
    }
}
