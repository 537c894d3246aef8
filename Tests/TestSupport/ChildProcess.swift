import Foundation
import Glibc
import SystemCalls

/// A program that the test started.
///
/// Deinitialisation kills the program and every process in its process group. A thread reads the program's output all
/// the time, so that the program never blocks on a full pipe; ``OutputBuffer`` limits how much output is kept.
package final class ChildProcess: Sendable {
    /// The path of the executable file.
    package let program: String
    /// The host time at which the program was started, in nanoseconds.
    package let startTime: Int64
    /// The standard output of the program; empty if the test receives the output through `onOutput`.
    package let output: OutputBuffer
    /// The standard error output of the program; on a ``TerminalProcess``, the same buffer as ``output``.
    package let errors: OutputBuffer
    package var pid: Int32 { supervisor.pid }
    let supervisor: ChildSupervisor
    /// The thread that runs ``supervisor``.
    private let thread: NamedThread

    /// Starts `program` with empty standard input.
    ///
    /// - Parameters:
    ///   - environment: changes to the environment variables of the test process; nil removes a variable.
    ///   - runtimeDirectory: a private `XDG_RUNTIME_DIR`, which gives the program its own compositor; nil keeps the
    ///     directory of the test environment.
    ///   - onOutput: receives the bytes of standard output as they arrive, on the thread that reads the output.
    package convenience init(
        _ program: String, _ arguments: [String] = [], environment: [String: String?] = [:],
        runtimeDirectory: RuntimeDirectory? = nil, onOutput: (@Sendable (ArraySlice<UInt8>) -> Void)? = nil
    ) throws(SystemCallError) {
        let (outRead, outWrite) = try Self.pipe()
        let (errRead, errWrite) = try Self.pipe()
        let output = OutputBuffer(), errors = OutputBuffer()
        let start = MonotonicTime.now
        let pid = try Spawn.start(
            program, arguments, environment: Self.environment(environment, runtimeDirectory),
            streams: .pipes(output: outWrite.raw, errors: errWrite.raw))
        try self.init(
            program: program, pid: pid, startTime: start, output: output, errors: errors,
            sources: [
                .init(descriptor: outRead, sink: onOutput ?? { output.append($0) }),
                .init(descriptor: errRead, sink: { errors.append($0) }),
            ])
    }

    /// Supervises a process that is already running and reads its output from `sources`.
    init(
        program: String, pid: pid_t, startTime: Int64, output: OutputBuffer, errors: OutputBuffer,
        sources: [ChildSupervisor.OutputSource]
    ) throws(SystemCallError) {
        self.program = program
        self.startTime = startTime
        self.output = output
        self.errors = errors
        let supervisor = try ChildSupervisor(pid: pid, sources: sources)
        self.supervisor = supervisor
        thread = try NamedThread("child-\(pid)") { supervisor.run() }
    }

    deinit {
        supervisor.stop()
        thread.join()
    }

    /// The exit status of the program; nil while the program runs.
    package var exitStatus: ExitStatus? { supervisor.status }
    package var isRunning: Bool { exitStatus == nil }

    /// Sends a signal to the program itself, not to its process group. Does nothing after the program has exited.
    package func signal(_ number: Int32) {
        if isRunning { kill(pid, number) }
    }

    /// Waits until the program exits. ``output`` and ``errors`` are complete when this method returns.
    ///
    /// - Returns: the exit status.
    /// - Throws: ``TestFailure`` with the last error output if the program is still running after `timeout`.
    @discardableResult
    package func waitForExit(within timeout: Duration = .seconds(10)) throws(TestFailure) -> ExitStatus {
        if let status = supervisor.waitForExit(until: Deadline.after(timeout)) { return status }
        throw TestFailure("\(program) is still running after \(timeout). Its errors: \(errors.text.suffix(2000))")
    }

    /// Adds `XDG_RUNTIME_DIR`, `XDG_STATE_HOME` and `XDG_CONFIG_HOME` with paths in `directory` to the environment
    /// variables `changes`. Variables that `changes` already contains keep their values.
    static func environment(_ changes: [String: String?], _ directory: RuntimeDirectory?) -> [String: String?] {
        guard let directory else { return changes }
        return changes.merging([
            "XDG_RUNTIME_DIR": directory.path, "XDG_STATE_HOME": directory.path + "/state",
            "XDG_CONFIG_HOME": directory.path + "/config",
        ]) { existingValue, _ in existingValue }
    }

    /// Returns a new pipe both of whose descriptors are opened with close-on-exec. If the flag were set after opening,
    /// a program that another thread starts in between would keep the pipe open. `pipe2` needs _GNU_SOURCE, so this
    /// function opens a named pipe and removes its name.
    private static func pipe() throws(SystemCallError) -> (read: SharedDescriptor, write: SharedDescriptor) {
        var template = Array((NSTemporaryDirectory() + "/swiftplay-pipe.XXXXXX").utf8CString)
        guard let directoryPath = mkdtemp(&template) else { throw SystemCallError(call: "mkdtemp", number: errno) }
        let directory = String(cString: directoryPath)
        let path = directory + "/pipe"
        defer {
            unlink(path)
            rmdir(directory)
        }
        try systemCall("mkfifo") { mkfifo(path, 0o600) }
        let readEnd = try FileDescriptor(opening: path, flags: O_RDONLY | O_NONBLOCK)
        let writeEnd = try FileDescriptor(opening: path, flags: O_WRONLY)
        return (SharedDescriptor(readEnd), SharedDescriptor(writeEnd))
    }
}
