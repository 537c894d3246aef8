import Foundation
import Glibc
import SystemCalls
import TestSupport
import Testing

/// Starts of a program by the service, with the real processes.
@Suite struct BackgroundRelaunchTests {
    private let fixture: BackgroundFixture

    init() throws { fixture = try BackgroundFixture() }

    /// Starts the probe, and kills it once its first request has reached the server.
    private func startAndKill(_ options: [String], _ addresses: [String], _ server: ContentServer) throws {
        let program = try fixture.probe(options + addresses)
        let isWaiting = Deadline.poll(for: .seconds(20)) { server.requests.isEmpty ? nil : true }
        #expect(isWaiting == true)
        let isStarted = try Deadline.poll(for: .seconds(20), every: .milliseconds(50)) { () -> Bool? in
            let listing = try fixture.listing()
            return listing.contains("file\(addresses.count - 1)") && !listing.contains("not started") ? true : nil
        }
        #expect(isStarted == true)
        program.signal(SIGKILL)
        _ = try program.waitForExit()
    }

    /// Lets all transfers end while the program runs without their sessions, and then kills it.
    ///
    /// - Parameter option: An option of the start by the service that follows.
    private func finish(_ addresses: [String], _ server: ContentServer, before option: String) throws {
        let otherServer = try ContentServer(pausesAt: 1000)
        let program = try fixture.probe(["sessions=third", option, otherServer.address()])
        let isRunning = Deadline.poll(for: .seconds(20)) { otherServer.requests.isEmpty ? nil : true }
        #expect(isRunning == true)
        server.release()
        let areFinished = try Deadline.poll(for: .seconds(60), every: .milliseconds(200)) { () -> Bool? in
            try fixture.listing().matches(of: /has not received it yet/).count == addresses.count ? true : nil
        }
        #expect(areFinished == true)
        program.signal(SIGKILL)
    }

    /// The number of lines of the log that begin with a text.
    private func count(_ text: String) -> Int { fixture.log.count { $0.hasPrefix(text) } }

