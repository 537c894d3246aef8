import CompositorProtocol
import Dispatch
import Glibc
import SystemCalls

/// The memory use of the program's players and caches, and the release of memory.
extension Application {
    /// The memory that a player uses.
    struct PlayerMemory {
        /// The size of all frames that the player has allocated, including unused frames, in bytes.
        var frameBytes: Int
        /// The size of the packets that are read ahead, in bytes.
        var packetBytes: Int
    }

    /// A memory warning, and the program's dirty memory before and after it.
    struct MemoryWarningRecord {
        let level: MemoryPressure
        /// The host time of the warning in nanoseconds.
        let time: Int64
        /// The dirty memory before the warning, in bytes.
        let dirtyBytesBefore: Int
        /// The dirty memory one second after the warning, in bytes; nil until then.
        var dirtyBytesAfter: Int?
    }

    /// The time between a memory warning and the second measurement of the dirty memory.
    private static let measurementDelay = DispatchTimeInterval.seconds(1)
    /// The delay after which the heap's free memory is returned to the kernel. Players release memory during the delay.
    private static let trimDelay = DispatchTimeInterval.milliseconds(500)
    /// The time between the start of a program and the removal of the code that only the start uses.
    private static let startupReleaseDelay = DispatchTimeInterval.seconds(3)

    /// Sets the function that returns the memory of a player, on any thread; nil removes the function.
    func setPlayerMemoryFunction(_ owner: AnyObject, _ measurePlayerMemory: (@Sendable () -> PlayerMemory?)?) {
        state.withLock { $0.playerMemoryFunctions[ObjectIdentifier(owner)] = measurePlayerMemory }
    }

    /// Releases the memory of caches, on a queue of its own because caches may call back into the program. Then returns
    /// the free memory of the heap to the kernel, and after a change of role also removes the process's code pages,
    /// which the kernel maps again when they are used.
    ///
    /// - Parameter level: The level of the warning because of which memory is released; nil after a change of role.
    func releaseMemory(_ reduction: MemoryReduction, after level: MemoryPressureLevel? = nil) {
        CodePages.prepare()
        memoryQueue.async { [self] in
            if let level, let memory = ProcessMemory.current {
                let record = MemoryWarningRecord(
                    level: MemoryPressure(level), time: MonotonicTime.now, dirtyBytesBefore: memory.dirty)
                state.withLock { $0.lastWarning = record }
                memoryQueue.asyncAfter(deadline: .now() + Self.measurementDelay) { [self] in completeRecord(record) }
            }
            MemoryResponders.shared.reduceMemory(to: reduction)
        }
        memoryQueue.asyncAfter(deadline: .now() + Self.trimDelay) {
            // Unmap the code pages only after a change of role. Memory warnings may follow each other every two
            // seconds, and the kernel might have to read the unmapped code from the disk each time.
            if level == nil { Self.releaseUnusedMemory() } else { HeapTuning.trimHeap() }
        }
    }

    /// Releases the memory that only the start of the program needed, once after a delay. For programs that have the
    /// process to themselves.
    package func releaseStartupMemory() {
        CodePages.prepare()
        memoryQueue.asyncAfter(deadline: .now() + Self.startupReleaseDelay) { Self.releaseUnusedMemory() }
    }

    /// Returns the free memory of the heap to the kernel, and unmaps the pages of code and constants. The kernel maps a
    /// page again when the process next uses it.
    private static func releaseUnusedMemory() {
        HeapTuning.trimHeap()
        CodePages.unmap()
    }

    /// Completes the record of a memory warning with the present dirty memory.
    private func completeRecord(_ record: MemoryWarningRecord) {
        guard let memory = ProcessMemory.current else { return }
        state.withLock { state in
            if state.lastWarning?.time == record.time { state.lastWarning?.dirtyBytesAfter = memory.dirty }
        }
    }

    /// The memory budget and the memory use of the program, which tools show to the user.
    package struct MemoryStatus: Sendable {
        /// The dirty memory that the program should not exceed in its role, in bytes.
        package var budget: Int64
        /// The dirty and the clean memory of the process in bytes; nil if the kernel does not report it.
        package var usage: ProcessMemory?
        /// The memory use of players and caches, and the last memory warning.
        package var report: MemoryReport
        /// The host time at which the figures were read, in nanoseconds.
        fileprivate var time: Int64
    }

    /// The time for which ``memoryStatus`` returns the same figures, in nanoseconds. Reading the figures takes
    /// milliseconds.
    private static let statusLifetime: Int64 = 2_000_000_000

    /// The memory budget and the memory use of the program. The figures are at most 2 s old.
    package var memoryStatus: MemoryStatus {
        let now = MonotonicTime.now
        if let status = state.withLock({ $0.memoryStatus }), now - status.time < Self.statusLifetime { return status }
        let role = state.withLock { $0.currentRole }
        let status = MemoryStatus(
            budget: ProgramRole(role).memoryBudget(total: Self.machineMemory), usage: ProcessMemory.current,
            report: memoryReport, time: now)
        state.withLock { $0.memoryStatus = status }
        return status
    }

    /// The memory of the machine in bytes.
    private static let machineMemory = Int64(sysconf(Int32(_SC_PHYS_PAGES))) * Int64(MemoryPages.size)

    /// Sends the compositor a report of the program's memory.
    func reportMemory() { link.send(.report(.memory(memoryReport))) }

    /// The present report of the program's memory.
    var memoryReport: MemoryReport {
        let (memoryFunctions, warning) = state.withLock { (Array($0.playerMemoryFunctions.values), $0.lastWarning) }
        var report = MemoryReport()
        for measurePlayerMemory in memoryFunctions {
            guard let memory = measurePlayerMemory() else { continue }
            report.frameBytes += Int64(memory.frameBytes)
            report.packetBytes += Int64(memory.packetBytes)
        }
        report.cacheBytes = Int64(MemoryResponders.shared.byteCount)
        if let warning {
            report.warning = MemoryReport.Warning(
                level: MemoryPressureLevel(warning.level), age: max(0, MonotonicTime.now - warning.time),
                releasedBytes: Int64(
                    max(0, warning.dirtyBytesBefore - (warning.dirtyBytesAfter ?? warning.dirtyBytesBefore))))
        }
        return report
    }
}
