import CLinux
import Glibc
import Synchronization

/// A named thread. The owner must either join or detach the thread.
package final class NamedThread: Sendable {
    /// The full name of the thread; `/proc` shows its first 15 bytes.
    package let name: String
    /// The POSIX thread, valid until the thread is joined or detached.
    private let handle: pthread_t
    /// The kernel's ID of the thread, set by the thread as its first action.
    private let kernelID = Monitor<Int32?>(nil)
    /// Whether `body` has returned. The thread sets this flag as its last action.
    private let hasFinished = Monitor(false)
    /// Whether the thread was joined or detached, so that ``handle`` is no longer valid.
    private let isJoinedOrDetached = Atomic<Bool>(false)

    /// Starts the thread, which runs `body`.
    package init(_ name: String, _ body: @escaping @Sendable () -> Void) throws(SystemCallError) {
        self.name = name
        let startArgument = Unmanaged.passRetained(
            StartArgument(name: name, kernelID: kernelID, hasFinished: hasFinished, body: body))
        var thread = pthread_t()
        // Only the main thread handles signals. Other threads block all signals except those of a crash, which must
        // reach the handler that restores the terminal.
        var blockedSignals = sigset_t(), previousMask = sigset_t()
        sigfillset(&blockedSignals)
        for signal in [SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT] { sigdelset(&blockedSignals, signal) }
        pthread_sigmask(SIG_SETMASK, &blockedSignals, &previousMask)
        let errorNumber = pthread_create(
            &thread, nil,
            { argument in
                guard let argument else { return nil }
                NamedThread.run(argument).update { $0 = true }
                return nil
            }, startArgument.toOpaque())
        pthread_sigmask(SIG_SETMASK, &previousMask, nil)
        guard errorNumber == 0 else {
            startArgument.release()
            throw SystemCallError(call: "pthread_create", number: errorNumber)
        }
        handle = thread
    }

    /// Runs the closure that was passed to ``init(_:_:)``, and releases the closure.
    ///
    /// - Returns: The flag ``hasFinished``, which the caller sets as the thread's last action.
    private static func run(_ argument: UnsafeMutableRawPointer) -> Monitor<Bool> {
        let startArgument = Unmanaged<StartArgument>.fromOpaque(argument).takeRetainedValue()
        startArgument.kernelID.update { $0 = clinux_thread_id() }
        clinux_set_thread_name(String(startArgument.name.prefix(15)))
        pthread_setspecific(threadMarkKey, UnsafeRawPointer(bitPattern: 1))
        startArgument.body()
        return startArgument.hasFinished
    }

    /// Checks that the owner joined or detached the thread.
    deinit {
        precondition(
            isJoinedOrDetached.load(ordering: .acquiring),
            "thread \(name) was released without being joined or detached")
    }

    /// Waits for the thread to end. Only the first call of this method waits. A call on the thread itself detaches the
    /// thread instead, because a thread cannot wait for itself.
    package func join() {
        guard !isJoinedOrDetached.exchange(true, ordering: .acquiringAndReleasing) else { return }
        if pthread_equal(pthread_self(), handle) != 0 {
            pthread_detach(handle)
        } else {
            pthread_join(handle, nil)
        }
    }

    /// Waits until the thread has ended, but not beyond `deadline` (host time in nanoseconds). Call this method on one
    /// thread at a time, and not on the thread itself.
    ///
    /// - Returns: False if the deadline passed first; the thread must still be joined or detached.
    package func join(until deadline: Int64) -> Bool {
        guard !isJoinedOrDetached.exchange(true, ordering: .acquiringAndReleasing) else { return true }
        // ThreadSanitizer does not support `pthread_clockjoin_np`: it reports the joined thread as still running.
        if hasFinished.wait(until: deadline, { $0 ? true : nil }) == true {
            pthread_join(handle, nil)
            return true
        }
        isJoinedOrDetached.store(false, ordering: .releasing)
        return false
    }

    /// Detaches a thread that hangs in a function that cannot be interrupted. The thread releases its resources when
    /// that function returns.
    package func detach() {
        guard !isJoinedOrDetached.exchange(true, ordering: .acquiringAndReleasing) else { return }
        pthread_detach(handle)
    }

    /// The thread-specific key whose value marks the threads that ``NamedThread`` has started.
    private static let threadMarkKey: pthread_key_t = {
        var key = pthread_key_t()
        pthread_key_create(&key, nil)
        return key
    }()

    /// Whether the caller runs on a ``NamedThread``. Such a thread must not wait for a group of threads to end, because
    /// the waiting thread may belong to the group, or a thread of the group may wait for the waiting thread.
    package static var isCurrentThreadNamed: Bool { pthread_getspecific(threadMarkKey) != nil }

    /// Returns the kernel's ID of the thread; nil if the thread has not started by `deadline` (host nanoseconds).
    /// Another thread may get the same ID after this one has ended.
    package func threadID(until deadline: Int64) -> Int32? { kernelID.wait(until: deadline) { $0 } }

    /// Whether the thread that calls this property is the thread of this object.
    package var isCurrent: Bool { pthread_equal(pthread_self(), handle) != 0 }

    /// The argument that `pthread_create` passes to the new thread.
    private final class StartArgument: Sendable {
        /// The name that the thread gives itself.
        let name: String
        /// The kernel's ID of the thread, which the thread sets.
        let kernelID: Monitor<Int32?>
        /// The flag that the thread sets as its last action.
        let hasFinished: Monitor<Bool>
        /// The code that the thread runs.
        let body: @Sendable () -> Void
        init(
            name: String, kernelID: Monitor<Int32?>, hasFinished: Monitor<Bool>, body: @escaping @Sendable () -> Void
        ) {
            (self.name, self.kernelID, self.hasFinished, self.body) = (name, kernelID, hasFinished, body)
        }
    }
}
