import BackgroundProtocol
import CLinux
import Glibc
import SystemCalls
import WireFormat

/// Finds the service for background transfers, starts it if it does not run, and connects to it.
enum BackgroundLauncher {
    /// The time limit for starting the service, in nanoseconds. Recovery after a crash reads every part file.
    private static let startTimeout: Int64 = 10 * MonotonicTime.nanosecondsPerSecond

    /// Returns a connection to the user's service, which is started if necessary. Blocks for at most 10 s.
    static func connect() throws(BackgroundLinkError) -> MessageSocket {
        let path: String
        do { path = try BackgroundAddress.socketPath() } catch { throw BackgroundLinkError("\(error)") }
        let deadline = MonotonicTime.now + startTimeout
        if let socket = try connect(path, until: deadline) { return socket }
        let program = try findExecutable()
        while true {
            try start(program, until: deadline)
            if let socket = try connect(path, until: deadline) { return socket }
            guard MonotonicTime.now < deadline else {
                throw BackgroundLinkError("\(program) was started but does not answer within 10 s")
            }
            // Another program may have started a service that does not listen yet. No event reports when it listens.
            MonotonicTime.sleep(20_000_000)
        }
    }

    /// Whether the service runs.
    static var isRunning: Bool {
        guard let path = try? BackgroundAddress.socketPath() else { return false }
        do throws(BackgroundLinkError) { return try connect(path, until: nil) != nil } catch { return true }
    }

    /// Returns a connection to the service that listens at a path; nil if none does.
    ///
    /// - Parameter deadline: The host time until which the caller waits for a service that accepts no connections, in
    ///   nanoseconds; nil to return at once.
    /// - Throws: ``BackgroundLinkError`` if the service accepts no connections.
    private static func connect(_ path: String, until deadline: Int64?) throws(BackgroundLinkError) -> MessageSocket? {
        do throws(SystemCallError) {
            return try LocalSocket.connect(path: path, messageLimit: ClientLimits.messageBytes, until: deadline)
        } catch {
            guard error.number == EAGAIN else { return nil }
            throw BackgroundLinkError("swiftplay-backgroundd does not respond: it accepts no connections")
        }
    }

    /// Returns the path of the service's executable file: the value of `SWIFTPLAY_BACKGROUNDD`, else a file beside the
    /// running program, else one on `PATH`.
    private static func findExecutable() throws(BackgroundLinkError) -> String {
        let name = "swiftplay-backgroundd"
        if let configured = getenv("SWIFTPLAY_BACKGROUNDD"), configured.pointee != 0 {
            let path = String(cString: configured)
            guard access(path, X_OK) == 0 else {
                throw BackgroundLinkError("SWIFTPLAY_BACKGROUNDD names \(path), which cannot be run")
            }
            return path
        }
        if let own = FilePath(cString: "/proc/self/exe").resolved,
            let folder = String(validating: own.folder, as: UTF8.self), access(folder + name, X_OK) == 0
        {
            return folder + name
        }
        for folder in (getenv("PATH").map { String(cString: $0) } ?? "").split(separator: ":") {
            let path = folder + "/" + name
            if access(String(path), X_OK) == 0 { return String(path) }
        }
        throw BackgroundLinkError(
            "\(name) was not found beside the program or on PATH; set SWIFTPLAY_BACKGROUNDD to its path",
            isMissingService: true)
    }

    /// Starts the service in a POSIX session of its own, so that it outlives this process and its terminal. Waits until
    /// the service listens, or has exited because another one runs.
    ///
    /// - Throws: ``BackgroundLinkError`` with the reason if the service cannot serve.
    private static func start(_ program: String, until deadline: Int64) throws(BackgroundLinkError) {
        var bytes = [UInt8](repeating: 0, count: StartReport.byteLimit), count = 0
        do throws(SystemCallError) {
            let reading = try spawn(program)
            guard try Poll.waitReadable(reading.raw, until: deadline) else {
                throw SystemCallError(call: "the service does not listen", number: ETIMEDOUT)
            }
            count = read(reading.raw, &bytes, bytes.count)
        } catch { throw BackgroundLinkError("\(program) cannot be started: \(error)") }
        if case .failed(let reason) = StartReport(bytes.prefix(max(count, 0))) { throw BackgroundLinkError(reason) }
    }

    /// Starts the process of the service, which belongs to no program: an intermediate process starts it and exits, so
    /// that this program never has to collect its exit status.
    ///
    /// - Returns: The read end of a pipe whose only write end belongs to the service. It is readable once the service
    ///   has sent its ``StartReport`` or has exited.
    private static func spawn(_ program: String) throws(SystemCallError) -> FileDescriptor {
        var ends: [Int32] = [-1, -1]
        try systemCall("pipe2") { clinux_pipe_cloexec(&ends) }
        let reading = FileDescriptor(owning: ends[0]), writing = FileDescriptor(owning: ends[1])
        var steps: [ChildProgram.DescriptorStep] = [.open(path: "/dev/null", flags: O_RDWR, as: 0), .copy(0, as: 1)]
        // With `SWIFTPLAY_BACKGROUND_LOG` set, the service inherits standard error.
        if getenv("SWIFTPLAY_BACKGROUND_LOG") == nil { steps.append(.copy(0, as: 2)) }
        steps.append(.copy(writing.raw, as: 3))
        let process = try ChildProgram.start(
            program, ["--ready-fd", "3", "--detach"], steps: steps, descriptorCount: 4, hasOwnSession: true)
        _ = ChildProgram.waitForExit(of: process, until: MonotonicTime.now + startTimeout)
        return reading
    }
}

/// The reason why the service for background transfers cannot be used, as a message for the user.
package struct BackgroundLinkError: Error, Sendable, Equatable, CustomStringConvertible {
    package let description: String
    /// Whether the service is not installed, so that a further attempt is of no use.
    let isMissingService: Bool

    /// Creates an error with a message.
    package init(_ description: String) { self.init(description, isMissingService: false) }

    /// Creates an error with a message, and states whether the service is not installed.
    fileprivate init(_ description: String, isMissingService: Bool) {
        (self.description, self.isMissingService) = (description, isMissingService)
    }
}
