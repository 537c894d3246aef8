import SharedFrames
import SystemCalls

/// The lock of ``SharedTerminalMemory`` in the process that owns the terminal. This type takes the lock for each
/// picture, and assigns cells to the compositor. Used on the thread that writes to the terminal.
struct TerminalLock {
    /// The memory shared with the compositor.
    let sharedMemory: SharedTerminalMemory
    /// The cells in which the compositor may currently draw; nil if there are none.
    private(set) var grantedRegion: TerminalRegion?
    /// Whether this process waits if the compositor holds the lock. Becomes false when the compositor has exceeded
    /// ``lockTimeout``, and true again when the compositor releases the lock.
    private var waitsForCompositor = true
    /// Whether this process holds the lock.
    private var isLockHeld = false

    /// The time in nanoseconds for which the compositor may hold the lock while the terminal accepts bytes.
    static let lockTimeout: Int64 = 1_000_000_000
    /// The time between two attempts to take the lock, in nanoseconds.
    private static let lockRetryInterval: Int64 = 1_000_000

    /// Creates a lock that is not held, with no cells assigned to the compositor.
    init(_ sharedMemory: SharedTerminalMemory) { self.sharedMemory = sharedMemory }

    /// Takes the lock, which the compositor holds while it writes a picture. If that process hangs, the wait ends
    /// after ``lockTimeout``, and this process draws without the lock.
    ///
    /// - Parameters:
    ///   - terminal: The terminal's descriptor.
    ///   - shouldContinue: Called repeatedly while this process waits; returns false to end the wait.
    /// - Returns: False if `shouldContinue` returned false.
    mutating func acquire(terminal: Int32, while shouldContinue: () -> Bool) -> Bool {
        var deadline = MonotonicTime.now + (waitsForCompositor ? Self.lockTimeout : 0)
        while !sharedMemory.tryLock() {
            guard shouldContinue() else { return false }
            // A terminal that accepts no bytes delays the compositor and would not accept this process's bytes
            // either.
            var entries = [Poll.Entry(terminal, .writable)]
            if (try? Poll.wait(&entries, until: 0)) == false { deadline = MonotonicTime.now + Self.lockTimeout }
            if MonotonicTime.now >= deadline {
                waitsForCompositor = false
                return true
            }
            var noEntries: [Poll.Entry] = []
            _ = try? Poll.wait(&noEntries, until: MonotonicTime.now + Self.lockRetryInterval)
        }
        (waitsForCompositor, isLockHeld) = (true, true)
        return true
    }

    /// Releases the lock if this process holds it.
    mutating func release() {
        if isLockHeld { sharedMemory.unlock() }
        isLockHeld = false
    }

    /// Assigns cells to the compositor; nil takes them back. Call it between ``acquire(terminal:while:)`` and
    /// ``release()``.
    mutating func grant(_ region: TerminalRegion?) {
        if let region { sharedMemory.allowDrawing(in: region) } else { sharedMemory.revokeDrawing() }
        grantedRegion = region
    }
}
