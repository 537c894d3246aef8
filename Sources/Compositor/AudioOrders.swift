import AudioOutput
import AudioPolicy
import Logging
import SystemCalls

/// The orders to the render threads of all sessions, and what is done about programs that do not obey. Used by the
/// compositor's main thread.
final class AudioOrders {
    /// An order that may not have been obeyed yet.
    private struct Check {
        let id: AudioArbiter.ID
        let due: Int64
    }

    /// Nanoseconds that a sound may go on against the rules.
    private static let patience: Int64 = 100_000_000
    /// A program that is given more orders in a tenth of a second is not checked for all of them.
    private static let checkLimit = 4096

    private var sessions: [AudioArbiter.ID: IssuedAudioOrders] = [:]
    /// The oldest first.
    private var checks: [Check] = []
    /// Programs of which the log says that they have not obeyed.
    private var disobedient: Set<UInt64> = []
    private let streams: StreamCutOff
    /// Measures whether programs whose gates are closed are silent.
    private let silence: SilenceCheck
    private let logger: Logger

    init(logger: Logger) {
        self.logger = logger
        let streams = StreamCutOff { processes in
            for process in processes {
                logger.notice("took its sound from a program that did not obey", metadata: ["pid": "\(process)"])
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

    /// - Returns: the sessions, sorted.
    func closeAll() -> [AudioArbiter.ID] {
        defer { (sessions, checks) = ([:], []) }
        return sessions.keys.sorted()
    }

    /// Gives an order, and has it checked later if the session is heard.
    func issue(to id: AudioArbiter.ID, isRunning: Bool, _ issue: (IssuedAudioOrders) -> Void) {
        guard let orders = sessions[id] else { return }
        issue(orders)
        guard isRunning, checks.count < Self.checkLimit else { return }
        let due = MonotonicTime.now + Self.patience
        if let last = checks.last, last.id == id, last.due >= due - 1_000_000 { return }
        checks.append(Check(id: id, due: due))
    }

    /// Host time at which ``check(now:isRunning:processOf:)`` has something to do; nil: never.
    var deadline: Int64? { checks.first?.due }

    /// Checks the orders that are due.
    ///
    /// A render thread that has not seen an order is stopped, or plays nothing: what its device holds is over by now,
    /// and the order is the first thing that it sees. Otherwise it plays against the rules. If it must not be heard at
    /// all, its streams are taken from it for as long as it goes on so.
    func check(now: Int64, isRunning: (AudioArbiter.ID) -> Bool, processOf: (AudioArbiter.ID) -> Int32?) {
        while let check = checks.first, check.due <= now {
            checks.removeFirst()
            guard let process = processOf(check.id), let orders = sessions[check.id], !orders.areObeyed,
                isRunning(check.id)
            else { continue }
            if disobedient.insert(check.id.client).inserted {
                logger.notice(
                    "a program has not obeyed an order to its sound within \(Self.patience / 1_000_000) ms: it is stopped, or does not play",
                    metadata: ["pid": "\(process)"])
            }
            guard orders.isClosed else { continue }
            if !ProcessState.isStopped(process) { cutOff(process) }
            // One check is enough, however many orders were not obeyed.
            if !checks.contains(where: { $0.id == check.id }) {
                checks.append(Check(id: check.id, due: now + Self.patience))
            }
        }
    }

    private func cutOff(_ process: Int32) {
        do {
            try streams.end(process)
        } catch {
            logger.error("the sound of a program that does not obey goes on: \(error)", metadata: ["pid": "\(process)"])
        }
    }
}
