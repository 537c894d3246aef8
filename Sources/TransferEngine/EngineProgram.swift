import BackgroundProtocol
import Glibc
import SystemCalls
import WireFormat

/// The program `swiftplay-transfer`.
package enum EngineProgram {
    /// The descriptor of the socket to the ledger, which the ledger passes to the program.
    package static let socketNumber: Int32 = 3

    /// The exit statuses of the program.
    private enum ExitStatus {
        /// The ledger has ended the connection.
        static let success: Int32 = 0
        /// The program was started without a ledger (`EX_USAGE`).
        static let usage: Int32 = 64
        /// Descriptors or memory are exhausted (`EX_OSERR`).
        static let systemError: Int32 = 71
    }

    /// Performs the transfers of the ledger at ``socketNumber``, and returns the exit status of the program.
    package static func run() -> Int32 {
        // A file beyond a limit of its size is an error of the write; a closed connection is an error of the send.
        signal(SIGXFSZ, SIG_IGN)
        signal(SIGPIPE, SIG_IGN)
        HeapTuning.limitArenas(to: 1)
        var type: Int32 = 0
        var typeSize = socklen_t(MemoryLayout<Int32>.size)
        guard getsockopt(socketNumber, SOL_SOCKET, SO_TYPE, &type, &typeSize) == 0 else {
            report("swiftplay-backgroundd starts this program; use the command `swiftplay download`")
            return ExitStatus.usage
        }
        let restrictions = EngineSandbox.apply()
        if restrictions != [.paths, .systemCalls] {
            report("this system does not support all restrictions of the sandbox; continuing without some of them")
        }
        do throws(SystemCallError) {
            let ledger = try MessageSocket(
                FileDescriptor(owning: socketNumber), messageLimit: EngineLimits.messageBytes)
            let failure = Monitor<SystemCallError?>(nil)
            let thread = try NamedThread("transfer") {
                do throws(SystemCallError) {
                    // Create the loop on its thread, because only that thread may use it.
                    try EngineLoop(ledger).run()
                } catch { failure.withLock { $0 = error } }
            }
            thread.join()
            if let error = failure.withLock({ $0 }) { throw error }
            return ExitStatus.success
        } catch {
            report("cannot start: \(error)")
            return ExitStatus.systemError
        }
    }

    /// Writes a line to standard error. Lines contain no addresses and no header fields.
    static func report(_ message: String) {
        let line = Array("swiftplay-transfer: \(message)\n".utf8)
        _ = line.withUnsafeBytes { write(2, $0.baseAddress, $0.count) }
    }
}
