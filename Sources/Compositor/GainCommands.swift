import AudioOutput
import AudioPolicy
import Logging
import SystemCalls

/// The gain commands (mute, duck) that the compositor sends to the render threads of all audio sessions, and the checks
/// that programs carry them out.
///
/// If a program ignores a command to be silent and stays audible, the sound server ends its streams. Used by the
/// compositor's main thread.
final class GainCommands {
    /// A scheduled check that a program has carried out a gain command.
    private struct Check {
        /// The audio session that received the command.
        let id: AudioArbiter.ID
        /// The host time at which the check is made.
        let dueTime: Int64
    }

    /// The time that a program has to carry out a gain command, in nanoseconds.
    private static let acknowledgementTimeout: Int64 = 100_000_000
    /// The largest number of pending checks. Commands beyond it are not checked.
    private static let checkLimit = 4096

    /// The gain commands sent to each open audio session.
    private var sessions: [AudioArbiter.ID: IssuedGainCommands] = [:]
    /// The pending checks, oldest first.
    private var checks: [Check] = []
    /// The connection numbers of programs that ignored a gain command: each program is logged only once.
    private var nonCompliantPrograms: Set<UInt64> = []
    /// Measures at the sound server whether programs that must be silent, because the gates of their sessions are
    /// closed, are silent.
    private let silenceCheck: SilenceCheck
    private let logger: Logger

    /// Creates the service without sessions.
    init(logger: Logger) {
        self.logger = logger
        let streamTerminator = StreamTerminator { processes in
            for processID in processes {
                logger.warning(
                    "ended the audio streams of a program that ignored an order", metadata: ["pid": "\(processID)"])
            }
        }
        silenceCheck = SilenceCheck { processID, mustBeSilent in
            StreamTerminator.endStreamsOfAudibleProcess(
                processID, while: mustBeSilent, with: streamTerminator, logger)
        }
    }

    /// The gain commands sent to an open audio session; nil if the session is not open.
    subscript(id: AudioArbiter.ID) -> IssuedGainCommands? { sessions[id] }

    /// Returns whether an audio session is open.
    func isOpen(_ id: AudioArbiter.ID) -> Bool { sessions[id] != nil }
    /// Returns the open audio sessions of a connected program, sorted.
    func sessions(of client: UInt64) -> [AudioArbiter.ID] { sessions.keys.filter { $0.client == client }.sorted() }
    /// Returns the number of open audio sessions of a connected program.
    func sessionCount(of client: UInt64) -> Int { sessions.keys.count { $0.client == client } }
    /// Whether no session is open.
    var isEmpty: Bool { sessions.isEmpty }

    /// Adds an audio session. The session's program, the process `processID`, receives gain commands through the shared
    /// memory `gainPage`.
    func open(_ id: AudioArbiter.ID, _ gainPage: SharedGainPage, processID: Int32) {
        sessions[id] = IssuedGainCommands(gainPage, silenceGate: silenceCheck.gate(of: processID))
    }

    /// Removes an audio session.
    func close(_ id: AudioArbiter.ID) {
        sessions[id] = nil
        if sessionCount(of: id.client) == 0 { nonCompliantPrograms.remove(id.client) }
    }

    /// Closes all sessions and cancels all pending checks.
    ///
    /// - Returns: The closed sessions, sorted.
    func closeAll() -> [AudioArbiter.ID] {
        defer { (sessions, checks) = ([:], []) }
        return sessions.keys.sorted()
    }

    /// Calls `issue`, which sends a gain command to an audio session, and schedules a check of the command if the
    /// session is running.
    func issue(to id: AudioArbiter.ID, isRunning: Bool, _ issue: (IssuedGainCommands) -> Void) {
        guard let commands = sessions[id] else { return }
        issue(commands)
        guard isRunning, checks.count < Self.checkLimit else { return }
        let dueTime = MonotonicTime.now + Self.acknowledgementTimeout
        if let lastCheck = checks.last, lastCheck.id == id, lastCheck.dueTime >= dueTime - 1_000_000 { return }
        checks.append(Check(id: id, dueTime: dueTime))
    }

    /// The host time at which the next check is due; `nil` if no check is pending.
    var deadline: Int64? { checks.first?.dueTime }

    /// Performs the checks that are due.
    ///
    /// A process that is stopped, renders no audio, or waits for a busy processor cannot acknowledge a gain command.
    /// Such a process is silent: its audio device has played its buffer by now, and its render thread reads the command
    /// before it plays again. Therefore, if a program has not acknowledged a command that closes the gate, the
    /// compositor measures at the sound server whether the program is audible, again and again until the program
    /// acknowledges the command, and ends the streams of an audible program.
    func check(now: Int64, isRunning: (AudioArbiter.ID) -> Bool, processOf: (AudioArbiter.ID) -> Int32?) {
        while let check = checks.first, check.dueTime <= now {
            checks.removeFirst()
            guard let processID = processOf(check.id), let commands = sessions[check.id], !commands.areAcknowledged,
                isRunning(check.id)
            else { continue }
            if nonCompliantPrograms.insert(check.id.client).inserted {
                logger.notice(
                    """
                    a program did not acknowledge a gain command within \(Self.acknowledgementTimeout / 1_000_000) ms: \
                    it is stopped or delayed, renders no audio, or ignores the order
                    """,
                    metadata: ["pid": "\(processID)"])
            }
            guard commands.isClosed else { continue }
            if !ProcessState.isStoppedOrExited(processID) { commands.checkSilenceEarly() }
            // One pending check per session is enough, however many commands it has not acknowledged.
            if !checks.contains(where: { $0.id == check.id }) {
                checks.append(Check(id: check.id, dueTime: now + Self.acknowledgementTimeout))
            }
        }
    }
}
