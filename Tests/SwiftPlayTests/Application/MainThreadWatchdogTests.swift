import Dispatch
import Glibc
import SystemCalls
import TestSupport
import Testing

@testable import SwiftPlay

@Suite struct MainThreadWatchdogTests {
    @Test func busyMainThreadIsReportedWithItsDelay() throws {
        let reported = Monitor<Duration?>(nil), isBusy = Monitor(false), mayContinue = Monitor(false)
        let watchdog = try MainThreadWatchdog(limit: .milliseconds(30)) { delay in
            reported.update { $0 = max($0 ?? .zero, delay) }
        }
        let busyTime = Duration.milliseconds(40)
        DispatchQueue.main.async {
            isBusy.update { $0 = true }
            _ = mayContinue.wait { $0 ? true : nil }
        }
        #expect(isBusy.wait(until: Deadline.after(.seconds(10))) { $0 ? true : nil } == true)
        // The main thread is busy. Its delay counts already now.
        let grown = Deadline.poll(for: .seconds(10)) { watchdog.longestDelay >= busyTime ? true : nil }
        #expect(grown == true)
        mayContinue.update { $0 = true }
        let delay = try #require(reported.wait(until: Deadline.after(.seconds(10))) { $0 })
        #expect(delay >= .milliseconds(30) && watchdog.longestDelay >= delay)
    }

    @Test("the watchdog ends while the main thread hangs")
    func releaseDoesNotWaitForTheMainThread() throws {
        let isBusy = Monitor(false), mayContinue = Monitor(false)
        DispatchQueue.main.async {
            isBusy.update { $0 = true }
            _ = mayContinue.wait { $0 ? true : nil }
        }
        #expect(isBusy.wait(until: Deadline.after(.seconds(10))) { $0 ? true : nil } == true)
        var watchdog: MainThreadWatchdog? = try MainThreadWatchdog { _ in }
        let isChecking = Deadline.poll(for: .seconds(10)) {
            (watchdog?.longestDelay ?? .zero) > .milliseconds(5) ? true : nil
        }
        #expect(isChecking == true)
        watchdog = nil
        #expect(watchdog == nil)
        mayContinue.update { $0 = true }
    }
}
