import CLinux
import Glibc

/// A descriptor that delivers signals to a poll loop. The initialiser blocks the signals in the calling thread, so
/// create the descriptor on the main thread before other threads start.
package struct SignalDescriptor: ~Copyable, Sendable {
    /// The `signalfd`, readable while a signal is pending.
    package let descriptor: FileDescriptor

    /// Blocks `signals` in the calling thread and creates a descriptor that receives them.
    package init(_ signals: [Int32]) throws(SystemCallError) {
        var set = sigset_t()
        sigemptyset(&set)
        for signal in signals { sigaddset(&set, signal) }
        pthread_sigmask(SIG_BLOCK, &set, nil)
        descriptor = FileDescriptor(
            owning: try systemCall("signalfd") { signalfd(-1, &set, Int32(SFD_CLOEXEC | SFD_NONBLOCK)) })
    }

    /// Returns the next pending signal; nil if there is none.
    package func next() -> Int32? {
        var info = signalfd_siginfo()
        let size = MemoryLayout<signalfd_siginfo>.size
        guard read(descriptor.raw, &info, size) == size else { return nil }
        return Int32(info.ssi_signo)
    }
}
