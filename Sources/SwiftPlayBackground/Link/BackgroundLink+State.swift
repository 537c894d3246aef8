import BackgroundProtocol
import SystemCalls

/// The plan of the commands.
extension BackgroundLink.State {
    /// Plans the commands of a new connection: the standing commands, and then the others that were not answered.
    mutating func prepareConnection() {
        (refused, repetitionTime) = ([], nil)
        // A repeated command that the last connection did not answer must not come before the attachment that it needs.
        pending = pending.filter { $0.value.completion != nil }
        let pendingCommands = pending.values.map(\.request.command)
        for (_, command) in standing.sorted(by: { $0.key < $1.key }) where !pendingCommands.contains(command) {
            pending[nextNumber] = BackgroundLink.Pending(
                request: ClientRequest(nextNumber, command), descriptor: nil, isStanding: true, completion: nil)
            nextNumber += 1
        }
        // A command that a newer one with its name has replaced is still sent before the newer one.
        let numbers = pending.keys.sorted()
        unsent = numbers.filter { pending[$0]?.isStanding == true }
        unsent += numbers.filter { pending[$0]?.isStanding == false }
    }

    /// The time until a refused standing command is repeated, in nanoseconds.
    static let repetitionInterval = 5 * MonotonicTime.nanosecondsPerSecond

    /// Removes the command with a number, which the service has answered, and returns it.
    ///
    /// If a standing command was sent again on this connection and is refused because another process has the session
    /// or the disk is full, it is sent once more after ``repetitionInterval``.
    mutating func removePending(
        _ number: UInt64, _ answer: BackgroundLink.Answer, now: Int64
    ) -> BackgroundLink.Pending? {
        let removed = pending.removeValue(forKey: number)
        if case .failure(let refusal) = answer, [.busy, .storage].contains(refusal.code),
            let removed, removed.isStanding, removed.completion == nil
        {
            refused.append(removed.request.command)
            repetitionTime = repetitionTime ?? now + Self.repetitionInterval
        }
        return removed
    }

    /// Plans the refused commands, if it is time. A command that is not standing any more is left out.
    mutating func repeatRefused(now: Int64) {
        guard let time = repetitionTime, now >= time else { return }
        for command in refused where standing.values.contains(command) {
            pending[nextNumber] = BackgroundLink.Pending(
                request: ClientRequest(nextNumber, command), descriptor: nil, isStanding: true, completion: nil)
            unsent.append(nextNumber)
            nextNumber += 1
        }
        (refused, repetitionTime) = ([], nil)
    }
}
