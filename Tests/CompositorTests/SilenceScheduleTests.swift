import Testing

@testable import Compositor

@Suite("When processes are checked for silence")
struct SilenceScheduleTests {
    private let second: Int64 = 1_000_000_000
    private let process: Int32 = 7

    private func closed(_ sessions: UInt64..., at now: Int64 = 0) -> SilenceSchedule {
        var schedule = SilenceSchedule()
        for session in sessions {
            schedule.set(isOpen: false, session: session, of: process, isChecked: true, now: now)
        }
        return schedule
    }

    @Test("a process that stays silent is checked three times after its gate was closed, and no more")
    func silent() {
        var schedule = closed(1)
        var checks: [Int64] = []
        while let next = schedule.next {
            checks.append(next)
            #expect(schedule.takeDue(now: next - 1, limit: 8).isEmpty)
            #expect(schedule.takeDue(now: next, limit: 8) == [process])
            let isHeard = schedule.note(process, isAudible: false, now: next)
            #expect(!isHeard && checks.count <= 3)
        }
        #expect(checks == SilenceSchedule.delays)
    }

    @Test("an audible process is reported and checked again every second until it is silent")
    func audible() {
        var schedule = closed(1), now: Int64 = 0
        for _ in 0..<5 {
            now = schedule.next ?? 0
            _ = schedule.takeDue(now: now, limit: 8)
            let isHeard = schedule.note(process, isAudible: true, now: now)
            #expect(isHeard && schedule.next == now + second)
        }
        _ = schedule.takeDue(now: now + second, limit: 8)
        let isHeard = schedule.note(process, isAudible: false, now: now + second)
        #expect(!isHeard)
    }

    @Test("a process is checked after its last gate closes, not while a gate is open")
    func oneOpen() {
        var schedule = closed(1)
        schedule.set(isOpen: true, session: 2, of: process, isChecked: true, now: second)
        #expect(schedule.next == nil)
        schedule.set(isOpen: false, session: 2, of: process, isChecked: true, now: 5 * second)
        #expect(schedule.next == 5 * second + SilenceSchedule.delays[0])
    }

    @Test("a measurement during which a gate was opened does not count", arguments: [false, true])
    func change(isClosedAgain: Bool) {
        var schedule = closed(1)
        _ = schedule.takeDue(now: second, limit: 8)
        schedule.set(isOpen: true, session: 1, of: process, isChecked: true, now: second)
        if isClosedAgain { schedule.set(isOpen: false, session: 1, of: process, isChecked: false, now: second) }
        let isHeard = schedule.note(process, isAudible: true, now: 2 * second)
        #expect(!isHeard && schedule.next == nil)
    }

    @Test("a repeated close order neither postpones nor restarts a check")
    func repetition() {
        var schedule = closed(1)
        let before = schedule
        schedule.set(isOpen: false, session: 1, of: process, isChecked: true, now: 300_000_000)
        #expect(schedule == before)
        _ = schedule.takeDue(now: second, limit: 8)
        schedule.set(isOpen: false, session: 1, of: process, isChecked: true, now: second)
        #expect(schedule.next == nil)
        let isHeard = schedule.note(process, isAudible: true, now: second)
        #expect(isHeard)
    }

    @Test("a gate closed by its program and a process of another PID namespace are not checked")
    func unchecked() {
        var schedule = SilenceSchedule()
        schedule.set(isOpen: false, session: 1, of: process, isChecked: false, now: 0)
        schedule.set(isOpen: false, session: 2, of: 0, isChecked: true, now: 0)
        #expect(schedule.next == nil)
    }

    @Test("a failed measurement is repeated later, and the end of the sessions ends the checks")
    func unknown() {
        var schedule = closed(1, 2)
        _ = schedule.takeDue(now: second, limit: 8)
        let isHeard = schedule.note(process, isAudible: nil, now: second)
        #expect(!isHeard && schedule.next == SilenceSchedule.delays[1])
        schedule.remove(session: 1, of: process)
        #expect(schedule.next != nil)
        schedule.remove(session: 2, of: process)
        #expect(schedule == SilenceSchedule())
    }

    @Test("at most the limit of processes is checked at once, and the others afterwards")
    func limit() {
        var schedule = SilenceSchedule()
        for process in 1...20 as ClosedRange<Int32> {
            schedule.set(isOpen: false, session: UInt64(process), of: process, isChecked: true, now: 0)
        }
        var checked: Set<Int32> = []
        for _ in 0..<3 {
            let due = schedule.takeDue(now: second, limit: 8)
            #expect(due.count <= 8 && checked.isDisjoint(with: due))
            checked.formUnion(due)
        }
        #expect(checked == Set(1...20))
    }
}
