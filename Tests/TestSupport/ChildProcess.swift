import Foundation
import Glibc
import SystemCalls

/// A program the test started. It and everything in its session die with this object.
///
/// What it writes is read all the time, so that it never blocks on a full pipe, and kept up to a limit.
package final class ChildProcess: Sendable {
    package let program: String
    /// When it was started, in host nanoseconds.
    package let startTime: Int64
    package let output: OutputBuffer
    package let errors: OutputBuffer
    package var pid: Int32 { supervisor.pid }
    let supervisor: ChildSupervisor
    private let thread: NamedThread

    /// Starts `program` with empty standard input.
    ///
    /// - Parameters:
    ///   - environment: changes to the test's own environment; nil takes a variable away.
    ///   - runtimeDirectory: a private `XDG_RUNTIME_DIR`, and so a compositor of its own; nil shares the desk's.
    ///   - onOutput: called with each piece of standard output as it comes, on a thread of the child's own.
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

    init(
        program: String, pid: pid_t, startTime: Int64, output: OutputBuffer, errors: OutputBuffer,
        sources: [ChildSupervisor.Source]
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

    /// How it ended; nil as long as it runs.
    package var exitStatus: ExitStatus? { supervisor.status }
    package var isRunning: Bool { exitStatus == nil }

    /// Sends a signal to it alone; nothing happens when it has ended.
    package func signal(_ number: Int32) {
        if isRunning { kill(pid, number) }
    }

    /// Waits for its end. All it wrote is in ``output`` and ``errors`` by then.
    ///
    /// - Throws: ``RigError`` with its last words when it is still running after `patience`.
    @discardableResult
    package func waitForExit(within patience: Duration = .seconds(10)) throws(RigError) -> ExitStatus {
        if let status = supervisor.waitForExit(until: Deadline.after(patience)) { return status }
        throw RigError("\(program) is still running after \(patience). Its errors: \(errors.text.suffix(2000))")
    }

    static func environment(_ changes: [String: String?], _ directory: RuntimeDirectory?) -> [String: String?] {
        guard let directory else { return changes }
        return changes.merging([
            "XDG_RUNTIME_DIR": directory.path, "XDG_STATE_HOME": directory.path + "/state",
            "XDG_CONFIG_HOME": directory.path + "/config",
        ]) { mine, _ in mine }
    }

    /// A pipe whose ends are closed on exec from the first moment, so that a program which another thread starts just
    /// now does not keep it open. (`pipe2` is behind _GNU_SOURCE; a named pipe does the same.)
    private static func pipe() throws(SystemCallError) -> (read: SharedDescriptor, write: SharedDescriptor) {
        var template = Array((NSTemporaryDirectory() + "/swiftplay-pipe.XXXXXX").utf8CString)
        guard let made = mkdtemp(&template) else { throw SystemCallError(call: "mkdtemp", number: errno) }
        let directory = String(cString: made)
        let path = directory + "/pipe"
        defer {
            unlink(path)
            rmdir(directory)
        }
        try systemCall("mkfifo") { mkfifo(path, 0o600) }
        let read = try FileDescriptor(opening: path, flags: O_RDONLY | O_NONBLOCK)
        let write = try FileDescriptor(opening: path, flags: O_WRONLY)
        return (SharedDescriptor(read), SharedDescriptor(write))
    }
}
