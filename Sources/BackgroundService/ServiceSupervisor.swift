import Glibc
import SystemCalls

/// Runs the service in a child process, and starts it again when it was killed (``RestartPolicy``).
package enum ServiceSupervisor {
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
        while true {
            let start = MonotonicTime.now
            guard let status = runOnce(arguments) else { return 1 }
            // The program that waited for the first start waits for no later one.
            arguments.readyDescriptor = nil
            let signal = status & 0x7f, exitStatus = (status >> 8) & 0xff
            let action =
                signal == 0
                ? policy.action(afterExitWith: exitStatus, isFirstStart: isFirstStart)
                : policy.action(afterEndBy: signal, ranFor: MonotonicTime.now - start)
            isFirstStart = false
            switch action {
            case .leave: return signal == 0 ? exitStatus : 1
            case .restart(let delay): MonotonicTime.sleep(delay)
            }
        }
    }

    /// Starts the service and waits for its end.
    ///
    /// - Returns: The status of `waitpid`; nil if the service cannot be started.
    private static func runOnce(_ arguments: BackgroundArguments) -> Int32? {
        guard let program = FilePath(cString: "/proc/self/exe").resolved?.text else { return nil }
        let ready = arguments.readyDescriptor
        let child = try? ChildProgram.start(
            program, arguments.commandLine, steps: ready.map { [.copy($0, as: $0)] } ?? [],
            descriptorCount: (ready ?? 2) + 1)
        // Only the service keeps the descriptor, so that the program at its other end notices if the service ends
        // before it listens.
        if let ready { close(ready) }
        guard let child else { return nil }
        var status: Int32 = 0
        while waitpid(child, &status, 0) < 0 { guard errno == EINTR else { return nil } }
        return status
    }
}
