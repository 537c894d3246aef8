import CLinux
import Dispatch
import Glibc
import SystemCalls

/// Collects the exit status of each compositor that this process started as soon as it exits, so that it does not stay
/// a zombie.
enum CompositorReaper {
    /// The compositor processes whose exit status was not collected yet.
    private struct State {
        /// The dispatch sources that watch the compositor processes, by process id.
        var processWatches: [pid_t: any DispatchSourceRead] = [:]
        /// Processes that cannot be watched, because the kernel has no pidfd (before Linux 5.3). Their exit status is
        /// collected when another compositor starts.
        var unwatchedProcesses: [pid_t] = []
    }

    private static let state = Monitor(State())

    /// Watches a compositor that this process started. Signals and other child processes are not affected.
    static func watchProcess(_ process: pid_t) {
        state.withLock { state in
            state.unwatchedProcesses.removeAll { waitpid($0, nil, WNOHANG) != 0 }
            let descriptor = clinux_pidfd_open(process)
            guard descriptor >= 0 else { return state.unwatchedProcesses.append(process) }
            let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: .global(qos: .utility))
            source.setEventHandler { collectExitStatus(of: process) }
            source.setCancelHandler { close(descriptor) }
            state.processWatches[process] = source
            source.resume()
        }
    }

    /// Collects the exit status of a process whose descriptor became readable, which means that the process has exited.
    private static func collectExitStatus(of process: pid_t) {
        guard waitpid(process, nil, WNOHANG) != 0 else { return }
        state.withLock { $0.processWatches.removeValue(forKey: process) }?.cancel()
    }
}
