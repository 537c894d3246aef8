import Foundation
import Glibc
import TestSupport
import Testing

/// Fetches and notifications with the real processes.
@Suite struct BackgroundWakeTests {
    private let fixture: BackgroundFixture

    init() throws { fixture = try BackgroundFixture() }

    /// Starts a program for fetches and notifications as a user does.
    private func start(_ behaviour: String) throws -> ChildProcess {
        try ChildProcess(
            Products.path("BackgroundProbe"), [fixture.scratch.file("log"), "wakes", "probe", behaviour],
            environment: fixture.environment, runtimeDirectory: fixture.runtime)
    }

    /// Starts such a program, and waits until the service knows it.
    private func open(_ behaviour: String) throws -> ChildProcess {
        let probe = try start(behaviour)
        try waitForProgram("(open)")
        return probe
    }

    /// Starts such a program and kills it.
    private func openAndKill(_ behaviour: String) throws {
        let probe = try open(behaviour)
        probe.signal(SIGKILL)
        _ = try probe.waitForExit()
        try waitForProgram("(does not run)")
    }

    /// Returns the output of `swiftplay background`.
    private func programs() throws -> String {
        let child = try fixture.swiftplay("background")
        guard try child.waitForExit(within: .seconds(20)).isSuccess else {
            throw TestFailure("background: \(child.errors.text)")
        }
        return child.output.text
    }

    /// Waits until `swiftplay background` prints a text.
    private func waitForProgram(_ text: String) throws {
        var last = ""
        let isFound = try Deadline.poll(for: .seconds(20), every: .milliseconds(50)) { () -> Bool? in
            last = try programs()
            return last.contains(text) && last.contains("next fetch: ") ? true : nil
        }
        guard isFound == true else { throw TestFailure("the programs lack '\(text)':\n\(last)") }
    }

    /// Sends a notification and returns the output of the command.
    @discardableResult
    private func push(_ number: Int) throws -> String {
        let child = try fixture.swiftplay("push", "send", "--to", "probe", payload(number))
        _ = try child.waitForExit(within: .seconds(20))
        return child.output.text + child.errors.text
    }

    private func payload(_ number: Int) -> String { "{\"aps\":{\"content-available\":1},\"number\":\(number)}" }

    /// The payloads of the notifications that the program has received.
    private var notifications: [String] {
        fixture.log.filter { $0.hasPrefix("notification ") }.map { String($0.split(separator: " ")[1]) }
    }

    /// Waits until the program has received a number of notifications.
    private func waitForNotifications(_ count: Int) throws {
        let isFound = Deadline.poll(for: .seconds(20)) { notifications.count >= count ? true : nil }
        guard isFound == true else {
            throw TestFailure("\(count) notifications are missing: \(fixture.log)\n\(try programs())")
        }
    }

    // MARK: Notifications

    @Test func aRunningProgramReceivesANotification() throws {
        let probe = try open("newData")
        #expect(try push(1) == "delivered to probe\n")
        try fixture.waitForLog("completed")
        #expect(notifications == [payload(1)])
        #expect(probe.isRunning)
        try waitForProgram("1 received, 1 delivered, 0 replaced, 0 waiting")
    }

    @Test func aProgramThatDoesNotRunIsStartedForANotification() throws {
        try openAndKill("newData")
        #expect(try push(1) == "delivered to probe\n")
        try fixture.waitForLog("completed")
        #expect(fixture.log.prefix(2) == ["start user", "start background"] && notifications == [payload(1)])
        try waitForProgram("(does not run)")
    }

    @Test("a crash of the service while the program handles a notification repeats no callback")
    func aCrashOfTheServiceRepeatsNoCallback() throws {
        let probe = try open("wait")
        try push(1)
        try waitForNotifications(1)
        try fixture.kill("swiftplay-backgroundd")
        try waitForProgram("(open)")
        probe.signal(SIGUSR1)
        try fixture.waitForLog("completed")
        try waitForProgram("1 received, 1 delivered, 0 replaced, 0 waiting")
        probe.signal(SIGKILL)
        _ = try probe.waitForExit()
        try fixture.kill("swiftplay-backgroundd")
        try waitForProgram("(does not run)")
        #expect(notifications == [payload(1)])
    }

