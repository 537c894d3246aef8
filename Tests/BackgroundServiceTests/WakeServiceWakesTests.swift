import BackgroundProtocol
import Glibc
import Testing
import WireFormat

@testable import BackgroundService

/// Wakes of programs that exit, with clocks that the test sets.
@Suite struct WakeServiceWakesTests {
    private let fixture: WakeFixture

    init() throws { fixture = try WakeFixture() }

    @Test("a program that exits after each notification receives all of them", arguments: [false, true])
    func aProgramThatExitsAfterEachNotificationLosesNone(isExitSeenFirst: Bool) throws {
        try fixture.open()
        fixture.starter.processID = getpid()
        for number in 0..<3 { try fixture.push("\(number)") }
        for number in 1...3 {
            let socket = try fixture.connect(isBackgroundStart: true, presence: .background)
            #expect(fixture.starter.processes.count == number)
            try fixture.send(.completeNotification(id: try #require(fixture.stored.first).id, .newData), from: socket)
            let steps = [fixture.starter.exit, { fixture.disconnect(socket) }]
            for step in isExitSeenFirst ? steps : steps.reversed() { step() }
        }
        let counts = try #require(fixture.wakes.snapshots().first).notifications
        #expect(counts.delivered == 3 && counts.waiting == 0)
    }
}