    @Test("two sessions with more events than are sent at once get one start, also after a crash in a callback")
    func aCrashAmongManyEventsOfTwoSessionsLosesNone() throws {
        let server = try ContentServer(blockCount: 1, pausesAt: 1000)
        let addresses = (0..<160).map { server.address("file\($0)") }
        try startAndKill(["sessions=probe,other"], addresses, server)
        try finish(addresses, server, before: "crash-in-background=5")
        try fixture.waitForLog("finished-events", within: .seconds(60))
        try fixture.waitForLog("finished-events other", within: .seconds(60))
        let log = fixture.log
        for number in (1...80).flatMap({ ["\($0)", "other-\($0)"] }) {
            #expect(count("finished \(number) ") == 1 && count("completed \(number) 0 200") == 1)
            #expect(fixture.content(number) == server.content)
        }
        let crash = try #require(log.firstIndex { $0.hasPrefix("crash ") })
        let starts = log.filter { !$0.hasPrefix("finished ") && !$0.hasPrefix("completed ") }
        #expect(count("start background") == 2 && count("crash ") == 1, "\(starts)")
        // Each start calls the handler of each session that still has events once.
        for part in [log[..<crash], log[crash...]] {
            for session in ["probe", "other"] { #expect(part.count { $0 == "handle-events \(session)" } == 1) }
        }
    }

    @Test("a program that is started for events lists all transfers whose events it has not received")
    func endedTransfersAreListedUntilTheirEventsAreDelivered() throws {
        let server = try ContentServer(blockCount: 1, pausesAt: 1000)
        // The events of 32 downloads are sent before the first acknowledgement.
        let addresses = (0..<40).map { server.address("file\($0)") }
        try startAndKill([], addresses, server)
        try finish(addresses, server, before: "list")
        try fixture.waitForLog("finished-events", within: .seconds(60))
        #expect(fixture.log.filter { $0.hasPrefix("listed ") } == ["listed 40", "listed 0 at last"])
        #expect(count("finished ") == 40 && count("completed ") == 40)
    }

    /// Waits until a transfer is held back, and returns the rest of its delay in seconds, rounded up.
    private func delay(of transfer: String) throws -> Int {
        let listing = try fixture.waitForListing(transfer)
        let line = listing.split(separator: "\n").first { $0.contains(transfer) }
        guard let match = line?.firstMatch(of: /begins in ([0-9]+) (s|min), or when the program is opened/),
            let number = Int(match.output.1)
        else { throw TestFailure("\(transfer) is not held back:\n\(listing)") }
        return match.output.2 == "s" ? number : number * 60
    }

    @Test("each start of a program in the background doubles the delay of its new transfers, until the user opens it")
    func transfersThatAreCreatedInTheBackgroundAreHeldBack() throws {
        let servers = try (0..<3).map { _ in try ContentServer(blockCount: 1, pausesAt: 1000) }
        let nextServer = try ContentServer(blockCount: 1), lastServer = try ContentServer(pausesAt: 1000)
        let next = "next=\(nextServer.address())"
        try startAndKill(["sessions=a,b,c", next], servers.map { $0.address() }, servers[0])
        for (server, (name, range)) in zip(servers, [("a", 1...60), ("b", 61...120), ("c", 121...240)]) {
            server.release()
            let delay = try delay(of: "next-\(name)-1")
            #expect(range.contains(delay), "\(name): \(delay) s")
            try fixture.waitForLog("finished-events \(name)")
        }
        #expect(nextServer.requests.isEmpty && count("start background") == 3)
        let program = try fixture.probe(["sessions=a,b,c", next, lastServer.address()])
        for name in ["a", "b", "c"] { try fixture.waitForLog("completed \(name)-2 0 200") }
        let isWaiting = Deadline.poll(for: .seconds(20)) { lastServer.requests.isEmpty ? nil : true }
        #expect(isWaiting == true)
        program.signal(SIGKILL)
        _ = try program.waitForExit()
        lastServer.release()
        #expect((1...60).contains(try delay(of: "next-a-3")))
    }

    @Test("a hundred transfers that a program has created at once in the background start it once")
    func manyTransfersOfTheBackgroundAreOneStart() throws {
        let server = try ContentServer(blockCount: 1, pausesAt: 1000)
        let nextServer = try ContentServer(blockCount: 1, pausesAt: 1000)
        let options = ["next=\(nextServer.address())", "next-count=100"]
        try startAndKill(options, [server.address()], server)
        server.release()
        try fixture.waitForLog("finished-events")
        // While the started process has not exited, it keeps the session.
        let hasExited = Deadline.poll(for: .seconds(20)) {
            fixture.runtime.processes(named: "BackgroundProbe").isEmpty ? true : nil
        }
        #expect(hasExited == true)
        // The user opens the program, and closes it before the transfers end.
        let program = try fixture.probe([])
        let isWaiting = Deadline.poll(for: .seconds(20)) { nextServer.requests.isEmpty ? nil : true }
        #expect(isWaiting == true)
        program.signal(SIGKILL)
        _ = try program.waitForExit()
        nextServer.release()
        try fixture.waitForLog("finished-events", count: 2, within: .seconds(60))
        for number in 1...101 { #expect(count("completed \(number) 0 200") == 1) }
        #expect(count("start background") == 2)
        #expect(nextServer.requests.count == 100)
    }

    /// Kills the program and both services while a transfer is paused at 100,000 bytes.
    private func killAll(_ program: ChildProcess) throws {
        try fixture.waitForListing("% of")
        try fixture.waitForStagedPart(bytes: 100_000)
        program.signal(SIGKILL)
        _ = try program.waitForExit()
        for name in ["swiftplay-backgroundd", "swiftplay-transfer"] { try fixture.kill(name) }
    }

    @Test("after a crash of all processes the program finds its transfer, which continues at the received bytes")
    func theNextStartOfTheProgramContinuesItsTransfer() throws {
        let server = try ContentServer(pausesAt: 100_000)
        try killAll(try fixture.probe([server.address()]))
        #expect(try fixture.probe([]).waitForExit(within: .seconds(20)).isSuccess)
        #expect(fixture.log.contains("finished 1 file0 0") && fixture.log.contains("completed 1 0 200"))
        #expect(fixture.content("1") == server.content)
        #expect(server.requests.count == 2 && server.requests.last?.rangeStart == 100_000)
    }

    @Test("the command that the desktop runs after a login continues the transfer and starts the program")
    func theLoginContinuesTheTransfer() throws {
        let server = try ContentServer(pausesAt: 100_000)
        let program = try fixture.probe([server.address()])
        let path = fixture.runtime.path + "/config/autostart/swiftplay-backgroundd.desktop"
        let entry = Deadline.poll(for: .seconds(20)) { try? String(contentsOfFile: path, encoding: .utf8) }
        try killAll(program)
        let command = try #require(entry?.split(separator: "\n").first { $0.hasPrefix("Exec=") }).dropFirst(5)
        let words = command.split(separator: " ").map { $0.filter { $0 != "\"" } }
        let login = try ChildProcess(
            try #require(words.first), Array(words.dropFirst()), environment: fixture.environment,
            runtimeDirectory: fixture.runtime)
        try fixture.waitForLog("finished-events")
        #expect(fixture.log.contains("start background") && fixture.log.contains("finished 1 file0 0"))
        #expect(fixture.content("1") == server.content && server.requests.last?.rangeStart == 100_000)
        _ = login
    }

    @Test("a program that hangs in a callback is stopped after its time; the next start receives the other events")
    func aProgramThatHangsInACallbackIsStoppedAfterItsTime() throws {
        let server = try ContentServer(blockCount: 1, pausesAt: 1000)
        try startAndKill(["hang-in-background=5"], (0..<8).map { server.address("file\($0)") }, server)
        server.release()
        try fixture.waitForLog("hangs")
        let process = try #require(fixture.runtime.processes(named: "BackgroundProbe").first)
        try fixture.waitForLog("expires", within: .seconds(40))
        #expect(!ProcessState.isStoppedOrExited(process.pid))
        let hasEnded = Deadline.poll(for: .seconds(20), every: .milliseconds(100)) {
            kill(process.pid, 0) != 0 ? true : nil
        }
        #expect(hasEnded == true)
        // The program has handled events, so the next start follows at once.
        try fixture.waitForLog("finished-events")
        #expect(count("start background") == 2 && count("hangs") == 1)
        for number in 1...8 {
            #expect(count("finished \(number) ") == 1 && count("completed \(number) 0 200") == 1, "\(fixture.log)")
        }
    }
}