    @Test func aNotificationIsRepeatedAfterACrashOfTheProgram() throws {
        let probe = try open("wait")
        try push(1)
        try waitForNotifications(1)
        probe.signal(SIGKILL)
        _ = try probe.waitForExit()
        try waitForNotifications(2)
        #expect(fixture.log.contains("start background") && notifications == [payload(1), payload(1)])
    }

    @Test func aNotificationSurvivesACrashOfServiceAndProgram() throws {
        let probe = try open("wait")
        try push(1)
        try waitForNotifications(1)
        try fixture.kill("swiftplay-backgroundd")
        probe.signal(SIGKILL)
        _ = try probe.waitForExit()
        // The next command starts the service.
        _ = try programs()
        try waitForNotifications(2)
        #expect(notifications == [payload(1), payload(1)])
    }

    @Test func invalidNotificationsAreRefusedWithTheReason() throws {
        try openAndKill("newData")
        let child = try fixture.swiftplay("push", "send", "--to", "probe", "{")
        #expect(try child.waitForExit(within: .seconds(20)).reason == .exited(1))
        #expect(child.errors.text == "swiftplay: the payload is not a JSON object in UTF-8\n")
        let other = try fixture.swiftplay("push", "send", "--to", "other", payload(1))
        #expect(try other.waitForExit(within: .seconds(20)).reason == .exited(1))
        #expect(other.errors.text.contains("no program with the name other has declared a background mode"))
    }

    // MARK: Fetches

    @Test(arguments: [("newData", "new data", true), ("noData", "no new data", true), ("failed", "failed", false)])
    func aRequestedFetchStartsTheProgram(_ behaviour: String, _ text: String, _ isSuccess: Bool) throws {
        try openAndKill(behaviour)
        let child = try fixture.swiftplay("background", "fetch", "probe")
        #expect(try child.waitForExit(within: .seconds(20)).isSuccess == isSuccess)
        #expect(child.output.text.hasPrefix("probe: ") && child.output.text.contains(text))
        #expect(fixture.log.prefix(3) == ["start user", "start background", "fetch"])
        try waitForProgram("in 24 hours: 1 of 48 wakes")
    }

    @Test func theProcessorTimeOfAFetchIsCounted() throws {
        try openAndKill("busy")
        let child = try fixture.swiftplay("background", "fetch", "probe")
        #expect(try child.waitForExit(within: .seconds(20)).isSuccess)
        let list = try programs()
        let expression = /wakes, [0-9.]+ s, (?<seconds>[0-9.]+) s of CPU/
        let seconds = list.firstMatch(of: expression).flatMap { Double($0.output.seconds) }
        #expect((seconds ?? 0) >= 0.2, "\(list)")
    }

    @Test func aFetchHasOneResult() throws {
        try openAndKill("twice")
        let child = try fixture.swiftplay("background", "fetch", "probe")
        #expect(try child.waitForExit(within: .seconds(20)).isSuccess)
        try fixture.waitForLog("completed")
        try waitForProgram("in 24 hours: 1 of 48 wakes")
    }

    @Test func aFetchThatKillsTheProgramHasNoResult() throws {
        try openAndKill("crash")
        let child = try fixture.swiftplay("background", "fetch", "probe")
        #expect(try child.waitForExit(within: .seconds(20)).reason == .exited(1))
        #expect(child.output.text.contains("the program did not complete the fetch"))
        try waitForProgram("the last fetch failed")
    }

    @Test("a fetch that does not end is stopped with the children of the program, which ignore SIGTERM")
    func aFetchThatDoesNotEndIsStopped() throws {
        try openAndKill("stubborn")
        let child = try fixture.swiftplay("background", "fetch", "probe")
        try fixture.waitForLog("expires", within: .seconds(40))
        let process = try #require(fixture.runtime.processes(named: "BackgroundProbe").first).pid
        let line = try #require(fixture.log.first { $0.hasPrefix("child ") })
        let descendant = try #require(Int32(line.dropFirst("child ".count)))
        #expect(kill(process, 0) == 0 && kill(descendant, 0) == 0)
        let haveEnded = Deadline.poll(for: .seconds(20), every: .milliseconds(50)) {
            kill(process, 0) != 0 && kill(descendant, 0) != 0 ? true : nil
        }
        #expect(haveEnded == true)
        #expect(try child.waitForExit(within: .seconds(20)).reason == .exited(1))
        #expect(child.output.text.contains("the program did not complete the fetch"))
    }

