import CLinux
import Glibc
import SystemCalls

/// Reads the output of a child process until every writer has closed it, and collects the exit status of the child
/// process. The owner calls ``run()`` on a new thread, which does this work until ``stop()``.
final class ChildSupervisor: Sendable {
    /// A descriptor from which the child's output is read, and the function that receives the bytes on the thread of
    /// ``run()``.
    struct OutputSource: Sendable {
        let descriptor: SharedDescriptor
        let sink: @Sendable (ArraySlice<UInt8>) -> Void
    }
    private struct State {
        var status: ExitStatus?
        var isStopping = false
        var isPaused = false
    }

    let pid: pid_t
    private let state = Monitor(State())
    /// The event that wakes ``run()`` after a change of `state`.
    private let wakeEvent: EventDescriptor
    private let sources: [OutputSource]
    /// The pidfd of the child, which becomes readable when the child exits.
    private let exitDescriptor: SharedDescriptor

    init(pid: pid_t, sources: [OutputSource]) throws(SystemCallError) {
        self.pid = pid
        self.sources = sources
        wakeEvent = try EventDescriptor()
        exitDescriptor = SharedDescriptor(
            FileDescriptor(owning: try systemCall("pidfd_open") { clinux_pidfd_open(pid) }))
        for source in sources { try systemCall("fcntl") { clinux_set_nonblocking(source.descriptor.raw, 1) } }
    }

    /// The exit status of the child; nil while the child runs.
    var status: ExitStatus? { state.withLock { $0.status } }

    /// Returns the exit status of the child; nil if the child still runs at host time `deadline` (nanoseconds).
    func waitForExit(until deadline: Int64) -> ExitStatus? { state.wait(until: deadline) { $0.status } }

    /// Makes ``run()`` kill the child and return.
    func stop() { updateState { $0.isStopping = true } }

    /// Stops or resumes reading the child's output. A terminal that is frozen with Ctrl-S stops reading in the same
    /// way.
    func setReadingPaused(_ isPaused: Bool) { updateState { $0.isPaused = isPaused } }

    private func updateState(_ body: (inout State) -> Void) {
        state.update(body)
        wakeEvent.signal()
    }

    /// Supervises the child on the calling thread. Returns after ``stop()``, when the child has been killed.
    func run() {
        var openSources = sources
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let (hasExited, isStopping, isPaused) = state.withLock { ($0.status != nil, $0.isStopping, $0.isPaused) }
            if isStopping { break }
            var entries = [Poll.Entry(wakeEvent.raw)]
            if !hasExited { entries.append(Poll.Entry(exitDescriptor.raw)) }
            let firstSourceIndex = entries.count
            if !isPaused { entries += openSources.map { Poll.Entry($0.descriptor.raw) } }
            guard (try? Poll.wait(&entries, until: nil)) != nil else { break }
            wakeEvent.drain()
            if !isPaused {
                openSources = zip(openSources, entries[firstSourceIndex...])
                    .filter { $1.ready.isEmpty || drain($0, &buffer) }.map { $0.0 }
            }
            if !hasExited, !entries[1].ready.isEmpty {
                // The child has exited, so all of its output is readable. Read it before publishing the exit status, so
                // that callers of `waitForExit` see complete output.
                if !isPaused { openSources = openSources.filter { drain($0, &buffer) } }
                collectExitStatus()
            }
        }
        kill(-pid, SIGKILL)
        if status == nil { collectExitStatus() }
    }

    /// Reads all available bytes of the child's output. Returns false at the end of the stream.
    private func drain(_ source: OutputSource, _ buffer: inout [UInt8]) -> Bool {
        while true {
            let count = Glibc.read(source.descriptor.raw, &buffer, buffer.count)
            if count > 0 {
                source.sink(buffer[..<count])
            } else if count < 0, errno == EINTR {
                continue
            } else {
                return count < 0 && errno == EAGAIN
            }
        }
    }

    /// Waits until the child has exited, and publishes its exit status.
    private func collectExitStatus() {
        var status: Int32 = 0
        var usage = rusage()
        while wait4(pid, &status, 0, &usage) < 0 && errno == EINTR {}
        let exitStatus = ExitStatus(status: status, usage: usage)
        state.update { $0.status = exitStatus }
    }
}
