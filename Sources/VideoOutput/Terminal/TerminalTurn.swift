import SharedFrames
import SystemCalls

/// The owner's side of a terminal that it shares: which cells it has given away, and waiting for its turn. A value of
/// the writer's thread.
struct TerminalTurn {
    let share: TerminalShare
    /// As the other knows it.
    private(set) var given: TerminalPlace?
    /// False once it kept us waiting for too long, until it lets go.
    private var isTrusted = true
    private var isHeld = false

    /// Nanoseconds that the other may take for a picture while the terminal could take it.
    static let patience: Int64 = 1_000_000_000
    private static let interval: Int64 = 1_000_000

    init(_ share: TerminalShare) { self.share = share }

    /// Waits until the other has written its picture to the end. One that hangs is not waited for: then there is
    /// nothing to lose.
    ///
    /// - Parameters:
    ///   - terminal: its descriptor.
    ///   - isWanted: asked again and again; false ends the wait.
    /// - Returns: false when it is not wanted any more.
    mutating func begin(terminal: Int32, while isWanted: () -> Bool) -> Bool {
        var deadline = MonotonicTime.now + (isTrusted ? Self.patience : 0)
        while !share.tryLock() {
            guard isWanted() else { return false }
            // A terminal that stands still is not the other's fault, and would not take our bytes either.
            var entries = [Poll.Entry(terminal, .writable)]
            if (try? Poll.wait(&entries, until: 0)) == false { deadline = MonotonicTime.now + Self.patience }
            if MonotonicTime.now >= deadline {
                isTrusted = false
                return true
            }
            var none: [Poll.Entry] = []
            _ = try? Poll.wait(&none, until: MonotonicTime.now + Self.interval)
        }
        (isTrusted, isHeld) = (true, true)
        return true
    }

    mutating func end() {
        if isHeld { share.unlock() }
        isHeld = false
    }

    /// Gives cells to the other, or takes them back. In our turn.
    mutating func give(_ place: TerminalPlace?) {
        if let place { share.open(place) } else { share.close() }
        given = place
    }
}
