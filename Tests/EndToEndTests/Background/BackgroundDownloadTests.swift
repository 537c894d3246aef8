import Foundation
import Glibc
import SystemCalls
import TestSupport
import Testing

/// Downloads by the command line, with the real three processes.
@Suite struct BackgroundDownloadTests {
    private let fixture: BackgroundFixture

    init() throws { fixture = try BackgroundFixture() }

    @Test func aDownloadIsWholeUnderItsFinalName() throws {
        let server = try ContentServer()
        let status = try fixture.download([server.address()]).waitForExit(within: .seconds(20))
        #expect(status.isSuccess)
        #expect(fixture.files == ["film.mkv"])
        #expect(fixture.content("film.mkv") == server.content)
    }

    @Test func aMissingFolderIsCreated() throws {
        let server = try ContentServer(), folder = fixture.folder + "/Films"
        let command = try fixture.swiftplay("download", "--to", folder, server.address())
        #expect(try command.waitForExit(within: .seconds(20)).isSuccess, "\(command.errors.text)")
        #expect(fixture.content("Films/film.mkv") == server.content)
    }

    @Test func severalDownloadsOfOneNameGetNumbers() throws {
        let server = try ContentServer()
        let status = try fixture.download([server.address(), server.address()]).waitForExit(within: .seconds(20))
        #expect(status.isSuccess)
        #expect(fixture.files == ["film (2).mkv", "film.mkv"])
        for file in fixture.files { #expect(fixture.content(file) == server.content) }
    }

    @Test("a repeated command continues the download that it finds")
    func aRepeatedCommandContinuesTheDownload() throws {
        let server = try ContentServer(pausesAt: 100_000)
        _ = try fixture.download([server.address()], ["--no-wait"]).waitForExit()
        try fixture.waitForStoredPart(bytes: 100_000)
        let second = try fixture.download([server.address()])
        let isShown = Deadline.poll(for: .seconds(20)) { second.output.text.contains("film.mkv") ? true : nil }
        #expect(isShown == true)
        server.release()
        #expect(try second.waitForExit(within: .seconds(20)).isSuccess)
        #expect(fixture.files == ["film.mkv"] && fixture.content("film.mkv") == server.content)
        #expect(server.requests.count == 1)
    }

    @Test("--unmetered refuses to continue a download on all networks, and the downloads before it go on")
    func aDownloadOnAllNetworksIsNotContinuedAsAnUnmeteredOne() throws {
        let server = try ContentServer(pausesAt: 100_000)
        _ = try fixture.download([server.address()], ["--no-wait"]).waitForExit()
        let command = try fixture.download([server.address("other.mkv"), server.address()], ["--unmetered"])
        #expect(try command.waitForExit(within: .seconds(20)).reason == .exited(1))
        #expect(command.errors.text.hasSuffix("swiftplay transfers cancel 1\n"), "\(command.errors.text)")
        #expect(command.output.text.contains("go on in the background"), "\(command.output.text)")
        server.release()
        let isComplete = Deadline.poll(for: .seconds(20)) { fixture.files == ["film.mkv", "other.mkv"] ? true : nil }
        #expect(isComplete == true)
    }

    @Test func anExistingFileIsNotReplaced() throws {
        let server = try ContentServer()
        try Data("mine".utf8).write(to: URL(fileURLWithPath: fixture.folder + "/film.mkv"))
        _ = try fixture.download([server.address()]).waitForExit(within: .seconds(20))
        #expect(fixture.content("film.mkv") == Array("mine".utf8))
        #expect(fixture.content("film (2).mkv") == server.content)
    }

    @Test func theChosenNameIsUsed() throws {
        let server = try ContentServer()
        _ = try fixture.download([server.address()], ["--name", "chosen.mkv"]).waitForExit(within: .seconds(20))
        #expect(fixture.files == ["chosen.mkv"])
    }

    @Test func aNameWithAFolderIsRefused() throws {
        let command = try fixture.download(["http://127.0.0.1:9/film.mkv"], ["--name", "../../chosen.mkv"])
        #expect(try command.waitForExit(within: .seconds(20)).reason == .exited(64))
        #expect(command.errors.text.contains("--name must be a file name without a folder"), "\(command.errors.text)")
        #expect(fixture.files.isEmpty)
    }

    @Test("a download goes on after Ctrl-C, and its part file has a hidden name")
    func aDownloadGoesOnAfterCtrlC() throws {
        let server = try ContentServer(pausesAt: 100_000)
        let command = try fixture.download([server.address()])
        try fixture.waitForPart(bytes: 100_000)
        #expect(fixture.files.count == 1 && fixture.files[0].hasPrefix(".film.mkv."))
        command.signal(SIGINT)
        #expect(try command.waitForExit().reason == .exited(4))
        #expect(command.output.text.contains("swiftplay transfers"))
        server.release()
        try fixture.waitForListing("done")
        #expect(fixture.content("film.mkv") == server.content)
    }

    @Test(arguments: [
        ["swiftplay-transfer"], ["swiftplay-backgroundd"], ["swiftplay-backgroundd", "swiftplay-transfer"],
    ])
    func aDownloadContinuesAfterACrash(of programs: [String]) throws {
        let server = try ContentServer(pausesAt: 100_000)
        let command = try fixture.download([server.address()])
        try fixture.waitForStoredPart(bytes: 100_000)
        for program in programs { try fixture.kill(program) }
        // Until the server continues, the part file has exactly these bytes.
        let hasContinued = Deadline.poll(for: .seconds(20)) { server.requests.count >= 2 ? true : nil }
        #expect(hasContinued == true)
        server.release()
        #expect(try command.waitForExit(within: .seconds(30)).isSuccess)
        #expect(fixture.files == ["film.mkv"])
        #expect(fixture.content("film.mkv") == server.content)
        #expect(
            server.requests.count == 2 && server.requests[1].rangeStart == 100_000,
            "\(server.requests.map(\.rangeStart))")
    }

