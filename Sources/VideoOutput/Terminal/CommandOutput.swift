import CLinux
import Glibc
import SystemCalls

/// The output of a command that exits at once.
enum CommandOutput {
    /// The maximum length of the output in bytes.
    private static let maximumLength = 4096
    /// The time, in nanoseconds, for which a command that has closed its output, or was killed, may still run.
    private static let exitTimeout: Int64 = 100_000_000

    /// Runs a command without input and returns its standard output.
    ///
    /// - Parameters:
    ///   - program: The program, which is searched in `PATH`.
    ///   - deadline: The host time at which the command is killed.
    /// - Returns: The output; nil if the command cannot be started, fails, writes too much or misses the deadline.
    static func read(_ program: String, _ arguments: [String], until deadline: Int64) -> String? {
        var pipeEnds: [Int32] = [-1, -1]
        guard clinux_stream_socketpair(&pipeEnds) == 0 else { return nil }
        let output = FileDescriptor(owning: pipeEnds[0])
        let processID = start(program, arguments, output: FileDescriptor(owning: pipeEnds[1]))
        guard let processID else { return nil }
        if let bytes = read(output.raw, until: deadline), let status = waitForExit(of: processID) {
            // The status is 0 only if the command has exited with the code 0.
            return status == 0 ? String(decoding: bytes, as: UTF8.self) : nil
        }
        kill(processID, SIGKILL)
        _ = waitForExit(of: processID)
        return nil
    }

    /// Waits for the end of a process, at most ``exitTimeout``. Returns its status; nil if it still runs.
    private static func waitForExit(of processID: pid_t) -> Int32? {
        ChildProgram.waitForExit(of: processID, until: MonotonicTime.now + exitTimeout)
    }

    /// Reads to the end of a stream; nil if the deadline passes or there are too many bytes.
    private static func read(_ descriptor: Int32, until deadline: Int64) -> [UInt8]? {
        var bytes: [UInt8] = []
        while bytes.count <= maximumLength {
            guard (try? Poll.waitReadable(descriptor, until: deadline)) == true else { return nil }
            var chunk = [UInt8](repeating: 0, count: 1024)
            let count = Glibc.read(descriptor, &chunk, chunk.count)
            if count == 0 { return bytes }
            if count > 0 { bytes += chunk[..<count] }
            if count < 0, errno != EAGAIN, errno != EINTR { return nil }
        }
        return nil
    }

    /// Starts a program whose standard output is `output`. Returns its process ID; nil if it cannot be started.
    private static func start(_ program: String, _ arguments: [String], output: consuming FileDescriptor) -> pid_t? {
        try? ChildProgram.start(
            program, arguments,
            steps: [
                .copy(output.raw, as: 1), .open(path: "/dev/null", flags: O_RDONLY, as: 0),
                .open(path: "/dev/null", flags: O_WRONLY, as: 2),
            ], descriptorCount: 3, searchesPath: true)
    }
}
