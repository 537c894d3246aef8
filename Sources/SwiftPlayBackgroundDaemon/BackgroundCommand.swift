import BackgroundService
import CLinux
import Glibc
import Logging
import SystemCalls

/// The command `swiftplay-backgroundd`, which runs the service for the background transfers of a user.
@main
enum BackgroundCommand {
    static func main() {
        StandardDescriptors.openMissing()
        let arguments: BackgroundArguments
        do throws(BackgroundArguments.Failure) {
            arguments = try BackgroundArguments(CommandLine.arguments.dropFirst())
        } catch {
            let message = Array("swiftplay-backgroundd: \(error)\nSee 'swiftplay-backgroundd --help'.\n".utf8)
            _ = write(STDERR_FILENO, message, message.count)
            exit(EX_USAGE)
        }
        switch arguments.action {
        case .printHelp: print(BackgroundArguments.help, terminator: "")
        case .printVersion: print("swiftplay-backgroundd 0.1.0")
        case .run:
            if arguments.isDetached, clinux_detach() < 0 {
                // Without a new process, the program that started this one collects its exit status later.
                _ = setsid()
            }
            HeapTuning.limitArenas(to: 1)
            // With the lower limit the service still works: what it cannot open now is tried again.
            try? DescriptorLimit.raise(to: 4096)
            ServiceEnvironment.reduce()
            _ = chdir("/")
            // The program that waits for the start, or the reader of the log, may have ended.
            signal(SIGPIPE, SIG_IGN)
            if arguments.isDetached { exit(ServiceSupervisor.run(arguments)) }
            exit(run(arguments))
        }
    }

    /// Runs the service until it exits.
    ///
    /// - Returns: The exit status; not 0 if it cannot listen or open its record.
    private static func run(_ arguments: BackgroundArguments) -> Int32 {
        var options = BackgroundServer.Options()
        options.idleTimeout = arguments.idleTimeout > 0 ? Int64(min(arguments.idleTimeout, 1e6) * 1e9) : nil
        var logger = Logger(label: "background") { label in StreamLogHandler.standardError(label: label) }
        logger.logLevel = arguments.isVerbose ? .debug : .warning
        let startPipe = StartPipe(descriptor: arguments.readyDescriptor)
        do {
            let server = try BackgroundServer(options: options, logger: logger)
            if server == nil { startPipe.close() } else { startPipe.reportListening() }
            try server?.run()
            return 0
        } catch {
            logger.error("cannot serve: \(error)")
            startPipe.report(error)
            return (error as? BackgroundServer.Failure)?.exitStatus ?? 1
        }
    }
}
