import CompositorProtocol
import Dispatch
import Glibc
import SystemCalls

/// What the program's players and caches use, and what they release.
extension Application {
    /// The memory of a player.
    struct PlayerMemory {
        /// The frames of the player, also the unused ones, in bytes.
        var frameBytes: Int
        /// The packets that are read ahead, in bytes.
        var packetBytes: Int
    }

    /// A warning about memory, and the program's dirty memory around it.
    struct WarningRecord {
        let level: MemoryPressure
        /// The host time of the warning in nanoseconds.
        let time: Int64
        /// The dirty memory before the warning, in bytes.
        let before: Int
        /// The dirty memory a second later; nil before that.
        var after: Int?
    }

    /// The time after a warning at which the dirty memory is read again.
    private static let releaseTime = DispatchTimeInterval.seconds(1)
    /// The time that players have to release memory before the heap's free memory is returned to the kernel.
    private static let trimDelay = DispatchTimeInterval.milliseconds(500)
    /// The delay after the start of a program after which the code that only the start used is removed.
    private static let startupTime = DispatchTimeInterval.seconds(3)

    /// Sets the function that returns the memory of a player, on any thread; nil removes the player.
    func setPlayer(_ owner: AnyObject, _ memory: (@Sendable () -> PlayerMemory?)?) {
        state.withLock { $0.players[ObjectIdentifier(owner)] = memory }
    }

    /// Releases the memory of caches, on a queue of its own because caches may call back into the program. Then returns
    /// the free memory of the heap to the kernel, and after a change of role also removes the process's code pages,
    /// which the kernel maps again when they are used.
    ///
    /// - Parameter level: The level of the warning because of which memory is released; nil after a change of role.
    func releaseMemory(_ reduction: MemoryReduction, after level: MemoryPressureLevel? = nil) {
        memoryQueue.async { [self] in
            if let level, let memory = ProcessMemory.current {
                let record = WarningRecord(
                    level: MemoryPressure(level), time: MonotonicTime.now, before: memory.dirty)
                state.withLock { $0.lastWarning = record }
                memoryQueue.asyncAfter(deadline: .now() + Self.releaseTime) { [self] in finish(record) }
            }
            MemoryResponders.shared.reduceMemory(to: reduction)
        }
        memoryQueue.asyncAfter(deadline: .now() + Self.trimDelay) {
            // Warnings may follow each other every two seconds, and the kernel may have to read the code from the disk.
            if level == nil { Self.releaseUnusedMemory() } else { HeapTuning.trimHeap() }
        }
    }

    /// Releases the memory that only the start of the program needed, once after a delay. For programs that have the
    /// process to themselves.
    package func releaseStartupMemory() {
        memoryQueue.asyncAfter(deadline: .now() + Self.startupTime) { Self.releaseUnusedMemory() }
    }

    /// Returns the free memory of the heap to the kernel, and removes code and constants from the process, which the
    /// kernel maps again where they are used.
    private static func releaseUnusedMemory() {
        HeapTuning.trimHeap()
        CodePages.unmap()
    }

    /// Records the dirty memory after a warning.
    private func finish(_ record: WarningRecord) {
        guard let memory = ProcessMemory.current else { return }
        state.withLock { state in
            if state.lastWarning?.time == record.time { state.lastWarning?.after = memory.dirty }
        }
    }

    /// The memory of the program, for users.
    package struct MemoryStatus: Sendable {
        /// The dirty memory that the program should not exceed in its role, in bytes.
        package var budget: Int64
        /// The dirty and the clean memory of the process in bytes; nil if the kernel does not report it.
        package var usage: ProcessMemory?
        /// What players and caches use, and the last warning.
        package var report: MemoryReport
        /// The host time at which the figures were read, in nanoseconds.
        fileprivate var time: Int64
    }

    /// The time for which ``memoryStatus`` returns the same figures, because reading them takes milliseconds.
    private static let statusLifetime: Int64 = 2_000_000_000

    /// The memory of the program, at most 2 s old.
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
        let (players, warning) = state.withLock { (Array($0.players.values), $0.lastWarning) }
        var report = MemoryReport()
        for player in players {
            guard let memory = player() else { continue }
            report.frameBytes += Int64(memory.frameBytes)
            report.packetBytes += Int64(memory.packetBytes)
        }
        report.cacheBytes = Int64(MemoryResponders.shared.byteCount)
        if let warning {
            report.warning = MemoryReport.Warning(
                level: MemoryPressureLevel(warning.level), age: max(0, MonotonicTime.now - warning.time),
                releasedBytes: Int64(max(0, warning.before - (warning.after ?? warning.before))))
        }
        return report
    }
}
