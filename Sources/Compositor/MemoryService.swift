import CompositorProtocol
import Logging
import SystemCalls

/// The service that watches the kernel's figures about memory, and warns the programs. Used by the compositor's main
/// thread.
///
/// With triggers of the kernel, the service sleeps until the kernel reports a stall. Without them, and while memory is
/// short, it reads the figures every ``pollInterval``.
final class MemoryService: EventSource {
    /// The time between two readings in nanoseconds.
    static let pollInterval: Int64 = 250_000_000

    private let programs: ProgramConnections
    private let files: MemoryFiles
    private let logger: Logger
    /// What wakes the service while memory is not short.
    private var signals: MemorySignals
    private var pressure = MemoryPressure()
    /// The host time of the next reading; nil while the service sleeps until the kernel reports a stall.
    private var nextReading: Int64?
    /// Called after each reading with the level, the fraction of memory that is available, the memory of the machine in
    /// bytes and the host time.
    var onReading: (MemoryPressureLevel, Double, Int64?, Int64) -> Void = { _, _, _, _ in }

    /// - Parameters:
    ///   - roots: The folders of the kernel's files.
    ///   - watch: The source that the service manager has chosen.
    init(programs: ProgramConnections, roots: MemoryFiles.Roots, watch: MemoryWatch.Setting, logger: Logger) {
        (self.programs, self.logger) = (programs, logger)
        files = MemoryFiles(roots)
        signals = MemorySignals(roots: roots, watch: watch, logger: logger)
        let source =
            signals.wakes ? signals.description : files.reportsStalls ? "polled stall times" : "available memory"
        logger.info("watches memory", metadata: ["source": "\(source)"])
        if needsPolling { nextReading = MonotonicTime.now }
    }

    /// Whether nothing reports that memory becomes short, so that the figures must be read all the time.
    private var needsPolling: Bool { !signals.isOff && (!signals.wakes || files.hasGroupLimit) }

    /// The present level.
    var level: MemoryPressureLevel { pressure.level }
    /// The memory of the machine in bytes; nil if it is unknown.
    var total: Int64? { files.read().total }

    /// Notifies a program that reports its windows for the first time, if memory is short.
    func programJoined(_ id: UInt64) {
        signals.connectBuses()
        if pressure.level != .normal { programs.send(.memoryPressure(pressure.level), to: id) }
    }

    var entries: [Poll.Entry] { signals.entries }
    /// Without programs nothing is read.
    var deadline: Int64? {
        programs.registry.isEmpty ? nil : [nextReading, signals.deadline].compactMap(\.self).min()
    }

    func process(_ ready: ArraySlice<Poll.Entry>, now: Int64) {
        let report = signals.take(ready, now: now)
        if report.hasLostTrigger, needsPolling { nextReading = now }
        let isReadingDue = !programs.registry.isEmpty && nextReading.map { now >= $0 } == true
        guard report.isUrgent || isReadingDue else { return }
        var reading = files.read()
        (reading.hasSomeStalled, reading.haveAllStalled) = (report.hasSomeStalled, report.haveAllStalled)
        reading.warning = report.warning
        if let level = pressure.update(reading, now: now) { notifyPrograms(level) }
        onReading(pressure.level, reading.available ?? 1, reading.total, now)
        nextReading = pressure.level == .normal && !needsPolling ? nil : now + Self.pollInterval
    }

    private func notifyPrograms(_ level: MemoryPressureLevel) {
        logger.notice("memory pressure", metadata: ["level": "\(level)"])
        for program in programs.registry.all where program.presence != nil {
            programs.send(.memoryPressure(level), to: program.id)
        }
    }
}
