import CLinux
import Glibc
import SystemCalls

/// The thread behind a child process: reads what it writes for as long as anybody may write it, and collects its end.
final class ChildSupervisor: Sendable {
    /// A descriptor to read and who takes the bytes. The sink runs on the supervisor's thread.
    struct Source: Sendable {
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
    private let wake: EventDescriptor
    private let sources: [Source]
    private let exit: SharedDescriptor

    init(pid: pid_t, sources: [Source]) throws(SystemCallError) {
        self.pid = pid
        self.sources = sources
        wake = try EventDescriptor()
        exit = SharedDescriptor(FileDescriptor(owning: try systemCall("pidfd_open") { clinux_pidfd_open(pid) }))
        for source in sources { try systemCall("fcntl") { clinux_set_nonblocking(source.descriptor.raw, 1) } }
    }

    var status: ExitStatus? { state.withLock { $0.status } }

    func waitForExit(until deadline: Int64) -> ExitStatus? { state.wait(until: deadline) { $0.status } }

    func stop() { change { $0.isStopping = true } }

    /// Stops or goes on reading: what a terminal does that its user has frozen.
    func pause(_ on: Bool) { change { $0.isPaused = on } }

    private func change(_ body: (inout State) -> Void) {
        state.update(body)
        wake.signal()
    }

    /// The thread's body; returns after ``stop()``, with the child gone.
    func run() {
        var open = sources
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let (ended, stopping, paused) = state.withLock { ($0.status != nil, $0.isStopping, $0.isPaused) }
            if stopping { break }
            var entries = [Poll.Entry(wake.raw)]
            if !ended { entries.append(Poll.Entry(exit.raw)) }
            let first = entries.count
            if !paused { entries += open.map { Poll.Entry($0.descriptor.raw) } }
            guard (try? Poll.wait(&entries, until: nil)) != nil else { break }
            wake.drain()
            if !paused {
                var still: [Source] = []
                for (source, entry) in zip(open, entries[first...]) where entry.ready.isEmpty || drain(source, &buffer)
                { still.append(source) }
                open = still
            }
            if !ended, !entries[1].ready.isEmpty {
                // Everything the child wrote is readable now; its end is told only after its last words.
                if !paused { open = open.filter { drain($0, &buffer) } }
                collect()
            }
        }
        kill(-pid, SIGKILL)
        if status == nil { collect() }
    }

    /// Reads all there is; false at the end of the stream.
    private func drain(_ source: Source, _ buffer: inout [UInt8]) -> Bool {
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

    private func collect() {
        var status: Int32 = 0
        var usage = rusage()
        while wait4(pid, &status, 0, &usage) < 0 && errno == EINTR {}
        let ended = ExitStatus(status: status, usage: usage)
        state.update { $0.status = ended }
    }
}
