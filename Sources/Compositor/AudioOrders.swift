import AudioOutput
import AudioPolicy
import Logging
import SystemCalls

/// The gain orders to the render threads of all sessions, and the checks that programs carry them out.
///
/// If a program keeps playing against an order, the sound server ends its streams. Used by the compositor's main
/// thread.
final class AudioOrders {
    /// An order that the program may not have carried out yet.
    private struct Check {
        let id: AudioArbiter.ID
        let due: Int64
    }

    /// The time that a program has to carry out an order, in nanoseconds.
    private static let patience: Int64 = 100_000_000
    /// The largest number of pending checks. Orders beyond it are not checked.
    private static let checkLimit = 4096

    private var sessions: [AudioArbiter.ID: IssuedAudioOrders] = [:]
    /// The pending checks, oldest first.
    private var checks: [Check] = []
    /// The programs that ignored an order and were already logged for it.
    private var disobedient: Set<UInt64> = []
    private let streams: StreamCutOff
    /// Measures at the sound server whether programs with closed gates are silent.
    private let silence: SilenceCheck
    private let logger: Logger

    init(logger: Logger) {
        self.logger = logger
        let streams = StreamCutOff { processes in
            for process in processes {
                logger.notice(
                    "ended the audio streams of a program that ignored an order", metadata: ["pid": "\(process)"])
            }
        }
        self.streams = streams
        silence = SilenceCheck { StreamCutOff.endAudible($0, with: streams, logger) }
    }

    subscript(id: AudioArbiter.ID) -> IssuedAudioOrders? { sessions[id] }

    func isOpen(_ id: AudioArbiter.ID) -> Bool { sessions[id] != nil }
    func sessions(of client: UInt64) -> [AudioArbiter.ID] { sessions.keys.filter { $0.client == client }.sorted() }
    func count(of client: UInt64) -> Int { sessions.keys.count { $0.client == client } }
    var isEmpty: Bool { sessions.isEmpty }

    func open(_ id: AudioArbiter.ID, _ page: SessionGain, process: Int32) {
        sessions[id] = IssuedAudioOrders(page, check: silence.gate(of: process))
    }

    func close(_ id: AudioArbiter.ID) {
        sessions[id] = nil
        if count(of: id.client) == 0 { disobedient.remove(id.client) }
    }

    /// Closes all sessions and cancels all pending checks.
    ///
    /// - Returns: The closed sessions, sorted.
    func closeAll() -> [AudioArbiter.ID] {
        defer { (sessions, checks) = ([:], []) }
        return sessions.keys.sorted()
    }

    /// Issues an order, and schedules a check of it if the session is running.
    func issue(to id: AudioArbiter.ID, isRunning: Bool, _ issue: (IssuedAudioOrders) -> Void) {
        guard let orders = sessions[id] else { return }
        issue(orders)
        guard isRunning, checks.count < Self.checkLimit else { return }
        let due = MonotonicTime.now + Self.patience
        if let last = checks.last, last.id == id, last.due >= due - 1_000_000 { return }
        checks.append(Check(id: id, due: due))
    }

    /// The host time at which the next check is due; `nil` if no check is pending.
    var deadline: Int64? { checks.first?.due }

    /// Performs the checks that are due.
    ///
    /// A stopped process, or one that renders no audio, cannot acknowledge an order. Its device buffer has run out by
    /// now, and its render thread reads the order before it plays anything else. Any other program that has not
    /// acknowledged the order plays against it. If its gate must be closed, its streams are ended at the sound server,
    /// again and again until it acknowledges the order.
    func check(now: Int64, isRunning: (AudioArbiter.ID) -> Bool, processOf: (AudioArbiter.ID) -> Int32?) {
        while let check = checks.first, check.due <= now {
            checks.removeFirst()
            guard let process = processOf(check.id), let orders = sessions[check.id], !orders.areObeyed,
                isRunning(check.id)
            else { continue }
            if disobedient.insert(check.id.client).inserted {
                logger.notice(
                    """
                    a program did not acknowledge an audio order within \(Self.patience / 1_000_000) ms: \
                    it is stopped, renders no audio, or ignores the order
                    """,
                    metadata: ["pid": "\(process)"])
            }
            guard orders.isClosed else { continue }
            if !ProcessState.isStopped(process) { cutOff(process) }
            // One pending check per session is enough, however many orders it has not acknowledged.
            if !checks.contains(where: { $0.id == check.id }) {
                checks.append(Check(id: check.id, due: now + Self.patience))
            }
        }
    }

    private func cutOff(_ process: Int32) {
        do {
            try streams.end(process)
        } catch {
            logger.error(
                "cannot end the audio streams of a program that ignores an order: \(error)",
                metadata: ["pid": "\(process)"])
        }
    }
}
