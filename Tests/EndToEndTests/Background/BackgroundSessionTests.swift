import Foundation
import Glibc
import SystemCalls
import TestSupport
import Testing

/// Sessions of a program that crashes and is started again, with the real processes.
@Suite struct BackgroundSessionTests {
    private let fixture: BackgroundFixture

    init() throws { fixture = try BackgroundFixture() }

    @Test func eventsArriveInApplesOrder() throws {
        let server = try ContentServer()
        #expect(try fixture.probe([server.address()]).waitForExit(within: .seconds(20)).isSuccess)
        #expect(fixture.log == ["start user", "finished 1 file0 0", "completed 1 0 200", "finished-events"])
        #expect(fixture.content("1") == server.content)
    }

    @Test func aStagedFileIsRemovedAfterItsDelivery() throws {
        let server = try ContentServer()
        _ = try fixture.probe([server.address()]).waitForExit(within: .seconds(20))
        let staging = fixture.scratch.file("data/swiftplay/transfers/1")
        let isEmpty = Deadline.poll(for: .seconds(10)) {
            (try? FileManager.default.contentsOfDirectory(atPath: staging))?.isEmpty == true ? true : nil
        }
        #expect(isEmpty == true)
    }

    @Test("a file that the program leaves where it is has its content in the method of the delegate, and is gone then")
    func aFileThatTheProgramLeavesIsRemoved() throws {
        let server = try ContentServer()
        #expect(try fixture.probe(["leave", server.address()]).waitForExit(within: .seconds(20)).isSuccess)
        let log = fixture.log
        let finish = try #require(log.firstIndex { $0.hasPrefix("finished 1 file0 262144 bytes at /") })
        #expect(log[finish - 1] == "progress 262144 of 262144" && log[finish + 1] == "completed 1 0 200")
        let path = try #require(log[finish].split(separator: " ").last)
        let isGone = Deadline.poll(for: .seconds(10)) {
            FileManager.default.fileExists(atPath: String(path)) ? nil : true
        }
        #expect(isGone == true)
    }

