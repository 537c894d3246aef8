import BackgroundProtocol
import Testing

@testable import SwiftPlayCLI

@Suite struct ProgramTextTests {
    private var program: BackgroundProgram {
        var program = BackgroundProgram(name: "player", modes: [.fetch, .remoteNotification])
        (program.nextFetch, program.habits) = ("running now", "weekdays about 13:00")
        (program.usage.wakes, program.usage.wakeLimit, program.usage.wallTime) = (2, 48, 1250)
        (program.usage.cpuTime, program.usage.bytes) = (40, 2048)
        (program.notifications.received, program.notifications.delivered) = (5, 3)
        (program.notifications.replaced, program.notifications.waiting) = (1, 1)
        return program
    }

    @Test func aProgramIsListedWithAllThatWasLearnt() {
        #expect(
            ProgramText.text(of: [program]) == """
                player (does not run)
                  next fetch: running now
                  habits: weekdays about 13:00
                  in 24 hours: 2 of 48 wakes, 1.3 s, 0.0 s of CPU, 2.0 KiB transferred
                  notifications: 5 received, 3 delivered, 1 replaced, 1 waiting

                """)
    }

    @Test func anEmptyListIsStated() { #expect(ProgramText.text(of: []) == "no programs\n") }

    @Test func onlyDeclaredModesAreListed() {
        var other = program
        other.modes = .remoteNotification
        #expect(!ProgramText.text(of: [other]).contains("fetch"))
        other.modes = .fetch
        #expect(!ProgramText.text(of: [other]).contains("notifications"))
    }

    @Test(arguments: [
        (false, false, false, "does not run"), (true, false, false, "runs in the background"),
        (true, true, false, "open"), (false, false, true, "closed for good until you open it"),
    ])
    func theStateIsNamed(_ isRunning: Bool, _ isOpen: Bool, _ isQuit: Bool, _ text: String) {
        var program = program
        (program.isRunning, program.isInForeground, program.isForceQuit) = (isRunning, isOpen, isQuit)
        #expect(ProgramText.text(of: [program]).hasPrefix("player (\(text))\n"))
    }

    @Test func controlCharactersOfProgramsAreReplaced() {
        var program = program
        program.name = "a\u{1B}b"
        #expect(ProgramText.text(of: [program]).hasPrefix("a\u{FFFD}b"))
    }

    @Test(
        arguments: [
            (WakeResult.newData, "new data after 1.2 s"), (.noData, "no new data after 1.2 s"),
            (.failed, "the fetch has failed after 1.2 s"), (nil, "the program did not complete the fetch after 1.2 s"),
        ] as [(WakeResult?, String)])
    func theResultOfAFetchIsNamed(_ result: WakeResult?, _ text: String) {
        #expect(ProgramText.text(of: result, milliseconds: 1150) == text)
    }
}
