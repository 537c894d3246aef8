import AudioPolicy
import Logging
import SystemCalls

/// Suspends the audio sessions of programs that a signal has stopped (SIGSTOP, Ctrl-Z), and resumes them afterwards.
///
/// The kernel sends no notification of such a stop, so the process state of each program with an active session is
/// polled. Used by the compositor's main thread.
final class StoppedPrograms: EventSource {
    /// Nanoseconds between two checks of the process states: while all programs run, and while a program is stopped.
    private static let checkInterval: Int64 = 2_000_000_000, checkIntervalWhileStopped: Int64 = 100_000_000

    /// The service that suspends and resumes audio sessions.
    private let audio: AudioService
    /// The connected programs.
    private let programs: ProgramConnections
    private let logger: Logger
    /// Decides when sessions are suspended and resumed.
    private var detector = StopDetector()
    /// The host time of the next check; `nil` if no program has an active or a suspended session.
    private(set) var deadline: Int64?

    /// Creates the event source. No check for programs that a signal stopped is scheduled yet.
    init(audio: AudioService, programs: ProgramConnections, logger: Logger) {
        (self.audio, self.programs, self.logger) = (audio, programs, logger)
    }

    /// The programs to check: those with an active or a suspended session.
    private var observedPrograms: Set<UInt64> {
        let activePrograms = audio.arbiter.ids.filter { audio.arbiter.session($0)?.activation == .active }.map(\.client)
        return detector.suspendedPrograms.union(activePrograms).filter { programs.registry[$0] != nil }
    }

    /// Always empty, because no descriptor reports that a process was stopped. Reading this property also schedules the
    /// next check if there are programs to check, and cancels it otherwise.
    var entries: [Poll.Entry] {
        if observedPrograms.isEmpty {
            deadline = nil
        } else if deadline == nil {
            deadline = MonotonicTime.now + Self.checkInterval
        }
        return []
    }

    /// Checks the process states when a check is due, and suspends or resumes audio sessions.
    func process(_ ready: ArraySlice<Poll.Entry>, now: Int64) {
        guard let checkTime = deadline, now >= checkTime else { return }
        var stopStates: [UInt64: Bool] = [:]
        for client in observedPrograms {
            stopStates[client] = programs.registry[client].map { ProcessState.isStoppedBySignal($0.processID) } ?? false
        }
        for action in detector.check(stopStates, now: now) {
            switch action {
            case .suspend(let client):
                let process = programs.registry[client]?.processID ?? 0
                logger.info(
                    "a program is stopped: its audio is suspended until it continues", metadata: ["pid": "\(process)"])
                audio.suspend(client, now: now)
            case .resume(let client): audio.resume(client, now: now)
            }
        }
        deadline = now + (stopStates.values.contains(true) ? Self.checkIntervalWhileStopped : Self.checkInterval)
    }
}