    @Test("a program that was killed is started again, and receives every event once")
    func aKilledProgramIsStartedAgain() throws {
        let server = try ContentServer(pausesAt: 100_000)
        try killProgram(try fixture.probe([server.address()]), whileItWaitsFor: server)
        server.release()
        try fixture.waitForLog("finished-events")
        #expect(
            fixture.log == [
                "start user", "start background", "handle-events probe", "finished 1 file0 0", "completed 1 0 200",
                "finished-events",
            ])
        #expect(fixture.content("1") == server.content)
    }

    @Test("a crash in a callback repeats the events from the first one that was not acknowledged")
    func aCrashInACallbackRepeatsEvents() throws {
        let server = try ContentServer()
        _ = try fixture.probe(["crash-at=3"] + (0..<6).map { server.address("file\($0)") }).waitForExit()
        try fixture.waitForLog("finished-events")
        for number in 1...6 {
            #expect(fixture.log.count { $0.hasPrefix("finished \(number) ") } == 1, "\(fixture.log)")
            #expect(fixture.log.count { $0.hasPrefix("completed \(number) 0") } == 1, "\(fixture.log)")
            #expect(fixture.content("\(number)") == server.content)
        }
        #expect(fixture.log.count { $0.hasPrefix("crash") } == 1)
    }

    @Test("a program that crashes in its first callback whenever it is started is not started again at once")
    func aProgramThatAlwaysCrashesIsNotStartedAgainAtOnce() throws {
        let server = try ContentServer()
        _ = try fixture.probe(["crash-always", server.address()]).waitForExit()
        try fixture.waitForLog("crash 1", count: 2)
        // Meanwhile the service would have started the program many times.
        let commands = try (0..<3).map { try fixture.download([server.address("file\($0)")]) }
        for command in commands { #expect(try command.waitForExit(within: .seconds(20)).isSuccess) }
        #expect(fixture.log.count { $0 == "start background" } == 1, "\(fixture.log)")
    }

    @Test(arguments: ["swiftplay-backgroundd", "swiftplay-transfer"])
    func aCrashOfAServiceLosesNoEvent(of program: String) throws {
        let server = try ContentServer(pausesAt: 100_000)
        let probe = try fixture.probe([server.address()])
        try waitForRequest(server)
        try fixture.kill(program)
        server.release()
        #expect(try probe.waitForExit(within: .seconds(30)).isSuccess)
        #expect(
            fixture.log.filter { !$0.hasPrefix("resumed") } == [
                "start user", "finished 1 file0 0", "completed 1 0 200", "finished-events",
            ])
        #expect(fixture.content("1") == server.content)
    }

    @Test("after a crash of the service, a program learns that the events from before the crash have ended")
    func theEndOfEventsFollowsACrash() throws {
        let server = try ContentServer(blockCount: 2), silentServer = try FaultServer { _ in [.awaitRelease] }
        let probe = try fixture.probe([server.address(), silentServer.address + "/file"])
        try fixture.waitForLog("completed 1 0 200")
        let wasRequested = Deadline.poll(for: .seconds(20)) { silentServer.requests.count == 1 ? true : nil }
        try #require(wasRequested == true)
        try fixture.killLedger()
        let wasRequestedAgain = Deadline.poll(for: .seconds(20)) { silentServer.requests.count == 2 ? true : nil }
        try #require(wasRequestedAgain == true && !fixture.log.contains("finished-events"))
        let pause = try fixture.swiftplay("transfers", "pause", "2")
        #expect(try pause.waitForExit(within: .seconds(20)).isSuccess, "\(pause.errors.text)")
        try fixture.waitForLog("finished-events")
        probe.signal(SIGKILL)
    }

    @Test func aHundredTransfersAtOnceAreAllDelivered() throws {
        let server = try ContentServer(blockCount: 2)
        let probe = try fixture.probe((0..<100).map { server.address("file\($0)") })
        #expect(try probe.waitForExit(within: .seconds(60)).isSuccess)
        for number in 1...100 {
            #expect(fixture.log.count { $0.hasPrefix("finished \(number) ") } == 1)
            #expect(fixture.log.count { $0.hasPrefix("completed \(number) 0 200") } == 1)
        }
        #expect(server.requests.count == 100)
    }

    @Test("a program finds the transfers that an earlier run has stored and not resumed, also while it creates others")
    func storedTransfersAreFoundAfterARestart() throws {
        let server = try ContentServer(blockCount: 2)
        let first = try fixture.probe(["store-only"] + (0..<3).map { server.address("file\($0)") })
        #expect(try first.waitForExit(within: .seconds(20)).isSuccess)
        #expect(fixture.log == ["start user", "stored 3"] && server.requests.isEmpty)
        // The new transfers are not stored yet when the program asks for the earlier ones.
        let second = try fixture.probe((3..<20).map { server.address("file\($0)") })
        for number in 1...20 { try fixture.waitForLog("completed \(number) 0 200") }
        _ = try second.waitForExit(within: .seconds(20))
        for number in 1...20 { #expect(fixture.content("\(number)") == server.content) }
    }

    @Test("a session that another process of the program uses has no transfers, and new ones fail")
    func aSessionInUseIsRefused() throws {
        let server = try ContentServer(pausesAt: 100_000)
        let first = try fixture.probe([server.address()])
        try waitForRequest(server)
        #expect(try fixture.probe(["store-only", server.address()]).waitForExit(within: .seconds(20)).isSuccess)
        #expect(fixture.log.contains("stored 0 refused"))
        let earlierCount = fixture.log.count { $0 == "invalid -1" }
        let second = try fixture.probe([server.address()])
        try fixture.waitForLog("invalid -1", count: earlierCount + 1)
        // A transfer that is created after the end of the session has no delegate.
        #expect(fixture.log.filter { $0.hasPrefix("completed") }.allSatisfy { $0 == "completed 0 -1 0" })
        second.signal(SIGKILL)
        server.release()
        #expect(try first.waitForExit(within: .seconds(20)).isSuccess)
        #expect(fixture.content("1") == server.content)
    }

    @Test func anErrorPageFinishesWithItsStatus() throws {
        let server = try FaultServer { _ in [.head("HTTP/1.1 404 Not Found", "Content-Length: 4"), .text("page")] }
        _ = try fixture.probe([server.address + "/film.mkv"]).waitForExit(within: .seconds(20))
        #expect(fixture.log.contains("completed 1 0 404"))
        #expect(fixture.content("1") == Array("page".utf8))
    }

    @Test("a file that the server has removed meanwhile finishes with the page, which is not mixed with the part")
    func anErrorPageReplacesThePart() throws {
        let server = try FaultServer { request in
            request.number == 1
                ? [
                    .head("HTTP/1.1 200 OK", "Content-Length: 200000", "ETag: \"a\""),
                    .bytes([UInt8](repeating: 7, count: 100_000)), .awaitRelease,
                ] : [.head("HTTP/1.1 404 Not Found", "Content-Length: 4"), .text("page")]
        }
        let probe = try fixture.probe([server.address + "/film.mkv"])
        try fixture.waitForListing("%")
        try fixture.kill("swiftplay-transfer")
        _ = try probe.waitForExit(within: .seconds(30))
        #expect(server.requests.last?.rangeStart != nil)
        #expect(fixture.log.contains("completed 1 0 404") && fixture.content("1") == Array("page".utf8))
    }

    @Test func aChallengeIsAnsweredByTheProgram() throws {
        let server = try FaultServer { request in
            request.fields["authorization"] == "Basic dXNlcjpwYXNzd29yZA=="
                ? [.head("HTTP/1.1 200 OK", "Content-Length: 4"), .text("film")]
                : [.head("HTTP/1.1 401 Unauthorized", "WWW-Authenticate: Basic realm=x", "Content-Length: 0")]
        }
        _ = try fixture.probe([server.address + "/film.mkv"]).waitForExit(within: .seconds(20))
        #expect(fixture.log.contains("challenge 1") && fixture.log.contains("completed 1 0 200"))
        #expect(fixture.content("1") == Array("film".utf8))
    }

    @Test("a program that was killed is started again to answer a 401, also one without WWW-Authenticate")
    func aChallengeStartsTheProgram() throws {
        let server = try FaultServer { request in
            request.fields["authorization"] == "Basic dXNlcjpwYXNzd29yZA=="
                ? [.head("HTTP/1.1 200 OK", "Content-Length: 4"), .text("film")]
                : [.awaitRelease, .head("HTTP/1.1 401 Unauthorized", "Content-Length: 0")]
        }
        let program = try fixture.probe([server.address + "/film.mkv"])
        let isWaiting = Deadline.poll(for: .seconds(20)) { server.requests.isEmpty ? nil : true }
        #expect(isWaiting == true)
        program.signal(SIGKILL)
        _ = try program.waitForExit()
        server.release()
        try fixture.waitForLog("finished-events")
        #expect(
            fixture.log == [
                "start user", "start background", "handle-events probe", "challenge 1", "finished 1 file0 0",
                "completed 1 0 200", "finished-events",
            ])
        #expect(fixture.content("1") == Array("film".utf8))
    }

    @Test func anUnansweredChallengeFailsAtTheTimeLimit() throws {
        _ = try fixture.listing()
        let server = try FaultServer { _ in [.head("HTTP/1.1 401 Unauthorized", "Content-Length: 0")] }
        let client = try ServiceClient(fixture)
        let session = try client.attach { $0.resourceTimeout = 2 }
        let directory = try DirectoryDescriptor(opening: fixture.folder)
        try client.download(server.address + "/film.mkv", number: 1, session: session, directory: directory.raw)
        try fixture.waitForListing("waiting for the program to supply a user name and password")
        try fixture.waitForListing("failed: the time limit of the transfer has passed")
        #expect(server.requests.count == 1)
    }

    @Test("a program that the user runs gets no second process beside it, even without the session that has events")
    func aRunningProgramGetsNoSecondProcess() throws {
        let server = try ContentServer(pausesAt: 100_000), otherServer = try ContentServer(pausesAt: 100_000)
        try killProgram(try fixture.probe([server.address()]), whileItWaitsFor: server)
        let other = try fixture.probe(["sessions=other", otherServer.address("other.mkv")])
        try waitForRequest(otherServer)
        server.release()
        try fixture.waitForListing("the program has not received it yet")
        otherServer.release()
        #expect(try other.waitForExit(within: .seconds(20)).isSuccess)
        try fixture.waitForLog("finished-events")
        #expect(
            fixture.log == [
                "start user", "start user", "finished other-1 file0 0", "completed other-1 0 200",
                "finished-events other", "start background", "handle-events probe", "finished 1 file0 0",
                "completed 1 0 200", "finished-events",
            ])
    }

    @Test func aRunningProgramWithoutSessionsGetsNoSecondProcess() throws {
        let server = try ContentServer(pausesAt: 100_000)
        try killProgram(try fixture.probe([server.address()]), whileItWaitsFor: server)
        let other = try fixture.probe(["no-sessions"])
        try fixture.waitForLog("has no session")
        // The service has received the message of the program before it answers this command.
        _ = try fixture.listing()
        server.release()
        try fixture.waitForListing("the program has not received it yet")
        #expect(fixture.log == ["start user", "start user", "has no session"])
        other.signal(SIGKILL)
        try fixture.waitForLog("finished-events")
    }

    @Test func aCrashOfTheServiceDuringACallbackStartsNoSecondProcess() throws {
        let server = try ContentServer()
        let probe = try fixture.probe(["wait", server.address()])
        try fixture.waitForLog("waits 1")
        try fixture.kill("swiftplay-backgroundd")
        // The command is answered by the next run of the service, which has looked for programs to start.
        _ = try fixture.listing()
        probe.signal(SIGUSR1)
        #expect(try probe.waitForExit(within: .seconds(20)).isSuccess)
        #expect(
            fixture.log == ["start user", "waits 1", "finished 1 file0 0", "completed 1 0 200", "finished-events"])
    }

    @Test func aCrashOfTheServiceRepeatsNoCallOfTheApplicationDelegate() throws {
        let server = try ContentServer(pausesAt: 100_000)
        try killProgram(try fixture.probe(["wait", server.address()]), whileItWaitsFor: server)
        server.release()
        try fixture.waitForLog("waits 1")
        try fixture.kill("swiftplay-backgroundd")
        _ = try fixture.listing()
        let probe = try #require(fixture.runtime.processes(named: "BackgroundProbe").first)
        Glibc.kill(probe.pid, SIGUSR1)
        try fixture.waitForLog("finished-events")
        #expect(
            fixture.log == [
                "start user", "start background", "handle-events probe", "waits 1", "finished 1 file0 0",
                "completed 1 0 200", "finished-events",
            ])
    }

    /// Waits until a server has received a request.
    private func waitForRequest(_ server: ContentServer) throws {
        let isWaiting = Deadline.poll(for: .seconds(20)) { server.requests.isEmpty ? nil : true }
        guard isWaiting == true else { throw TestFailure("no request: \(fixture.log)") }
    }

    /// Kills a program once its request has reached a server.
    private func killProgram(_ program: ChildProcess, whileItWaitsFor server: ContentServer) throws {
        try waitForRequest(server)
        program.signal(SIGKILL)
        _ = try program.waitForExit()
    }
}
