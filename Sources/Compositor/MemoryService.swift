import CompositorProtocol
import Logging
import SystemCalls

/// The service that watches the kernel's figures about memory, and warns the programs. Used by the compositor's main
/// thread.
///
/// If the kernel supports triggers, the service sleeps until a trigger fires. Otherwise, and while memory is short, it
/// reads the figures every ``pollInterval``.
final class MemoryService: EventSource {
    /// The time between two readings in nanoseconds.
    static let pollInterval: Int64 = 250_000_000

    private let programs: ProgramConnections
    private let files: MemoryFiles
    private let logger: Logger
    /// The sources that wake the service when memory becomes short.
    private var sources: MemoryPressureSources
    /// Decides from the figures how severe the memory shortage is.
    private var pressure = MemoryPressure()
    /// The host time of the next reading; nil while the service sleeps until the kernel reports a stall.
    private var nextReadingTime: Int64?
    /// Called after each reading with the level, the fraction of memory that is available, the size of the machine's
    /// memory in bytes, and the host time.
    var onReading: (MemoryPressureLevel, Double, Int64?, Int64) -> Void = { _, _, _, _ in }

    /// Creates the service, which begins to watch memory.
    ///
    /// - Parameters:
    ///   - roots: The directories that contain the kernel's files.
    ///   - watch: The source of low-memory reports that the service manager chose.
    init(programs: ProgramConnections, roots: MemoryFiles.Roots, watch: MemoryWatch.Setting, logger: Logger) {
        (self.programs, self.logger) = (programs, logger)
        files = MemoryFiles(roots)
        sources = MemoryPressureSources(roots: roots, watch: watch, logger: logger)
        let sourceName =
            sources.canWake ? sources.description : files.reportsStalls ? "polled stall times" : "available memory"
        logger.info("watches memory", metadata: ["source": "\(sourceName)"])
        if needsPolling { nextReadingTime = MonotonicTime.now }
    }

    /// Whether the figures must be polled all the time, because the sources do not report every kind of memory
    /// shortage.
    private var needsPolling: Bool { !sources.isDisabled && (!sources.canWake || files.hasGroupLimit) }

    /// The current level of memory pressure.
    var level: MemoryPressureLevel { pressure.level }
    /// The size of the machine's memory in bytes; nil if it is unknown.
    var totalBytes: Int64? { files.read().totalBytes }

    /// Notifies a program that reports its windows for the first time, if memory is short.
    func handleNewProgram(_ id: UInt64) {
        sources.connectBuses()
        if pressure.level != .normal { programs.send(.memoryPressure(pressure.level), to: id) }
    }

    var entries: [Poll.Entry] { sources.entries }
    /// The host time of the next timed work; nil if no work is pending, or while no program is connected.
    var deadline: Int64? {
        programs.registry.isEmpty ? nil : [nextReadingTime, sources.deadline].compactMap(\.self).min()
    }

    func process(_ ready: ArraySlice<Poll.Entry>, now: Int64) {
        let report = sources.takeReport(ready, now: now)
        if report.hasLostSource, needsPolling { nextReadingTime = now }
        let isReadingDue = !programs.registry.isEmpty && nextReadingTime.map { now >= $0 } == true
        guard report.isUrgent || isReadingDue else { return }
        var reading = files.read()
        (reading.someTaskStalled, reading.allTasksStalled) = (report.someTaskStalled, report.allTasksStalled)
        reading.warning = report.warning
        if let level = pressure.update(reading, now: now) { notifyPrograms(level) }
        onReading(pressure.level, reading.available ?? 1, reading.totalBytes, now)
        nextReadingTime = pressure.level == .normal && !needsPolling ? nil : now + Self.pollInterval
    }

    /// Sends the level of memory pressure to all programs that report their windows.
    private func notifyPrograms(_ level: MemoryPressureLevel) {
        logger.notice("memory pressure", metadata: ["level": "\(level)"])
        for program in programs.registry.all where program.presence != nil {
            programs.send(.memoryPressure(level), to: program.id)
        }
    }
}
