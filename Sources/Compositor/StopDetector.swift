/// Decides when the audio sessions of a program that a signal has stopped are suspended and resumed. A pure value.
struct StopDetector: Equatable, Sendable {
    /// A command to the audio service; `client` is the number of the program's connection.
    enum Action: Equatable, Sendable {
        /// Suspend the program's audio sessions.
        case suspend(client: UInt64)
        /// Resume the program's audio sessions.
        case resume(client: UInt64)
    }

    /// Nanoseconds for which a program must be stopped before its sessions are suspended. Debuggers and users often
    /// stop a program for a shorter time.
    static let timeout: Int64 = 3_000_000_000

    /// The state of one program that a signal has stopped.
    private struct StoppedProgram: Equatable {
        /// The host time at which the program was first observed to be stopped.
        let stopTime: Int64
        /// Whether the program's audio sessions are suspended.
        var isSuspended = false
    }

    /// The stopped programs, by the numbers of their connections.
    private var stoppedPrograms: [UInt64: StoppedProgram] = [:]

    /// The connection numbers of the programs whose sessions are suspended. The caller must observe them until they run
    /// again.
    var suspendedPrograms: Set<UInt64> { Set(stoppedPrograms.filter(\.value.isSuspended).keys) }

    /// Handles the states of all observed programs: the value in `stopStates` is true for a stopped program. The record
    /// of a program that is not observed is removed; if the program is observed again, the time of its stop starts
    /// again.
    mutating func check(_ stopStates: [UInt64: Bool], now: Int64) -> [Action] {
        stoppedPrograms = stoppedPrograms.filter { stopStates[$0.key] != nil }
        return stopStates.sorted { $0.key < $1.key }.compactMap { client, isStopped in
            guard isStopped else {
                return stoppedPrograms.removeValue(forKey: client)?.isSuspended == true ? .resume(client: client) : nil
            }
            let stoppedProgram = stoppedPrograms[client, default: StoppedProgram(stopTime: now)]
            let mustSuspend = !stoppedProgram.isSuspended && now - stoppedProgram.stopTime >= Self.timeout
            stoppedPrograms[client] = StoppedProgram(
                stopTime: stoppedProgram.stopTime, isSuspended: stoppedProgram.isSuspended || mustSuspend)
            return mustSuspend ? .suspend(client: client) : nil
        }
    }
}
