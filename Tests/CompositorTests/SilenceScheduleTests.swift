import Testing

@testable import Compositor

@Suite("The schedule of the checks for silence")
struct SilenceScheduleTests {
    /// One second in nanoseconds.
    private let second: Int64 = 1_000_000_000
    /// The process ID of the program under test.
    private let process: Int32 = 7

    /// Returns a schedule after the gates of the sessions were closed (muted), so that their process must be silent.
    private func scheduleWithClosedGates(_ sessions: UInt64..., at now: Int64 = 0) -> SilenceSchedule {
        var schedule = SilenceSchedule()
        for session in sessions {
            schedule.setGate(isOpen: false, session: session, of: process, isChecked: true, now: now)
        }
        return schedule
    }

    @Test("a process that stays silent is checked three times after its gate was closed, and no more")
    func silentProcessIsCheckedThreeTimes() {
        var schedule = scheduleWithClosedGates(1)
        var checkTimes: [Int64] = []
        while let nextCheckTime = schedule.nextCheckTime {
            checkTimes.append(nextCheckTime)
            #expect(schedule.takeDueProcesses(now: nextCheckTime - 1, limit: 8).isEmpty)
            #expect(schedule.takeDueProcesses(now: nextCheckTime, limit: 8) == [process])
            let isReported = schedule.record(process, isAudible: false, now: nextCheckTime)
            #expect(!isReported && checkTimes.count <= 3)
        }
        #expect(checkTimes == SilenceSchedule.checkDelays)
    }

    @Test("an audible process is reported and checked again every second until it is silent")
    func audibleProcessIsReportedAndCheckedEverySecond() {
        var schedule = scheduleWithClosedGates(1), now: Int64 = 0
        for _ in 0..<5 {
            now = schedule.nextCheckTime ?? 0
            _ = schedule.takeDueProcesses(now: now, limit: 8)
            let isReported = schedule.record(process, isAudible: true, now: now)
            #expect(isReported && schedule.nextCheckTime == now + second)
        }
        _ = schedule.takeDueProcesses(now: now + second, limit: 8)
        let isReported = schedule.record(process, isAudible: false, now: now + second)
        #expect(!isReported)
    }

    @Test("a process is checked after its last gate closes, not while a gate is open")
    func processIsCheckedAfterItsLastGateCloses() {
        var schedule = scheduleWithClosedGates(1)
        schedule.setGate(isOpen: true, session: 2, of: process, isChecked: true, now: second)
        #expect(schedule.nextCheckTime == nil)
        schedule.setGate(isOpen: false, session: 2, of: process, isChecked: true, now: 5 * second)
        #expect(schedule.nextCheckTime == 5 * second + SilenceSchedule.checkDelays[0])
    }

    @Test("a process is checked after the session with its last open gate ends", arguments: [false, true])
    func processIsCheckedAfterItsLastOpenSessionEnds(isChecked: Bool) {
        var schedule = SilenceSchedule()
        schedule.setGate(isOpen: false, session: 1, of: process, isChecked: isChecked, now: 0)
        schedule.setGate(isOpen: true, session: 2, of: process, isChecked: true, now: second)
        schedule.remove(session: 2, of: process, now: 5 * second)
        #expect(schedule.nextCheckTime == (isChecked ? 5 * second + SilenceSchedule.checkDelays[0] : nil))
        schedule.remove(session: 1, of: process, now: 6 * second)
        #expect(schedule == SilenceSchedule())
    }

    @Test("a measurement during which a gate was opened does not count", arguments: [false, true])
    func measurementDuringWhichAGateOpenedDoesNotCount(isClosedAgain: Bool) {
        var schedule = scheduleWithClosedGates(1)
        _ = schedule.takeDueProcesses(now: second, limit: 8)
        schedule.setGate(isOpen: true, session: 1, of: process, isChecked: true, now: second)
        if isClosedAgain { schedule.setGate(isOpen: false, session: 1, of: process, isChecked: false, now: second) }
        let isReported = schedule.record(process, isAudible: true, now: 2 * second)
        #expect(!isReported && schedule.nextCheckTime == nil)
    }

    @Test("a repeated close command neither postpones nor restarts a check")
    func repeatedCloseCommandDoesNotPostponeTheCheck() {
        var schedule = scheduleWithClosedGates(1)
        let scheduleBefore = schedule
        schedule.setGate(isOpen: false, session: 1, of: process, isChecked: true, now: 300_000_000)
        #expect(schedule == scheduleBefore)
        _ = schedule.takeDueProcesses(now: second, limit: 8)
        schedule.setGate(isOpen: false, session: 1, of: process, isChecked: true, now: second)
        #expect(schedule.nextCheckTime == nil)
        let isReported = schedule.record(process, isAudible: true, now: second)
        #expect(isReported)
    }

    @Test("a gate closed by its program and a process of another PID namespace are not checked")
    func gateClosedByItsProgramIsNotChecked() {
        var schedule = SilenceSchedule()
        schedule.setGate(isOpen: false, session: 1, of: process, isChecked: false, now: 0)
        schedule.setGate(isOpen: false, session: 2, of: 0, isChecked: true, now: 0)
        #expect(schedule.nextCheckTime == nil)
    }

    @Test("a failed measurement is repeated later, and the end of the sessions ends the checks")
    func failedMeasurementIsRepeatedUntilTheSessionsEnd() {
        var schedule = scheduleWithClosedGates(1, 2)
        _ = schedule.takeDueProcesses(now: second, limit: 8)
        let isReported = schedule.record(process, isAudible: nil, now: second)
        #expect(!isReported && schedule.nextCheckTime == SilenceSchedule.checkDelays[1])
        schedule.remove(session: 1, of: process, now: 0)
        #expect(schedule.nextCheckTime != nil)
        schedule.remove(session: 2, of: process, now: 0)
        #expect(schedule == SilenceSchedule())
    }

    @Test("at most the limit of processes is checked at once, and the others afterwards")
    func checksOfManyProcessesAreLimitedAtATime() {
        var schedule = SilenceSchedule()
        for process in 1...20 as ClosedRange<Int32> {
            schedule.setGate(isOpen: false, session: UInt64(process), of: process, isChecked: true, now: 0)
        }
        var checkedProcesses: Set<Int32> = []
        for _ in 0..<3 {
            let dueProcesses = schedule.takeDueProcesses(now: second, limit: 8)
            #expect(dueProcesses.count <= 8 && checkedProcesses.isDisjoint(with: dueProcesses))
            checkedProcesses.formUnion(dueProcesses)
        }
        #expect(checkedProcesses == Set(1...20))
    }
}
