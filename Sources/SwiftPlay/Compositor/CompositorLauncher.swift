import CLinux
import CompositorProtocol
import Glibc
import SystemCalls
import WireFormat

/// Finds the compositor, starts it if it does not run, and connects to it.
enum CompositorLauncher {
    /// The reason why no compositor is connected, as a message for the user.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// The time limit for starting the compositor, in nanoseconds.
    private static let startTimeout: Int64 = 3_000_000_000

    /// Returns a connection to the user's compositor. Blocks until it has started, for at most 3 s.
    static func connect() throws(Failure) -> MessageSocket {
        let path: String
        do {
            path = try CompositorAddress.socketPath()
        } catch { throw Failure(description: "\(error)") }
        let deadline = MonotonicTime.now + startTimeout
        if let socket = try connect(path, until: deadline) { return socket }
        let program = try findExecutable()
        while true {
            try start(program, until: deadline)
            if let socket = try connect(path, until: deadline) { return socket }
            guard MonotonicTime.now < deadline else {
                throw Failure(description: "\(program) was started but does not answer within 3 s")
            }
            // Another program may have started a compositor that does not listen yet. No event reports when it listens,
            // so poll.
            var noDescriptors: [Poll.Entry] = []
            _ = try? Poll.wait(&noDescriptors, until: MonotonicTime.now + 20_000_000)
        }
    }

    /// Returns a connection to a running compositor; nil if there is none.
    ///
    /// - Parameter deadline: The host time until which the caller waits for a compositor that accepts no connections,
    ///   in nanoseconds; nil to return at once.
    static func connectIfRunning(until deadline: Int64? = nil) throws(Failure) -> MessageSocket? {
        let path: String
        do {
            path = try CompositorAddress.socketPath()
        } catch { throw Failure(description: "\(error)") }
        return try connect(path, until: deadline)
    }

    /// Returns a connection to the compositor that listens at a path; nil if none does.
    private static func connect(_ path: String, until deadline: Int64?) throws(Failure) -> MessageSocket? {
        do throws(SystemCallError) {
            return try LocalSocket.connect(path: path, until: deadline)
        } catch {
            guard error.number == EAGAIN else { return nil }
            throw Failure(description: "the compositor does not respond: it accepts no connections")
        }
    }

    /// Returns the path of the compositor's executable file: the value of `SWIFTPLAY_COMPOSITOR`, else a file beside
    /// the running program, else one on `PATH`.
    static func findExecutable() throws(Failure) -> String {
        let name = "swiftplay-compositor"
        if let configuredPath = getenv("SWIFTPLAY_COMPOSITOR"), configuredPath.pointee != 0 {
            let path = String(cString: configuredPath)
            guard access(path, X_OK) == 0 else {
                throw Failure(description: "SWIFTPLAY_COMPOSITOR names \(path), which cannot be run")
            }
            return path
        }
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
        let length = readlink("/proc/self/exe", &buffer, Int(PATH_MAX))
        if length > 0 {
            let ownPath = String(decoding: buffer[..<length].map { UInt8(bitPattern: $0) }, as: UTF8.self)
            if let lastSlashIndex = ownPath.lastIndex(of: "/") {
                let siblingPath = ownPath[...lastSlashIndex] + name
                if access(String(siblingPath), X_OK) == 0 { return String(siblingPath) }
            }
        }
        for folder in (getenv("PATH").map { String(cString: $0) } ?? "").split(separator: ":") {
            let path = folder + "/" + name
            if access(String(path), X_OK) == 0 { return String(path) }
        }
        throw Failure(description: "\(name) was not found beside the program or on PATH; set SWIFTPLAY_COMPOSITOR")
    }

    /// Starts the compositor in a POSIX session of its own, so that it outlives this process and its terminal. Waits
    /// until the compositor listens, or has exited because another compositor runs.
    private static func start(_ program: String, until deadline: Int64) throws(Failure) {
        let readyPipe = try spawnWithPipe(program)
        do {
            guard try Poll.waitReadable(readyPipe.raw, until: deadline) else {
                throw Failure(description: "\(program) did not start within 3 s")
            }
        } catch let failure as Failure {
            throw failure
        } catch { throw Failure(description: "\(error)") }
    }

    /// Starts the compositor's process with a pipe that becomes readable when the compositor listens or exits.
    ///
    /// - Returns: The read end of a pipe whose only write end belongs to the child.
    private static func spawnWithPipe(_ program: String) throws(Failure) -> SharedDescriptor {
        let pipe: (reading: SharedDescriptor, writing: SharedDescriptor)
        do throws(SystemCallError) {
            pipe = try makeReadyPipe()
        } catch { throw Failure(description: "\(program) cannot be started: \(error)") }
        try withExtendedLifetime(pipe) { () throws(Failure) in try spawn(program, readyDescriptor: pipe.writing.raw) }
        return pipe.reading
    }

    /// Returns a pipe whose ends are closed in every other child of this process (O_CLOEXEC).
    static func makeReadyPipe() throws(SystemCallError) -> (reading: SharedDescriptor, writing: SharedDescriptor) {
        var descriptors: [Int32] = [-1, -1]
        try systemCall("pipe2") { clinux_pipe_cloexec(&descriptors) }
        return (
            SharedDescriptor(FileDescriptor(owning: descriptors[0])),
            SharedDescriptor(FileDescriptor(owning: descriptors[1]))
        )
    }

    /// Starts the compositor's process with `--ready-fd`, detached from the terminal and without inherited descriptors.
    private static func spawn(_ program: String, readyDescriptor: Int32) throws(Failure) {
        var steps: [ChildProgram.DescriptorStep] = [
            .open(path: "/dev/null", flags: O_RDWR, as: 0), .copy(0, as: 1),
        ]
        // Standard error goes to /dev/null, because this program may draw pictures on the terminal. With
        // `SWIFTPLAY_COMPOSITOR_LOG` set, the compositor inherits standard error.
        if getenv("SWIFTPLAY_COMPOSITOR_LOG") == nil { steps.append(.copy(0, as: 2)) }
        steps.append(.copy(readyDescriptor, as: 3))
        let process: pid_t
        do throws(SystemCallError) {
            // The compositor inherits no other descriptor: it would keep a pipe of this program open, and the reader of
            // that pipe would never reach the end of the data.
            process = try ChildProgram.start(
                program, ["--ready-fd", "3"], steps: steps, descriptorCount: 4, hasOwnSession: true)
        } catch { throw Failure(description: "\(program) cannot be started: \(error.reason)") }
        CompositorReaper.watchProcess(process)
    }
}
