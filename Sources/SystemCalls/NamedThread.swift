import CLinux
import Glibc
import Synchronization

/// A named thread. The owner must either join it exactly once or detach it. `/proc` shows at most 15 bytes of the name.
package final class NamedThread: Sendable {
    package let name: String
    private let handle: pthread_t
    /// Set as the last action of the thread.
    private let hasEnded = Monitor(false)
    private let joined = Atomic<Bool>(false)

    /// Starts the thread, which runs `body`.
    package init(_ name: String, _ body: @escaping @Sendable () -> Void) throws(SystemCallError) {
        self.name = name
        let start = Unmanaged.passRetained(Start(name: name, hasEnded: hasEnded, body: body))
        var thread = pthread_t()
        // Only the main thread handles signals. Other threads block all signals except those of a crash, which must
        // reach the handler that restores the terminal.
        var all = sigset_t(), old = sigset_t()
        sigfillset(&all)
        for fault in [SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT] { sigdelset(&all, fault) }
        pthread_sigmask(SIG_SETMASK, &all, &old)
        let code = pthread_create(
            &thread, nil,
            { argument in
                guard let argument else { return nil }
                NamedThread.run(argument).update { $0 = true }
                return nil
            }, start.toOpaque())
        pthread_sigmask(SIG_SETMASK, &old, nil)
        guard code == 0 else {
            start.release()
            throw SystemCallError(call: "pthread_create", number: code)
        }
        handle = thread
    }

    /// Runs and releases the thread's body.
    ///
    /// - Returns: The flag that the caller sets as the thread's last action.
    private static func run(_ argument: UnsafeMutableRawPointer) -> Monitor<Bool> {
        let start = Unmanaged<Start>.fromOpaque(argument).takeRetainedValue()
        clinux_set_thread_name(String(start.name.prefix(15)))
        pthread_setspecific(mark, UnsafeRawPointer(bitPattern: 1))
        start.body()
        return start.hasEnded
    }

    deinit {
        precondition(
            joined.load(ordering: .acquiring), "thread \(name) was released without being joined or detached")
    }

    /// Waits for the thread to end. Only the first call waits. A call on the thread itself detaches the thread instead,
    /// because a thread cannot wait for itself.
    package func join() {
        guard !joined.exchange(true, ordering: .acquiringAndReleasing) else { return }
        if pthread_equal(pthread_self(), handle) != 0 {
            pthread_detach(handle)
        } else {
            pthread_join(handle, nil)
        }
    }

    /// Waits for the thread to end until `deadline` (host nanoseconds). Only one owner may call it at a time, and not
    /// on the thread itself.
    ///
    /// - Returns: false if the deadline passed first; the thread must still be joined or detached.
    package func join(until deadline: Int64) -> Bool {
        guard !joined.exchange(true, ordering: .acquiringAndReleasing) else { return true }
        // ThreadSanitizer does not support `pthread_clockjoin_np`: it reports the joined thread as still running.
        if hasEnded.wait(until: deadline, { $0 ? true : nil }) == true {
            pthread_join(handle, nil)
            return true
        }
        joined.store(false, ordering: .releasing)
        return false
    }

    /// Detaches a thread that hangs in an uninterruptible call. The thread releases its resources when the call
    /// returns.
    package func leaveBehind() {
        guard !joined.exchange(true, ordering: .acquiringAndReleasing) else { return }
        pthread_detach(handle)
    }

    /// The thread-specific key that marks threads of this type.
    private static let mark: pthread_key_t = {
        var key = pthread_key_t()
        pthread_key_create(&key, nil)
        return key
    }()

    /// Whether the caller runs on a thread of this type. Such a thread must not join several threads.
    package static var isCallerNamed: Bool { pthread_getspecific(mark) != nil }

    /// Whether the caller runs on this thread.
    package var isCurrent: Bool { pthread_equal(pthread_self(), handle) != 0 }

    private final class Start: Sendable {
        let name: String
        let hasEnded: Monitor<Bool>
        let body: @Sendable () -> Void
        init(name: String, hasEnded: Monitor<Bool>, body: @escaping @Sendable () -> Void) {
            (self.name, self.hasEnded, self.body) = (name, hasEnded, body)
        }
    }
}
