import Testing

@testable import Compositor

@Suite("The schedule of the checks for silence")
struct SilenceScheduleTests {
    /// One second in nanoseconds.
    private let second: Int64 = 1_000_000_000
    /// The process ID of the program under test.
    private let process: Int32 = 7

    private func checks(of processIDs: Set<Int32>, areEarly: Bool) -> SilenceSchedule.DueChecks {
        SilenceSchedule.DueChecks(processIDs: processIDs, areEarly: areEarly)
    }

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
            #expect(schedule.takeDueProcesses(now: nextCheckTime - 1, limit: 8).processIDs.isEmpty)
            #expect(schedule.takeDueProcesses(now: nextCheckTime, limit: 8) == checks(of: [process], areEarly: false))
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
            let dueProcesses = schedule.takeDueProcesses(now: second, limit: 8).processIDs
            #expect(dueProcesses.count <= 8 && checkedProcesses.isDisjoint(with: dueProcesses))
            checkedProcesses.formUnion(dueProcesses)
        }
        #expect(checkedProcesses == Set(1...20))
    }

    @Test("a process that has not acknowledged a command is checked early, and then at the regular times")
    func unacknowledgedCommandIsCheckedEarly() {
        var schedule = scheduleWithClosedGates(1)
        schedule.checkEarly(process, now: second / 10)
        #expect(schedule.nextCheckTime == second / 10)
        #expect(schedule.takeDueProcesses(now: second / 10, limit: 8) == checks(of: [process], areEarly: true))
        let isReported = schedule.record(process, isAudible: false, now: second / 5)
        #expect(!isReported && schedule.nextCheckTime == SilenceSchedule.checkDelays[0])
        #expect(schedule.takeDueProcesses(now: second / 2, limit: 8) == checks(of: [process], areEarly: false))
    }

    @Test("a process that is audible in an early check is reported")
    func audibleProcessIsReportedAfterAnEarlyCheck() {
        var schedule = scheduleWithClosedGates(1)
        schedule.checkEarly(process, now: second / 10)
        _ = schedule.takeDueProcesses(now: second / 10, limit: 8)
        let isReported = schedule.record(process, isAudible: true, now: second / 5)
        #expect(isReported && schedule.nextCheckTime == second / 5 + SilenceSchedule.recheckDelay)
    }

    @Test("a process is checked early at most once a second")
    func earlyChecksAreLimited() {
        var schedule = scheduleWithClosedGates(1)
        var earlyChecks = 0
        for time in stride(from: Int64(0), to: 3 * second, by: Int(second / 10)) {
            schedule.checkEarly(process, now: time)
            let dueChecks = schedule.takeDueProcesses(now: time, limit: 8)
            guard !dueChecks.processIDs.isEmpty else { continue }
            if dueChecks.areEarly { earlyChecks += 1 }
            _ = schedule.record(process, isAudible: false, now: time)
        }
        #expect((1...3).contains(earlyChecks))
    }

    @Test("a process with an open gate, and one whose gate its program closed, are not checked early")
    func processThatMayBeAudibleIsNotCheckedEarly() {
        var schedule = scheduleWithClosedGates(1)
        schedule.setGate(isOpen: true, session: 2, of: process, isChecked: true, now: 0)
        schedule.checkEarly(process, now: second)
        #expect(schedule.nextCheckTime == nil && !schedule.mustBeSilent(process))
        var other = SilenceSchedule()
        other.setGate(isOpen: false, session: 1, of: process, isChecked: false, now: 0)
        other.checkEarly(process, now: second)
        #expect(other.nextCheckTime == nil && !other.mustBeSilent(process))
    }

    @Test("early checks are made before regular checks")
    func earlyChecksComeFirst() {
        var schedule = scheduleWithClosedGates(1)
        schedule.setGate(isOpen: false, session: 2, of: process + 1, isChecked: true, now: 0)
        schedule.checkEarly(process + 1, now: second)
        #expect(schedule.takeDueProcesses(now: second, limit: 8) == checks(of: [process + 1], areEarly: true))
        #expect(schedule.takeDueProcesses(now: second, limit: 8) == checks(of: [process], areEarly: false))
    }

    @Test("a process must be silent from the first closed gate until a gate opens")
    func mustBeSilentFollowsTheGates() {
        var schedule = SilenceSchedule()
        #expect(!schedule.mustBeSilent(process))
        schedule.setGate(isOpen: false, session: 1, of: process, isChecked: true, now: 0)
        #expect(schedule.mustBeSilent(process))
        schedule.setGate(isOpen: true, session: 1, of: process, isChecked: true, now: 0)
        #expect(!schedule.mustBeSilent(process))
    }
}
