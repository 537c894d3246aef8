import SystemCalls

/// A source of an event loop: descriptors to poll, a deadline, and a handler.
protocol EventSource: AnyObject {
    /// The descriptors that the loop polls while it waits. Polling ignores a negative descriptor.
    var entries: [Poll.Entry] { get }
    /// The host time by which ``process(_:now:)`` must be called; `nil` for no deadline.
    var deadline: Int64? { get }
    /// Handles events. Called in every turn of the loop, on the loop's thread. Must not wait.
    ///
    /// - Parameters:
    ///   - ready: ``entries`` with the results of polling; empty for a source that was added in this turn.
    ///   - now: The current host time.
    func process(_ ready: ArraySlice<Poll.Entry>, now: Int64)
}

extension EventSource {
    var entries: [Poll.Entry] { [] }
    var deadline: Int64? { nil }
}

/// A poll loop that waits for events and calls its sources. Used by one thread.
final class EventLoop {
    /// The order in which sources are called in a turn. Within a phase, sources are called in the order of their
    /// addition.
    enum Phase: Int, Comparable, CaseIterable {
        /// Signals, settings, devices and other events of the system.
        case system
        /// Messages of programs.
        case programs
        /// Frames, which may depend on messages of programs.
        case frames
        /// Timers, and work that depends on all other phases.
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

    /// Removes a source. It is not called again, not even in this turn.
    func remove(_ source: any EventSource) { sources.removeAll { $0.source === source } }

    /// Ends ``run()`` after this turn.
    func stop() { isStopped = true }

    /// Runs turns until ``stop()``.
    ///
    /// - Throws: `SystemCallError` if polling fails.
    func run() throws(SystemCallError) {
        while !isStopped { try turn() }
    }

    /// Waits for an event or the earliest deadline, and calls all sources.
    ///
    /// - Throws: `SystemCallError` if polling fails.
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

    /// Creates a source whose members call these closures on the loop's thread.
    ///
    /// - Parameters:
    ///   - entries: Returns the descriptors to poll.
    ///   - deadline: Returns the deadline.
    ///   - body: Handles events in every turn; `isReady` is true if a descriptor has an event.
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
