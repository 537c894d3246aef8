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

    static func main() {
        let words = CommandLine.arguments.dropFirst()
        if words.count == 2, words.first == "--ready-fd", let number = words.last.flatMap({ Int32($0) }) {
            // As the library starts it. The parser would look all its types over, which costs 4 MB for as long as we
            // live.
            Glibc.exit(
                serve(idleTimeout: CompositorServer.Options().idleTimeout, readyFD: number, isVerbose: false) ? 0 : 1)
        }
        main(nil)
    }

    func run() throws {
        let timeout = idleTimeout > 0 ? Int64(min(idleTimeout, 1e6) * 1e9) : nil
        if !Self.serve(idleTimeout: timeout, readyFD: readyFD, isVerbose: verbose) { throw ExitCode(1) }
    }

    /// - Returns: false when it cannot listen.
    private static func serve(idleTimeout: Int64?, readyFD: Int32?, isVerbose: Bool) -> Bool {
        var logger = Logger(label: "compositor") { label in StreamLogHandler.standardError(label: label) }
        logger.logLevel = isVerbose ? .debug : .warning
        var options = CompositorServer.Options()
        options.idleTimeout = idleTimeout
        do throws(SystemCallError) {
            let server = try CompositorServer(options: options, logger: logger)
            if let readyFD {
                // Whoever started us waits for this byte, or for the end that says that another one is listening.
                let ready = FileDescriptor(owning: readyFD)
                var byte: UInt8 = 1
                if server != nil { _ = write(ready.raw, &byte, 1) }
            }
            try server?.run()
            return true
        } catch {
            logger.error("cannot serve: \(error)")
            return false
        }
    }
}
