import CLinux
import Glibc

/// Signals as something to poll. Blocks them for the whole process, so make it on the main thread before others start.
package struct SignalDescriptor: ~Copyable, Sendable {
    package let descriptor: FileDescriptor

    package init(_ signals: [Int32]) throws(SystemCallError) {
        var set = sigset_t()
        sigemptyset(&set)
        for signal in signals { sigaddset(&set, signal) }
        pthread_sigmask(SIG_BLOCK, &set, nil)
        descriptor = FileDescriptor(
            owning: try systemCall("signalfd") { signalfd(-1, &set, Int32(SFD_CLOEXEC | SFD_NONBLOCK)) })
    }

    /// The next signal that came; nil when there is none.
    package func next() -> Int32? {
        var info = signalfd_siginfo()
        let size = MemoryLayout<signalfd_siginfo>.size
        guard read(descriptor.raw, &info, size) == size else { return nil }
        return Int32(info.ssi_signo)
    }
}
