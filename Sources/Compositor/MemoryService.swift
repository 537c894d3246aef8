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
    private let triggers: [StallTrigger]
    private let logger: Logger
    private var pressure = MemoryPressure()
    /// The host time of the next reading; nil while the service sleeps until the kernel reports a stall.
    private var nextReading: Int64?

    init(programs: ProgramConnections, roots: MemoryFiles.Roots, logger: Logger) {
        (self.programs, self.logger) = (programs, logger)
        files = MemoryFiles(roots)
        let path = roots.proc + "/pressure/memory"
        let some = StallTrigger(path: path, kind: "some", stall: MemoryPressure.someStallLimit)
        let full = StallTrigger(path: path, kind: "full", stall: MemoryPressure.fullStallLimit)
        triggers = [some, full].compactMap(\.self).count == 2 ? [some, full].compactMap(\.self) : []
        let source = !triggers.isEmpty ? "triggers" : files.reportsStalls ? "polled stall times" : "available memory"
        logger.info("watches memory", metadata: ["source": "\(source)"])
        if triggers.isEmpty || files.hasGroupLimit { nextReading = MonotonicTime.now }
    }

    /// The present level.
    var level: MemoryPressureLevel { pressure.level }

    /// Notifies a program that reports its windows for the first time, if memory is short.
    func programJoined(_ id: UInt64) {
        if pressure.level != .normal { programs.send(.memoryPressure(pressure.level), to: id) }
    }

    var entries: [Poll.Entry] { triggers.map(\.entry) }
    /// Without programs nothing is read.
    var deadline: Int64? { programs.registry.isEmpty ? nil : nextReading }

    func process(_ ready: ArraySlice<Poll.Entry>, now: Int64) {
        let reports = ready.map { $0.ready.contains(.urgent) }
        let isReported = reports.contains(true)
        guard isReported || deadline.map({ now >= $0 }) == true else { return }
        var reading = files.read()
        if reports.count == 2 { (reading.hasSomeStalled, reading.haveAllStalled) = (reports[0], reports[1]) }
        if let level = pressure.update(reading, now: now) { notifyPrograms(level) }
        let isQuiet = pressure.level == .normal && !triggers.isEmpty && !files.hasGroupLimit
        nextReading = isQuiet ? nil : now + Self.pollInterval
    }

    private func notifyPrograms(_ level: MemoryPressureLevel) {
        logger.notice("memory pressure", metadata: ["level": "\(level)"])
        for program in programs.registry.all where program.presence != nil {
            programs.send(.memoryPressure(level), to: program.id)
        }
    }
}
