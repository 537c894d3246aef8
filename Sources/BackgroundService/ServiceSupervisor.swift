import Glibc
import SystemCalls

/// Runs the service in a child process, and starts it again when it was killed (``RestartPolicy``).
package enum ServiceSupervisor {
    /// The end of one run of the service.
    private enum End {
        /// The service has exited with a status.
        case exited(Int32)
        /// A signal has ended the service.
        case killed(by: Int32)
        /// The process of the service was not started.
        case notStarted
    }

    /// Runs the service until it exits or is started no more.
    ///
    /// The calling process only waits for its child. If the calling process is ended by a signal, the service keeps
    /// running, and nothing starts it again.
    ///
    /// - Parameter arguments: The arguments of the service.
    /// - Returns: The exit status for this process.
    package static func run(_ arguments: BackgroundArguments) -> Int32 {
        var policy = RestartPolicy(), arguments = arguments, isFirstStart = true
        arguments.isDetached = false
        // While an upgrade replaces the file, the program of this process can still be run.
        let programs = [ServicePrograms.own, "/proc/self/exe"].compactMap { $0 }
        while true {
            let start = MonotonicTime.now
            let end = runOnce(programs, arguments)
            // The program that waited for the first start waits for no later one.
            arguments.readyDescriptor = nil
            let action: RestartPolicy.Action =
                switch end {
                case .exited(let status): policy.action(afterExitWith: status, isFirstStart: isFirstStart)
                case .killed(let signal): policy.action(afterEndBy: signal, ranFor: MonotonicTime.now - start)
                case .notStarted: policy.actionAfterFailedStart(isFirstStart: isFirstStart)
                }
            isFirstStart = false
            switch action {
            case .leave: return if case .exited(let status) = end { status } else { 1 }
            case .restart(let delay): MonotonicTime.sleep(delay)
            }
        }
    }

    /// Starts the service and waits for its end.
    ///
    /// - Parameter programs: The paths of the service's program; the first one that can be run is used.
    private static func runOnce(_ programs: [String], _ arguments: BackgroundArguments) -> End {
        let ready = arguments.readyDescriptor
        var startedProcess: pid_t?
        for program in programs where startedProcess == nil {
            startedProcess = try? ChildProgram.start(
                program, arguments.commandLine, steps: ready.map { [.copy($0, as: $0)] } ?? [],
                descriptorCount: (ready ?? 2) + 1)
        }
        // Only the service keeps the descriptor, so that the program at its other end notices if the service ends
        // before it listens.
        if let ready { close(ready) }
        guard let startedProcess else { return .notStarted }
        var status: Int32 = 0
        while waitpid(startedProcess, &status, 0) < 0 { guard errno == EINTR else { return .exited(1) } }
        let signal = status & 0x7f
        return signal == 0 ? .exited((status >> 8) & 0xff) : .killed(by: signal)
    }
}
