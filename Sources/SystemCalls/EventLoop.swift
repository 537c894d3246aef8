/// A source of an event loop: descriptors to poll, a deadline, and a handler.
package protocol EventSource: AnyObject {
    /// The descriptors that the loop polls while it waits. Polling ignores a negative descriptor.
    var entries: [Poll.Entry] { get }
    /// The host time by which ``process(_:now:)`` must be called; `nil` for no deadline.
    var deadline: Int64? { get }
    /// Handles events. Called in every iteration of the loop, on the loop's thread. Must not wait.
    ///
    /// - Parameters:
    ///   - ready: ``entries`` with the results of polling; empty for a source that was added in this iteration.
    ///   - now: The current host time.
    func process(_ ready: ArraySlice<Poll.Entry>, now: Int64)
}

extension EventSource {
    package var entries: [Poll.Entry] { [] }
    package var deadline: Int64? { nil }
}

/// A poll loop that waits for events and calls its sources. Used by one thread.
package final class EventLoop {
    /// The order in which sources are called in an iteration of the loop. Within a phase, sources are called in the
    /// order of their addition.
    package enum Phase: Int, Comparable, CaseIterable {
        /// Signals, settings, devices and other events of the system.
        case system
        /// Messages of connected programs.
        case programs
        /// Frames of programs. Messages of the phase ``programs`` announce the frame buffers and formats of these
        /// frames.
        case frames
        /// Timers, and work that depends on all other phases.
        case timers

        package static func < (one: Phase, other: Phase) -> Bool { one.rawValue < other.rawValue }
    }

    /// An event source and the phase in which the loop calls it.
    private struct PhasedSource {
        let phase: Phase
        let source: any EventSource
    }

    /// The event sources in the order in which the loop calls them.
    private var sources: [PhasedSource] = []
    /// The number of calls of ``remove(_:)``.
    private var removalCount = 0
    /// Whether ``run()`` must end.
    private var isStopped = false

    /// Adds an event source; the loop calls it after the other sources of the same phase.
    package func add(_ source: any EventSource, to phase: Phase) {
        let index = sources.firstIndex { $0.phase > phase } ?? sources.endIndex
        sources.insert(PhasedSource(phase: phase, source: source), at: index)
    }

    /// Removes a source. The loop does not call it again, not even in the current iteration.
    package func remove(_ source: any EventSource) {
        sources.removeAll { $0.source === source }
        removalCount += 1
    }

    /// Creates a loop without sources.
    package init() {}

    /// Ends ``run()``. The current iteration calls no further event source.
    package func stop() { isStopped = true }

    /// Waits for events and calls the sources, until ``stop()`` is called.
    ///
    /// - Throws: `SystemCallError` if polling fails.
    package func run() throws(SystemCallError) {
        while !isStopped { try runOnce() }
    }

    /// Waits for an event or the earliest deadline, and calls all sources.
    ///
    /// - Throws: `SystemCallError` if polling fails.
    package func runOnce() throws(SystemCallError) {
        let currentSources = sources, initialRemovalCount = removalCount
        var entries: [Poll.Entry] = [], entryEnds: [Int] = [], deadline: Int64?
        entryEnds.reserveCapacity(currentSources.count)
        for phasedSource in currentSources {
            entries += phasedSource.source.entries
            entryEnds.append(entries.count)
            if let sourceDeadline = phasedSource.source.deadline {
                deadline = min(deadline ?? sourceDeadline, sourceDeadline)
            }
        }
        try Poll.wait(&entries, until: deadline)
        var entryStart = 0
        for (index, entryEnd) in entryEnds.enumerated() {
            defer { entryStart = entryEnd }
            guard !isStopped else { return }
            let source = currentSources[index].source
            let isRemoved =
                removalCount != initialRemovalCount && !sources.contains { $0.source === source }
            if !isRemoved { source.process(entries[entryStart..<entryEnd], now: MonotonicTime.now) }
        }
    }
}

/// An event source made of closures.
package final class ClosureSource: EventSource {
    /// Returns the descriptors to poll (``entries``).
    private let readEntries: () -> [Poll.Entry]
    /// Returns the host time of the deadline (``deadline``); `nil` for no deadline.
    private let readDeadline: () -> Int64?
    /// Handles the events of an iteration of the loop; `isReady` is true if a descriptor has an event.
    private let body: (_ isReady: Bool, _ now: Int64) -> Void

    /// Creates a source whose members call these closures on the loop's thread.
    ///
    /// - Parameters:
    ///   - entries: Returns the descriptors to poll.
    ///   - deadline: Returns the deadline.
    ///   - body: Handles events in every iteration of the loop; `isReady` is true if a descriptor has an event.
    package init(
        entries: @escaping () -> [Poll.Entry] = { [] }, deadline: @escaping () -> Int64? = { nil },
        _ body: @escaping (_ isReady: Bool, _ now: Int64) -> Void
    ) {
        (readEntries, readDeadline, self.body) = (entries, deadline, body)
    }

    package var entries: [Poll.Entry] { readEntries() }
    package var deadline: Int64? { readDeadline() }
    package func process(_ ready: ArraySlice<Poll.Entry>, now: Int64) { body(ready.contains { $0.isReady }, now) }
}
