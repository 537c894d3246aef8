import SystemCalls

/// A part of a loop: the descriptors for which it waits, the time by which it must be called, and what it does then.
protocol EventSource: AnyObject {
    /// Polled while the loop waits. A negative descriptor is passed over.
    var entries: [Poll.Entry] { get }
    /// Host time by which ``process(_:now:)`` is to be called; nil: no time.
    var deadline: Int64? { get }
    /// Called in every turn of the loop. Must not wait.
    ///
    /// - Parameter ready: ``entries`` with what has happened to their descriptors; empty for a source that was added in
    ///   this turn.
    func process(_ ready: ArraySlice<Poll.Entry>, now: Int64)
}

extension EventSource {
    var entries: [Poll.Entry] { [] }
    var deadline: Int64? { nil }
}

/// Waits for events and calls the sources that were added. Used by one thread.
final class EventLoop {
    /// The order in which sources are called in a turn; within a phase the order in which they were added.
    enum Phase: Int, Comparable, CaseIterable {
        /// What happens to the machine.
        case system
        /// What programs send.
        case programs
        /// Frames, which may depend on what programs have sent.
        case frames
        /// What follows from time, and from all of the above.
        case timers

        static func < (one: Phase, other: Phase) -> Bool { one.rawValue < other.rawValue }
    }

    private struct Entry {
        let phase: Phase
        let source: any EventSource
    }

    private var sources: [Entry] = []
    private var isStopped = false

    func add(_ source: any EventSource, to phase: Phase) {
        let index = sources.firstIndex { $0.phase > phase } ?? sources.endIndex
        sources.insert(Entry(phase: phase, source: source), at: index)
    }

    /// Removes a source, which is not called any more, not even in this turn.
    func remove(_ source: any EventSource) { sources.removeAll { $0.source === source } }

    /// Ends ``run()`` after this turn.
    func stop() { isStopped = true }

    func run() throws(SystemCallError) {
        while !isStopped { try turn() }
    }

    /// Waits until something happens or is due, and calls all sources.
    func turn() throws(SystemCallError) {
        let called = sources.map(\.source)
        var entries: [Poll.Entry] = [], ends: [Int] = []
        for source in called {
            entries += source.entries
            ends.append(entries.count)
        }
        try Poll.wait(&entries, until: called.compactMap(\.deadline).min())
        var start = 0
        for (source, end) in zip(called, ends) {
            defer { start = end }
            guard !isStopped else { return }
            guard sources.contains(where: { $0.source === source }) else { continue }
            source.process(entries[start..<end], now: MonotonicTime.now)
        }
    }
}

/// A source made of closures.
final class ClosureSource: EventSource {
    private let readEntries: () -> [Poll.Entry]
    private let readDeadline: () -> Int64?
    private let body: (_ isReady: Bool, _ now: Int64) -> Void

    /// - Parameter body: called in every turn; `isReady`: something has happened to one of the descriptors.
    init(
        entries: @escaping () -> [Poll.Entry] = { [] }, deadline: @escaping () -> Int64? = { nil },
        _ body: @escaping (_ isReady: Bool, _ now: Int64) -> Void
    ) {
        (readEntries, readDeadline, self.body) = (entries, deadline, body)
    }

    var entries: [Poll.Entry] { readEntries() }
    var deadline: Int64? { readDeadline() }
    func process(_ ready: ArraySlice<Poll.Entry>, now: Int64) { body(ready.contains { $0.ready != [] }, now) }
}
