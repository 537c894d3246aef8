import CLinux
import Glibc
import Synchronization

/// A thread with a name (as `/proc` shows it, 15 bytes at most) and an owner that joins it exactly once, or leaves it
/// behind.
package final class NamedThread: Sendable {
    package let name: String
    private let handle: pthread_t
    /// Set as the thread's last act.
    private let hasEnded = Monitor(false)
    private let joined = Atomic<Bool>(false)

    /// Starts running `body` at once.
    package init(_ name: String, _ body: @escaping @Sendable () -> Void) throws(SystemCallError) {
        self.name = name
        let start = Unmanaged.passRetained(Start(name: name, hasEnded: hasEnded, body: body))
        var thread = pthread_t()
        // Signals belong to the main thread: every thread of ours starts with all of them blocked but those of a fault,
        // which must reach the handler that gives a terminal back.
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

    /// Runs and releases a thread's body.
    ///
    /// - Returns: what is set when all of that is done.
    private static func run(_ argument: UnsafeMutableRawPointer) -> Monitor<Bool> {
        let start = Unmanaged<Start>.fromOpaque(argument).takeRetainedValue()
        clinux_set_thread_name(String(start.name.prefix(15)))
        pthread_setspecific(mark, UnsafeRawPointer(bitPattern: 1))
        start.body()
        return start.hasEnded
    }

    deinit {
        precondition(
            joined.load(ordering: .acquiring), "thread \(name) was released without being joined or left behind")
    }

    /// Waits for the thread to end. Only the first call waits. From the thread itself it detaches instead,
    /// so that an owner released by its own thread does not wait for itself.
    package func join() {
        guard !joined.exchange(true, ordering: .acquiringAndReleasing) else { return }
        if pthread_equal(pthread_self(), handle) != 0 {
            pthread_detach(handle)
        } else {
            pthread_join(handle, nil)
        }
    }

    /// Waits for the thread to end, until `deadline` (host nanoseconds). Called by one owner at a time, and not by the
    /// thread itself.
    ///
    /// - Returns: false when the deadline came first; the thread then still has to be joined or left behind.
    package func join(until deadline: Int64) -> Bool {
        guard !joined.exchange(true, ordering: .acquiringAndReleasing) else { return true }
        // Not `pthread_clockjoin_np`, which ThreadSanitizer does not know: it takes the joined thread for a running
        // one.
        if hasEnded.wait(until: deadline, { $0 ? true : nil }) == true {
            pthread_join(handle, nil)
            return true
        }
        joined.store(false, ordering: .releasing)
        return false
    }

    /// Detaches a thread that hangs in a call which cannot be interrupted. The thread releases what it holds when the
    /// call returns.
    package func leaveBehind() {
        guard !joined.exchange(true, ordering: .acquiringAndReleasing) else { return }
        pthread_detach(handle)
    }

    /// Marks the threads of this type.
    private static let mark: pthread_key_t = {
        var key = pthread_key_t()
        pthread_key_create(&key, nil)
        return key
    }()

    /// True when the caller runs on any thread of this type: an owner that joins several of them may not do it there.
    package static var isCallerNamed: Bool { pthread_getspecific(mark) != nil }

    /// True when called on this thread.
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