    @Test("a command ends with its download, although the service that has reported the download was killed before")
    func theCommandEndsWithADownloadThatItMissed() throws {
        let server = try ContentServer(pausesAt: 100_000)
        let command = try fixture.download([server.address()])
        try fixture.waitForStoredPart(bytes: 100_000)
        // Until it continues, the command receives no report of the next service.
        command.signal(SIGSTOP)
        try fixture.killLedger()
        server.release()
        try fixture.waitForListing("done")
        command.signal(SIGCONT)
        #expect(try command.waitForExit(within: .seconds(20)).isSuccess, "\(command.errors.text)")
        #expect(command.output.text.hasSuffix("film.mkv: done\n"), "\(command.output.text)")
        #expect(fixture.content("film.mkv") == server.content)
    }

    @Test("a command states that the service cannot be started again")
    func aServiceThatCannotBeStartedIsReported() throws {
        let service = fixture.scratch.file("swiftplay-backgroundd")
        try FileManager.default.createSymbolicLink(
            atPath: service, withDestinationPath: try Products.path("swiftplay-backgroundd"))
        fixture.additions["SWIFTPLAY_BACKGROUNDD"] = service
        let server = try ContentServer(pausesAt: 100_000)
        let command = try fixture.download([server.address()])
        try fixture.waitForStoredPart(bytes: 100_000)
        try FileManager.default.removeItem(atPath: service)
        try fixture.kill("swiftplay-backgroundd")
        #expect(try command.waitForExit(within: .seconds(60)).reason == .exited(1))
        #expect(command.errors.text.contains("\(service), which cannot be run"), "\(command.errors.text)")
    }

    @Test("after a crash of all processes, the next command continues the same transfer")
    func theNextCommandContinuesATransfer() throws {
        let server = try ContentServer(pausesAt: 100_000)
        let command = try fixture.download([server.address()])
        try fixture.waitForStoredPart(bytes: 100_000)
        try fixture.kill("swiftplay")
        for program in ["swiftplay-backgroundd", "swiftplay-transfer"] { try fixture.kill(program) }
        _ = command.isRunning
        server.release()
        let listing = try fixture.waitForListing("done")
        #expect(listing.split(separator: "\n").count == 2 && listing.contains("\n1 "))
        #expect(fixture.content("film.mkv") == server.content)
    }

    @Test("a service that is killed while no program runs is started again, and the download goes on")
    func theServiceIsStartedAgainWithoutAProgram() throws {
        let server = try ContentServer(pausesAt: 100_000)
        _ = try fixture.download([server.address()], ["--no-wait"]).waitForExit()
        try fixture.waitForStoredPart(bytes: 100_000)
        try fixture.killLedger()
        let hasContinued = Deadline.poll(for: .seconds(20)) { server.requests.count >= 2 ? true : nil }
        #expect(hasContinued == true)
        server.release()
        let isComplete = Deadline.poll(for: .seconds(20)) { fixture.files == ["film.mkv"] ? true : nil }
        #expect(isComplete == true && fixture.content("film.mkv") == server.content)
    }

    @Test("an engine that outlives its service is the only one until it has ended")
    func twoEnginesNeverRunAtOnce() throws {
        let server = try ContentServer(pausesAt: 100_000)
        _ = try fixture.download([server.address()], ["--no-wait"]).waitForExit()
        try fixture.waitForStoredPart(bytes: 100_000)
        let engine = try #require(fixture.runtime.processes(named: "swiftplay-transfer").first?.pid)
        Glibc.kill(engine, SIGSTOP)
        try fixture.killLedger()
        try fixture.waitForListing("film.mkv")
        #expect(fixture.runtime.processes(named: "swiftplay-transfer").map(\.pid) == [engine])
        Glibc.kill(engine, SIGKILL)
        server.release()
        try fixture.waitForListing("done")
        #expect(fixture.content("film.mkv") == server.content)
    }

