import AudioPolicy
import Logging
import SystemCalls

/// Suspends the audio sessions of programs that a signal has stopped (SIGSTOP, Ctrl-Z), and resumes them afterwards.
///
/// The kernel sends no notification of such a stop, so the process state of each program with an active session is
/// polled. Used by the compositor's main thread.
final class StoppedPrograms: EventSource {
    /// Nanoseconds between two checks: while all programs run, and while a program is stopped.
    private static let interval: Int64 = 2_000_000_000, stoppedInterval: Int64 = 100_000_000

    private let audio: AudioService
    private let programs: ProgramConnections
    private let logger: Logger
    private var detector = StopDetector()
    /// The host time of the next check; `nil` if no program has an active or a suspended session.
    private(set) var deadline: Int64?

    init(audio: AudioService, programs: ProgramConnections, logger: Logger) {
        (self.audio, self.programs, self.logger) = (audio, programs, logger)
    }

    private var observed: Set<UInt64> {
        let active = audio.arbiter.ids.filter { audio.arbiter.session($0)?.claim == .active }.map(\.client)
        return detector.suspended.union(active).filter { programs.registry[$0] != nil }
    }

    var entries: [Poll.Entry] {
        if observed.isEmpty { deadline = nil } else if deadline == nil { deadline = MonotonicTime.now + Self.interval }
        return []
    }

    func process(_ ready: ArraySlice<Poll.Entry>, now: Int64) {
        guard let due = deadline, now >= due else { return }
        var isStopped: [UInt64: Bool] = [:]
        for client in observed {
            isStopped[client] = programs.registry[client].map { ProcessState.isStoppedBySignal($0.processID) } ?? false
        }
        for action in detector.look(isStopped, now: now) {
            switch action {
            case .suspend(let client):
                let process = programs.registry[client]?.processID ?? 0
                logger.info(
                    "a program is stopped: its audio is suspended until it continues", metadata: ["pid": "\(process)"])
                audio.suspend(client, now: now)
            case .resume(let client): audio.resume(client, now: now)
            }
        }
        deadline = now + (isStopped.values.contains(true) ? Self.stoppedInterval : Self.interval)
    }
}
