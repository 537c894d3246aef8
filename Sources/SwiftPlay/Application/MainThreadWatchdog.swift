import Dispatch
import SystemCalls

/// Reports when the main thread does not handle events for a while. A tool for development and tests.
///
/// The thread "watchdog" sends a block to the main queue, waits until the block has run, and repeats that every 4 ms.
/// If the block runs too late, the main thread was busy or blocked; a user notices a late picture or a slow reply to a
/// key. The watchdog wakes the processor 250 times a second, so do not enable it in released programs.
///
/// ```swift
/// import SwiftPlay
///
/// let watchdog = try MainThreadWatchdog { delay in print("the main thread was busy for \(delay)") }
/// ```
///
/// The release of the object ends the thread, also while the main thread hangs.
public final class MainThreadWatchdog: Sendable {
    /// The time between two checks.
    public static let interval = Duration.milliseconds(4)

    private struct State {
        /// The host time in nanoseconds at which the pending block was sent; nil while no block is pending.
        var sendTime: Int64?
        /// The longest delay of a block so far, in nanoseconds.
        var longestDelay: Int64 = 0
        var isClosed = false
    }

    private let state = Monitor(State())
    private let thread: NamedThread

    /// Starts to watch the main thread.
    ///
    /// - Parameters:
    ///   - limit: The shortest delay that is reported.
    ///   - report: Called on the main thread with each delay of at least `limit`, when the main thread runs again. Not
    ///     called after a release on the main thread; after a release on another thread, one call may follow.
    /// - Throws: ``PlaybackError`` with the code ``PlaybackError/Code/resources`` if no thread can be started.
    public init(limit: Duration = .milliseconds(8), report: @escaping @Sendable (Duration) -> Void)
        throws(PlaybackError)
    {
        let state = state, limit = Self.nanoseconds(limit)
        do throws(SystemCallError) {
            thread = try NamedThread("watchdog") { Self.run(state, limit, report) }
        } catch {
            throw PlaybackError(
                .resources, "cannot start a thread for the watchdog: \(error.reason)", underlying: error)
        }
    }

    deinit {
        state.update { $0.isClosed = true }
        thread.join()
    }

    /// The longest time for which the main thread has not handled events, including the present time.
    /// Safe to use from any thread.
    public var longestDelay: Duration {
        let now = MonotonicTime.now
        return .nanoseconds(state.withLock { max($0.longestDelay, now - ($0.sendTime ?? now)) })
    }

    /// The body of the thread "watchdog".
    private static func run(
        _ state: Monitor<State>, _ limit: Int64, _ report: @escaping @Sendable (Duration) -> Void
    ) {
        let interval = nanoseconds(interval)
        var nextCheckTime = MonotonicTime.now
        while true {
            nextCheckTime = max(nextCheckTime + interval, MonotonicTime.now)
            let isClosed = state.wait(until: nextCheckTime) { $0.isClosed ? true : nil }
            if isClosed == true { return }
            let sendTime = MonotonicTime.now
            state.withLock { $0.sendTime = sendTime }
            DispatchQueue.main.async {
                let delay = MonotonicTime.now - sendTime
                let isClosed = state.update { state in
                    state.sendTime = nil
                    state.longestDelay = max(state.longestDelay, delay)
                    return state.isClosed
                }
                if delay >= limit, !isClosed { report(.nanoseconds(delay)) }
            }
            let hasEnded = state.wait { $0.isClosed ? true : $0.sendTime == nil ? false : nil }
            if hasEnded == true { return }
        }
    }

    private static func nanoseconds(_ duration: Duration) -> Int64 {
        Int64(exactly: (duration / .nanoseconds(1)).rounded()) ?? .max
    }
}