    @Test func aProgramOfTheUserIsNotStopped() throws {
        let probe = try open("hang")
        probe.signal(SIGUSR2)
        try waitForProgram("(runs in the background)")
        let child = try fixture.swiftplay("background", "fetch", "probe")
        try fixture.waitForLog("expires", within: .seconds(40))
        #expect(try child.waitForExit(within: .seconds(20)).reason == .exited(1))
        #expect(probe.isRunning && fixture.log.count { $0 == "fetch" } == 1)
    }

    @Test func aCrashOfTheServiceDuringAFetchCausesNoSecondFetch() throws {
        try openAndKill("wait")
        let child = try fixture.swiftplay("background", "fetch", "probe")
        try fixture.waitForLog("fetch")
        let process = try #require(fixture.runtime.processes(named: "BackgroundProbe").first)
        // The command would request the fetch again.
        child.signal(SIGKILL)
        try fixture.kill("swiftplay-backgroundd")
        try waitForProgram("(runs in the background)")
        kill(process.pid, SIGUSR1)
        try fixture.waitForLog("completed")
        try waitForProgram("in 24 hours: 1 of 48 wakes")
        #expect(fixture.log == ["start user", "start background", "fetch", "completed"])
    }

    @Test("of many notifications at once the program receives three, and the newest when the user opens it")
    func aFloodOfNotificationsIsLimited() throws {
        try openAndKill("newData")
        for number in 1...5 { try push(number) }
        try waitForProgram("5 received, 3 delivered, 1 replaced, 1 waiting")
        #expect(notifications == (1...3).map(payload))
        let opened = try open("newData")
        defer { opened.signal(SIGKILL) }
        try waitForNotifications(4)
        #expect(notifications == [1, 2, 3, 5].map(payload))
        try waitForProgram("5 received, 4 delivered, 1 replaced, 0 waiting")
    }

    @Test func aProgramReportsThatItHasLeftTheForeground() throws {
        let probe = try open("newData")
        probe.signal(SIGUSR2)
        try waitForProgram("(runs in the background)")
        try waitForProgram("because little is known about its use")
    }

    @Test("a program that leaves the foreground before it is connected to the service is not open")
    func aProgramThatLeavesTheForegroundAtOnceIsNotOpen() throws {
        let probe = try start("hidden")
        try waitForProgram("(runs in the background)")
        #expect(probe.isRunning)
    }

    @Test func aProgramThatWasClosedForGoodWaitsForTheUser() throws {
        let probe = try open("newData")
        #expect(try fixture.swiftplay("background", "quit", "probe").waitForExit(within: .seconds(20)).isSuccess)
        #expect(try probe.waitForExit(within: .seconds(20)).reason == .killed(signal: SIGTERM))
        #expect(try push(1) == "stored: probe receives it later\n")
        #expect(try push(2) == "stored: probe receives it later\n")
        try waitForProgram("(closed for good until you open it)")
        let opened = try open("newData")
        defer { opened.signal(SIGKILL) }
        try waitForNotifications(1)
        #expect(notifications == [payload(2)])
        #expect(!fixture.log.contains("start background"))
    }

    @Test func theOverviewClosesAProgramForGood() throws {
        let probe = try open("newData")
        let overview = try fixture.swiftplay("overview", "close", "probe")
        #expect(try overview.waitForExit(within: .seconds(20)).isSuccess)
        #expect(overview.output.text == "probe is not started in the background until you open it\n")
        #expect(try probe.waitForExit(within: .seconds(20)).reason == .killed(signal: SIGTERM))
        try waitForProgram("(closed for good until you open it)")
    }

    @Test func forgettingRemovesTheOpenings() throws {
        try openAndKill("newData")
        try waitForProgram("habits: opened 1 time, at no regular time")
        #expect(try fixture.swiftplay("background", "forget", "probe").waitForExit(within: .seconds(20)).isSuccess)
        try waitForProgram("habits: never opened")
    }
}
