import AudioPolicy
import Logging
import SystemCalls

/// Takes the sound from programs that a signal has stopped (SIGSTOP, Ctrl-Z), and gives it back. Nothing reports such a
/// stop, so the kernel's word on each program with an active session is read from time to time. Used by the
/// compositor's main thread.
final class StoppedPrograms: EventSource {
    /// Nanoseconds between two looks: while no program is stopped, and while one is.
    private static let interval: Int64 = 2_000_000_000, stoppedInterval: Int64 = 100_000_000

    private let audio: AudioService
    private let programs: ProgramConnections
    private let logger: Logger
    private var detector = StopDetector()
    /// Host time of the next look; nil: no program has an active session, or is stopped.
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
                    "a program is stopped: it loses its sound until it continues", metadata: ["pid": "\(process)"])
                audio.suspend(client, now: now)
            case .resume(let client): audio.resume(client, now: now)
            }
        }
        deadline = now + (isStopped.values.contains(true) ? Self.stoppedInterval : Self.interval)
    }
}
