import Glibc
import SystemCalls

/// A process that handles a fetch or a notification, and whose time is limited.
protocol WakeProcess: AnyObject {
    var processID: Int32 { get }
    /// The time of the processor that the process has used, in nanoseconds.
    var cpuTime: Int64 { get }
    /// Whether the processes of its group are killed when the process has ended.
    var killsGroupAtExit: Bool { get set }
    /// Whether the process has completed a fetch, a notification or the events of its sessions.
    var hasCompletedWake: Bool { get set }
    /// Whether the launcher reports the exit of the process.
    var reportsExit: Bool { get }
    /// Sends a signal to the process and to the processes of its group.
    func sendToGroup(signal: Int32)
}

extension WakeProcess {
    /// Terminates the processes of the group. Those that ignore it are killed when the process has ended.
    func terminateGroup() {
        killsGroupAtExit = true
        sendToGroup(signal: SIGTERM)
    }
}

extension ServiceProcess: WakeProcess {
    var reportsExit: Bool { true }
    var cpuTime: Int64 { exitCPUTime ?? ProcessorTime.used(by: processID) }

    func sendToGroup(signal: Int32) {
        // The process leads its group. While its exit status was not collected, no other group can have its number.
        if !hasExited { kill(-processID, signal) }
    }
}

/// A process that an earlier run of the service has started, and that is connected again.
final class ConnectedProcess: WakeProcess {
    private let handle: ProcessHandle
    /// Has no effect: the service does not learn when a process that it has not started ends.
    var killsGroupAtExit = false
    var hasCompletedWake = false
    let reportsExit = false
    var processID: Int32 { handle.processID }
    var cpuTime: Int64 { ProcessorTime.used(by: processID) }

    /// Opens the process of a connection; nil if it has ended.
    init?(_ processID: Int32) {
        guard let handle = try? ProcessHandle(processID) else { return nil }
        self.handle = handle
    }

    func sendToGroup(signal: Int32) {
        guard handle.isRunning else { return }
        if getpgid(processID) == processID {
            kill(-processID, signal)
        } else {
            try? handle.send(signal: signal)
        }
    }
}
