import Dispatch
import Glibc
import SystemCalls
import TestSupport
import Testing

@testable import SwiftPlay

@Suite struct MainThreadWatchdogTests {
    @Test func busyMainThreadIsReportedWithItsDelay() throws {
        let reportedDelay = Monitor<Duration?>(nil), isBusy = Monitor(false), mayContinue = Monitor(false)
        let watchdog = try MainThreadWatchdog(limit: .milliseconds(30)) { delay in
            reportedDelay.update { $0 = max($0 ?? .zero, delay) }
        }
        let busyTime = Duration.milliseconds(40)
        DispatchQueue.main.async {
            isBusy.update { $0 = true }
            _ = mayContinue.wait { $0 ? true : nil }
        }
        #expect(isBusy.wait(until: Deadline.after(.seconds(10))) { $0 ? true : nil } == true)
        // The watchdog already measures the delay while the main thread is busy.
        let hasGrown = Deadline.poll(for: .seconds(10)) { watchdog.longestDelay >= busyTime ? true : nil }
        #expect(hasGrown == true)
        mayContinue.update { $0 = true }
        let delay = try #require(reportedDelay.wait(until: Deadline.after(.seconds(10))) { $0 })
        #expect(delay >= .milliseconds(30) && watchdog.longestDelay >= delay)
    }

    @Test("the watchdog ends while the main thread hangs, and reports nothing later", .timeLimit(.minutes(1)))
    func releaseDoesNotWaitForTheMainThread() throws {
        let isBusy = Monitor(false), mayContinue = Monitor(false), hasContinued = Monitor(false)
        let reportedDelay = Monitor<Duration?>(nil)
        DispatchQueue.main.async {
            isBusy.update { $0 = true }
            _ = mayContinue.wait { $0 ? true : nil }
        }
        #expect(isBusy.wait(until: Deadline.after(.seconds(10))) { $0 ? true : nil } == true)
        do {
            // At the end of this scope the deinitialiser waits for the thread "watchdog".
            let watchdog = try MainThreadWatchdog { delay in reportedDelay.withLock { $0 = delay } }
            let isChecking = Deadline.poll(for: .seconds(10)) {
                watchdog.longestDelay > .milliseconds(10) ? true : nil
            }
            #expect(isChecking == true)
        }
        mayContinue.update { $0 = true }
        // Blocks of the main queue run in order: the watchdog's block runs before this block.
        DispatchQueue.main.async { hasContinued.update { $0 = true } }
        #expect(hasContinued.wait(until: Deadline.after(.seconds(10))) { $0 ? true : nil } == true)
        #expect(reportedDelay.withLock { $0 } == nil)
    }
}