    @Test func theDesktopStartsTheServiceAfterALoginWhileWorkWaits() throws {
        let server = try ContentServer(pausesAt: 100_000)
        _ = try fixture.download([server.address()], ["--no-wait"]).waitForExit()
        let path = fixture.runtime.path + "/config/autostart/swiftplay-backgroundd.desktop"
        let isWritten = Deadline.poll(for: .seconds(20)) { FileManager.default.fileExists(atPath: path) ? true : nil }
        #expect(isWritten == true)
        server.release()
        let isRemoved = Deadline.poll(for: .seconds(20)) { FileManager.default.fileExists(atPath: path) ? nil : true }
        #expect(isRemoved == true && fixture.content("film.mkv") == server.content)
    }

    @Test func anErrorPageIsNotAFile() throws {
        let server = try FaultServer { _ in [.head("HTTP/1.1 404 Not Found", "Content-Length: 4"), .text("page")] }
        let command = try fixture.download([server.address + "/film.mkv"])
        #expect(try command.waitForExit(within: .seconds(20)).reason == .exited(3))
        #expect(command.output.text.contains("the server answered with status 404"))
        let isEmpty = Deadline.poll(for: .seconds(10)) { fixture.files.isEmpty ? true : nil }
        #expect(isEmpty == true)
    }

    @Test func pausingAndResumingKeepsTheReceivedBytes() throws {
        let server = try ContentServer(pausesAt: 100_000)
        _ = try fixture.download([server.address()], ["--no-wait"]).waitForExit()
        try fixture.waitForPart(bytes: 100_000)
        #expect(try fixture.swiftplay("transfers", "pause", "1").waitForExit().isSuccess)
        try fixture.waitForListing("paused")
        server.release()
        #expect(try fixture.swiftplay("transfers", "resume", "1").waitForExit().isSuccess)
        try fixture.waitForListing("done")
        #expect(fixture.content("film.mkv") == server.content)
    }

    @Test func cancellingRemovesThePartFile() throws {
        let server = try ContentServer(pausesAt: 100_000)
        _ = try fixture.download([server.address()], ["--no-wait"]).waitForExit()
        try fixture.waitForPart(bytes: 100_000)
        #expect(try fixture.swiftplay("transfers", "cancel", "all").waitForExit().isSuccess)
        try fixture.waitForListing("cancelled")
        let isEmpty = Deadline.poll(for: .seconds(10)) { fixture.files.isEmpty ? true : nil }
        #expect(isEmpty == true)
    }

    @Test func theListingContainsNoSecrets() throws {
        let server = try ContentServer()
        _ = try fixture.download([server.address()], ["--header", "Authorization: hidden"]).waitForExit()
        let listing = try fixture.waitForListing("done")
        #expect(!listing.contains("token") && !listing.contains("hidden"))
        let database = FileManager.default.contents(
            atPath: fixture.runtime.path + "/state/swiftplay/background/ledger.sqlite")
        #expect(database?.range(of: Data("hidden".utf8)) == nil)
        #expect(server.requests.first?.fields["authorization"] == "hidden")
    }

    @Test func aTransferThatWaitsStatesTheReason() throws {
        let server = try FaultServer { _ in
            [.head("HTTP/1.1 503 Busy", "Retry-After: 3000", "Content-Length: 0")]
        }
        _ = try fixture.download([server.address + "/film.mkv"], ["--no-wait"]).waitForExit()
        try fixture.waitForListing("tries again in")
    }

    @Test func aReplacedDirectoryIsNotUsed() throws {
        let server = try ContentServer(pausesAt: 100_000)
        _ = try fixture.download([server.address()], ["--no-wait"]).waitForExit()
        try fixture.waitForPart(bytes: 100_000)
        #expect(rename(fixture.folder, fixture.folder + "-moved") == 0)
        #expect(symlink("/etc", fixture.folder) == 0)
        // Afterwards, because a service that is started again at once would open the directory before it is replaced.
        for program in ["swiftplay-backgroundd", "swiftplay-transfer"] { try fixture.kill(program) }
        server.release()
        try fixture.waitForListing("the directory of the file was replaced or removed")
    }

    @Test func theServiceExitsWithoutWork() throws {
        let daemon = try ChildProcess(
            Products.path("swiftplay-backgroundd"), ["--idle-timeout", "0.01"], environment: fixture.environment,
            runtimeDirectory: fixture.runtime)
        #expect(try daemon.waitForExit().isSuccess)
    }

    @Test func theServiceRunsIfItsStarterHasEnded() throws {
        // The process substitution ends, and with it the only reader of the pipe.
        let service = try Products.path("swiftplay-backgroundd")
        let command = "exec 3> >(:); wait $!; exec \(service) --ready-fd 3 --idle-timeout 0.01"
        let daemon = try ChildProcess(
            Products.systemProgram("bash"), ["-c", command], environment: fixture.environment,
            runtimeDirectory: fixture.runtime)
        #expect(try daemon.waitForExit().isSuccess)
    }

    @Test func aSecondServiceExitsAtOnce() throws {
        _ = try fixture.listing()
        let daemon = try ChildProcess(
            Products.path("swiftplay-backgroundd"), [], environment: fixture.environment,
            runtimeDirectory: fixture.runtime)
        #expect(try daemon.waitForExit().isSuccess)
    }
}
