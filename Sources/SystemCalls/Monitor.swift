import Glibc

/// A value protected by a lock and accessible only inside closures; threads can wait for its changes with a deadline.
///
/// `Value` must not be a function or an optional function: each access would wrap the stored function in two more
/// conversions between calling conventions, which are never removed. Store a structure that contains the function.
///
/// `@unchecked Sendable`: `value` is touched only between `pthread_mutex_lock` and `unlock` of the same mutex.
package final class Monitor<Value>: @unchecked Sendable {
    /// The protected value; only the holder of ``mutex`` may access it.
    private var value: Value
    // POSIX requires that the mutex and the condition keep their addresses from initialisation to destruction.
    /// The lock that protects ``value``.
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    /// The condition variable on which ``wait(until:_:)`` waits. Its deadlines use `CLOCK_MONOTONIC`.
    private let condition: UnsafeMutablePointer<pthread_cond_t>

    package init(_ value: sending Value) {
        self.value = value
        mutex = .allocate(capacity: 1)
        mutex.initialize(to: pthread_mutex_t())
        pthread_mutex_init(mutex, nil)
        condition = .allocate(capacity: 1)
        condition.initialize(to: pthread_cond_t())
        var attributes = pthread_condattr_t()
        pthread_condattr_init(&attributes)
        pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        pthread_cond_init(condition, &attributes)
        pthread_condattr_destroy(&attributes)
    }

    deinit {
        pthread_cond_destroy(condition)
        pthread_mutex_destroy(mutex)
        condition.deallocate()
        mutex.deallocate()
    }

    /// Reads or changes the value under the lock. Does not wake waiting threads; see ``update(_:)``.
    package func withLock<Result, Failure: Error>(_ body: (inout Value) throws(Failure) -> Result) throws(Failure)
        -> Result
    {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return try body(&value)
    }

    /// Changes the value under the lock and wakes every waiting thread, which then rechecks its condition.
    package func update<Result, Failure: Error>(_ body: (inout Value) throws(Failure) -> Result) throws(Failure)
        -> Result
    {
        pthread_mutex_lock(mutex)
        // Broadcast after unlocking, so that a waiting thread does not wake only to wait for the lock.
        defer {
            pthread_mutex_unlock(mutex)
            pthread_cond_broadcast(condition)
        }
        return try body(&value)
    }

    /// Wakes every waiting thread. Call it after the closure passed to ``wait(until:_:)`` has changed the value,
    /// because that method wakes no other thread.
    package func notify() { pthread_cond_broadcast(condition) }

    /// Waits until `body` returns a non-nil value. Calls `body` at once and again after each ``update(_:)``.
    ///
    /// - Parameter deadline: The host time, in nanoseconds, at which the wait ends; nil waits without limit. Use nil
    ///   only if the code that stops the waiting thread also makes `body` return a value.
    /// - Returns: The value that `body` returned; nil if the deadline passed first.
    package func wait<Result>(until deadline: Int64? = nil, _ body: (inout Value) -> Result?) -> Result? {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while true {
            if let result = body(&value) { return result }
            if let deadline {
                var timeout = timespec(
                    tv_sec: Int(deadline / MonotonicTime.nanosecondsPerSecond),
                    tv_nsec: Int(deadline % MonotonicTime.nanosecondsPerSecond))
                if pthread_cond_timedwait(condition, mutex, &timeout) == ETIMEDOUT { return body(&value) }
            } else {
                pthread_cond_wait(condition, mutex)
            }
        }
    }
}
