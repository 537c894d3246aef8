import BackgroundProtocol
import SystemCalls

/// The plan of the commands.
extension BackgroundLink.State {
    /// Whether no command needs a connection.
    var isIdle: Bool { pending.isEmpty && standing.isEmpty && unfinished.isEmpty }

    /// Adds a command.
    ///
    /// - Parameters:
    ///   - command: The command.
    ///   - descriptor: The descriptor that the message carries.
    ///   - isStanding: Whether the command is sent before the others on a new connection.
    ///   - name: The name of a command that is repeated until it is finished; nil for other commands.
    ///   - completion: Receives the answer; nil for a command that the link repeats by itself.
    mutating func add(
        _ command: ClientCommand, descriptor: SharedDescriptor? = nil, isStanding: Bool = false, name: String? = nil,
        completion: (@Sendable (BackgroundLink.Answer) -> Void)?
    ) {
        let request = ClientRequest(nextNumber, command)
        nextNumber += 1
        pending[request.number] = BackgroundLink.Pending(
            request: request, descriptor: descriptor, isStanding: isStanding, name: name, completion: completion)
        unsent.append(request.number)
        if let name { unfinished[name] = request }
    }

    /// Plans the commands of a new connection: the standing commands, and then the others that were not answered.
    mutating func prepareConnection() {
        (refused, repetitionTime, isRefused) = ([], nil, false)
        // Commands without a completion are repetitions by the link. Those that the last connection did not answer are
        // dropped, and planned again below: after the attachments, without which the service refuses them.
        pending = pending.filter { $0.value.completion != nil }
        let pendingCommands = pending.values.map(\.request.command)
        for (_, command) in standing.sorted(by: { $0.key < $1.key }) where !pendingCommands.contains(command) {
            add(command, isStanding: true, completion: nil)
        }
        planUnfinished()
        // A command that a newer one with its name has replaced is still sent before the newer one.
        let numbers = pending.keys.sorted()
        unsent = numbers.filter { pending[$0]?.isStanding == true }
        unsent += numbers.filter { pending[$0]?.isStanding == false }
    }

    /// Plans the unfinished commands that do not wait for an answer, under their old numbers.
    private mutating func planUnfinished() {
        for (name, request) in unfinished.sorted(by: { $0.value.number < $1.value.number })
        where pending[request.number] == nil {
            pending[request.number] = BackgroundLink.Pending(
                request: request, descriptor: nil, name: name, completion: nil)
            unsent.append(request.number)
        }
    }

    /// Returns the next command that was not sent on this connection; nil if there is none. A service that has refused
    /// the program would refuse each command for good, so that all wait for the next connection.
    mutating func takeUnsent() -> BackgroundLink.Pending? {
        guard !isRefused else { return nil }
        while let number = unsent.first {
            unsent.removeFirst()
            if let command = pending[number] { return command }
        }
        return nil
    }

    /// Removes and returns all commands, which fail, in their order. The next connection repeats unfinished ones.
    mutating func takePending() -> [BackgroundLink.Pending] {
        defer { (pending, unsent) = ([:], []) }
        return pending.sorted { $0.key < $1.key }.map(\.value)
    }

    /// The time until a refused command is repeated, in nanoseconds.
    static let repetitionInterval = 5 * MonotonicTime.nanosecondsPerSecond

    /// Removes the command with a number, which the service has answered, and returns it.
    ///
    /// If the link repeats the command by itself, and the command is refused because another process has the session or
    /// the disk is full, the command is sent once more after ``repetitionInterval``.
    mutating func removePending(
        _ number: UInt64, _ answer: BackgroundLink.Answer, now: Int64
    ) -> BackgroundLink.Pending? {
        guard let removed = pending.removeValue(forKey: number) else { return nil }
        let canPass =
            if case .failure(let refusal) = answer { refusal.code == .busy || refusal.code == .storage } else { false }
        if let name = removed.name {
            // A newer command with the same name is not followed by a repetition of this one.
            guard unfinished[name]?.number == number else { return removed }
            guard canPass else {
                unfinished[name] = nil
                return removed
            }
        } else {
            guard canPass, removed.isStanding, removed.completion == nil else { return removed }
            refused.append(removed.request.command)
        }
        repetitionTime = repetitionTime ?? now + Self.repetitionInterval
        return removed
    }

    /// Plans the refused commands, if it is time. A command that is not standing any more is left out.
    mutating func repeatRefused(now: Int64) {
        guard let time = repetitionTime, now >= time else { return }
        for command in refused where standing.values.contains(command) {
            add(command, isStanding: true, completion: nil)
        }
        planUnfinished()
        (refused, repetitionTime) = ([], nil)
    }
}
