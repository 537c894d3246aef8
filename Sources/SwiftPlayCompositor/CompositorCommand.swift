import Compositor
import Glibc
import Logging
import SystemCalls

/// The command `swiftplay-compositor`, which runs the compositor process of a user.
@main
enum CompositorCommand {
    static func main() {
        StandardDescriptors.openMissing()
        let arguments: CompositorArguments
        do throws(CompositorArguments.Failure) {
            arguments = try CompositorArguments(CommandLine.arguments.dropFirst())
        } catch {
            let message = Array("swiftplay-compositor: \(error)\nSee 'swiftplay-compositor --help'.\n".utf8)
            _ = write(STDERR_FILENO, message, message.count)
            exit(EX_USAGE)
        }
        switch arguments.action {
        case .printHelp: print(CompositorArguments.help, terminator: "")
        case .printVersion: print("swiftplay-compositor 0.1.0")
        case .run:
            // The pictures of animations, of several megabytes each, return to the operating system when freed.
            HeapTuning.limitArenas(to: 1)
            HeapTuning.setMmapThreshold(256 * 1024)
            exit(run(arguments) ? 0 : 1)
        }
    }

    /// Runs the compositor until it exits.
    ///
    /// - Returns: False if it cannot listen or its event loop fails.
    private static func run(_ arguments: CompositorArguments) -> Bool {
        var options = CompositorServer.Options()
        options.idleTimeout = arguments.idleTimeout > 0 ? Int64(min(arguments.idleTimeout, 1e6) * 1e9) : nil
        if let root = arguments.memoryRoot {
            options.memoryRoots = MemoryFiles.Roots(proc: root + "/proc", controlGroups: root + "/cgroup")
        }
        var logger = Logger(label: "compositor") { label in StreamLogHandler.standardError(label: label) }
        logger.logLevel = arguments.isVerbose ? .debug : .warning
        do throws(SystemCallError) {
            let server = try CompositorServer(options: options, logger: logger)
            if let readyDescriptor = arguments.readyDescriptor {
                // The program that started this process waits for this byte. A closed descriptor without the byte means
                // that another compositor is listening.
                let descriptor = FileDescriptor(owning: readyDescriptor)
                var byte: UInt8 = 1
                if server != nil { _ = write(descriptor.raw, &byte, 1) }
            }
            try server?.run()
            return true
        } catch {
            logger.error("cannot serve: \(error)")
            return false
        }
    }
}
