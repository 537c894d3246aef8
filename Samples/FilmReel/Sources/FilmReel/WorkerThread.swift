import Dispatch
import Foundation

/// A thread with a name that runs a closure once.
final class WorkerThread: Sendable {
    private let endSemaphore = DispatchSemaphore(value: 0)
    private static let stackSize = 1 << 20

    /// Starts the thread.
    ///
    /// - Parameters:
    ///   - name: The name of the thread, at most 15 bytes.
    ///   - niceness: The nice value of the thread; a larger value gives the thread less processor time.
    ///   - body: The closure that the thread runs.
    init(_ name: String, niceness: Int32 = 0, _ body: @escaping @Sendable () -> Void) {
        let thread = Thread { [endSemaphore] in
            // On Linux, this call affects the calling thread. A failure is ignored: the thread then only gets more
            // processor time.
            if niceness > 0 { _ = setpriority(Int32(PRIO_PROCESS.rawValue), 0, niceness) }
            body()
            endSemaphore.signal()
        }
        thread.name = name
        thread.stackSize = Self.stackSize
        thread.start()
    }

    /// Waits for the end of the thread.
    ///
    /// - Parameter deadline: The time at which waiting ends.
    /// - Returns: Whether the thread has ended.
    func join(until deadline: DispatchTime) -> Bool { endSemaphore.wait(timeout: deadline) == .success }
}
