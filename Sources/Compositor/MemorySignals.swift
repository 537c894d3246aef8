import CompositorProtocol
import Logging
import SystemCalls

/// What wakes the compositor when memory becomes short: triggers of the kernel, the source that the service manager has
/// chosen, and services on the buses. Used by one thread.
struct MemorySignals {
    /// What was reported since the last call.
    struct Report {
        /// Whether the limit of the stall times of some task, or of all tasks, was reached.
        var hasSomeStalled = false, haveAllStalled = false
        /// The warning of a service; nil if there is none.
        var warning: MemoryPressureLevel?
        /// Whether a trigger has ended.
        var hasLostTrigger = false

        /// Whether anything reports short memory.
        var isUrgent: Bool { hasSomeStalled || haveAllStalled || warning != nil }
    }

    /// Whether the service manager forbids watching memory.
    let isOff: Bool
    /// The triggers at the kernel's stall times, of some task and of all tasks; nil without both.
    private var triggers: (some: StallTrigger, all: StallTrigger)?
    private var watch: MemoryWatch?
    private var bus: MemoryBus?
    private let logger: Logger

    init(roots: MemoryFiles.Roots, watch setting: MemoryWatch.Setting, logger: Logger) {
        (isOff, self.logger) = (setting == .off, logger)
        switch setting {
        case .off: return
        case .path(let path, let bytes):
            do throws(SystemCallError) { watch = try MemoryWatch(path: path, writing: bytes) } catch {
                logger.warning("cannot watch the memory pressure at \(path): \(error)")
            }
        case .none: break
        }
        guard watch == nil else { return }
        let path = roots.proc + "/pressure/memory"
        if let some = StallTrigger(path: path, kind: "some", stall: MemoryPressure.someStallLimit),
            let all = StallTrigger(path: path, kind: "full", stall: MemoryPressure.fullStallLimit)
        {
            triggers = (some, all)
        }
    }

    /// Whether triggers or the service manager's source report short memory.
    var wakes: Bool { triggers != nil || watch != nil }
    /// The name of the source, for log messages.
    var description: String { watch != nil ? "MEMORY_PRESSURE_WATCH" : "triggers" }

    /// Connects to the buses, once.
    mutating func connectBuses() {
        if bus == nil, !isOff { bus = MemoryBus(logger: logger) }
    }

    /// The descriptors to poll: triggers or the service manager's source, then the buses.
    var entries: [Poll.Entry] { ownEntries + (bus?.entries ?? []) }
    private var ownEntries: [Poll.Entry] {
        triggers.map { [$0.some.entry, $0.all.entry] } ?? watch.map { [$0.entry] } ?? []
    }
    /// The host time at which ``take(_:)`` must be called if no event arrives before; nil if there is no such time.
    var deadline: Int64? { bus?.deadline }

    /// Returns what was reported.
    ///
    /// - Parameters:
    ///   - ready: The results of polling ``entries``; empty if they were not polled.
    ///   - now: The present host time in nanoseconds.
    mutating func take(_ ready: ArraySlice<Poll.Entry>, now: Int64) -> Report {
        var report = Report()
        let ownCount = ownEntries.count, own = ready.prefix(ownCount).map(\.ready)
        let isBusReady = ready.dropFirst(ownCount).contains { $0.ready != [] } || deadline.map { now >= $0 } == true
        if triggers != nil, own.count == 2 {
            (report.hasSomeStalled, report.haveAllStalled) = (own[0].contains(.urgent), own[1].contains(.urgent))
            if own.contains(where: { $0.contains(.failed) }) { (triggers, report.hasLostTrigger) = (nil, true) }
        } else if let watch, own.count == 1 {
            switch watch.take(own[0]) {
            case .nothing: break
            case .shortMemory: report.warning = .warning
            case .lost: (self.watch, report.hasLostTrigger) = (nil, true)
            }
        }
        guard isBusReady else { return report }
        bus?.process()
        if let warning = bus?.takeWarning() { report.warning = max(report.warning ?? warning, warning) }
        return report
    }
}
