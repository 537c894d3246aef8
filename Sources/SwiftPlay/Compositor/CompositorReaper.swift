import CLinux
import Dispatch
import Glibc
import SystemCalls

/// Collects the exit status of each compositor that this process started as soon as it exits, so that it does not stay
/// a zombie.
enum CompositorReaper {
    private struct State {
        /// The processes that are watched, by their ids.
        var watches: [pid_t: any DispatchSourceRead] = [:]
        /// Processes that the kernel cannot watch (before Linux 5.3). They are collected when another compositor
        /// starts.
        var unwatched: [pid_t] = []
    }

    private static let state = Monitor(State())

    /// Watches a child process. Signals and other children of the program are not affected.
    static func adopt(_ process: pid_t) {
        state.withLock { state in
            state.unwatched.removeAll { waitpid($0, nil, WNOHANG) != 0 }
            let descriptor = clinux_pidfd_open(process)
            guard descriptor >= 0 else { return state.unwatched.append(process) }
            let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: .global(qos: .utility))
            source.setEventHandler { collect(process) }
            source.setCancelHandler { close(descriptor) }
            state.watches[process] = source
            source.resume()
        }
    }

    /// A descriptor of a process becomes readable when the process exits.
    private static func collect(_ process: pid_t) {
        guard waitpid(process, nil, WNOHANG) != 0 else { return }
        state.withLock { $0.watches.removeValue(forKey: process) }?.cancel()
    }
}
