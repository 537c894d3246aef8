import CompositorProtocol
import Logging
import SystemCalls

/// The sources that wake the compositor when memory becomes short: the source that the service manager chose, or else
/// the kernel's triggers, and services on the message buses. Used by one thread.
struct MemoryPressureSources {
    /// The reports of all sources since the last call of ``takeReport(_:now:)``.
    struct Report {
        /// Whether a trigger has fired: some task, or all tasks at once, waited too long for memory.
        var someTaskStalled = false, allTasksStalled = false
        /// The most severe warning of the service manager's source and of the buses; nil without a warning.
        var warning: MemoryPressureLevel?
        /// Whether the kernel's triggers, or the service manager's source, have failed.
        var hasLostSource = false

        /// Whether any source reports short memory.
        var isUrgent: Bool { someTaskStalled || allTasksStalled || warning != nil }
    }

    /// Whether the service manager forbids watching memory.
    let isDisabled: Bool
    /// The kernel's triggers: some task waits for memory, and all tasks wait at once. Nil if they are unavailable or
    /// not used.
    private var triggers: (some: StallTrigger, all: StallTrigger)?
    /// The source that the service manager chose; nil without one.
    private var watch: MemoryWatch?
    /// Receives the warnings of services on the message buses; nil before ``connectBuses()``.
    private var busMonitor: LowMemoryBusMonitor?
    private let logger: Logger

    init(roots: MemoryFiles.Roots, watch setting: MemoryWatch.Setting, logger: Logger) {
        (isDisabled, self.logger) = (setting == .off, logger)
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
        if let someTrigger = StallTrigger(path: path, kind: "some", stall: MemoryPressure.someStallLimit),
            let allTrigger = StallTrigger(path: path, kind: "full", stall: MemoryPressure.fullStallLimit)
        {
            triggers = (someTrigger, allTrigger)
        }
    }

    /// Whether the kernel's triggers or the service manager's source wake the compositor when memory becomes short.
    var canWake: Bool { triggers != nil || watch != nil }
    /// The name of the source, for log messages.
    var description: String { watch != nil ? "MEMORY_PRESSURE_WATCH" : "triggers" }

    /// Connects to the message buses at the first call.
    mutating func connectBuses() {
        if busMonitor == nil, !isDisabled { busMonitor = LowMemoryBusMonitor(logger: logger) }
    }

    /// The descriptors to poll: first those of the kernel's triggers or of the service manager's source, then those of
    /// the message buses.
    var entries: [Poll.Entry] { ownEntries + (busMonitor?.entries ?? []) }
    /// The descriptors of the triggers or of the service manager's source.
    private var ownEntries: [Poll.Entry] {
        triggers.map { [$0.some.entry, $0.all.entry] } ?? watch.map { [$0.entry] } ?? []
    }
    /// The host time at which ``takeReport(_:now:)`` must be called if no event arrives before; nil if there is no such
    /// time.
    var deadline: Int64? { busMonitor?.deadline }

    /// Returns the reports since the last call.
    ///
    /// - Parameters:
    ///   - ready: The results of polling ``entries``; empty if they were not polled.
    ///   - now: The current host time in nanoseconds.
    mutating func takeReport(_ ready: ArraySlice<Poll.Entry>, now: Int64) -> Report {
        var report = Report()
        let ownEntryCount = ownEntries.count, ownEvents = ready.prefix(ownEntryCount).map(\.ready)
        let isBusReady =
            ready.dropFirst(ownEntryCount).contains { $0.isReady } || deadline.map { now >= $0 } == true
        if triggers != nil, ownEvents.count == 2 {
            report.someTaskStalled = ownEvents[0].contains(.urgent)
            report.allTasksStalled = ownEvents[1].contains(.urgent)
            if ownEvents.contains(where: { $0.contains(.failed) }) { (triggers, report.hasLostSource) = (nil, true) }
        } else if let watch, ownEvents.count == 1 {
            switch watch.takeReport(ownEvents[0]) {
            case .nothing: break
            case .shortMemory: report.warning = .warning
            case .lost: (self.watch, report.hasLostSource) = (nil, true)
            }
        }
        guard isBusReady else { return report }
        busMonitor?.process()
        if let warning = busMonitor?.takeWarning() { report.warning = max(report.warning ?? warning, warning) }
        return report
    }
}
