import Foundation
import Glibc
import TestSupport
import Testing

/// Downloads that a program cancels with resume data, with the real processes.
@Suite struct BackgroundResumeDataTests {
    private let fixture: BackgroundFixture
    /// The file with the resume data.
    private let path: String

    init() throws {
        fixture = try BackgroundFixture()
        path = fixture.scratch.file("resume-data")
    }

    /// Runs a program that cancels its download when bytes have arrived.
    private func setAside(_ address: String) throws {
        #expect(try fixture.probe(["set-aside=\(path)", address]).waitForExit(within: .seconds(20)).isSuccess)
        #expect(fixture.log.contains("completed 1 -999 200"))
    }

    /// Runs a program that continues the download.
    private func continueDownload() throws {
        #expect(try fixture.probe(["continue=\(path)"]).waitForExit(within: .seconds(20)).isSuccess)
    }

    @Test("a later start of the program continues a cancelled download at its last byte, and does so once")
    func aLaterStartContinuesACancelledDownload() throws {
        let server = try ContentServer(pausesAt: 100_000)
        try setAside(server.address())
        let listing = try fixture.listing()
        #expect(listing.contains("cancelled; the program keeps the received bytes"), "\(listing)")
        // Only the program continues it.
        let command = try fixture.swiftplay("transfers", "resume", "1")
        #expect(try command.waitForExit(within: .seconds(20)).reason == .exited(1))
        #expect(command.errors.text.contains("only the program"), "\(command.errors.text)")
        // A start that does not use the data does not see the download.
        let other = try ContentServer(blockCount: 1)
        #expect(try fixture.probe([other.address()]).waitForExit(within: .seconds(20)).isSuccess)
        for name in ["swiftplay-backgroundd", "swiftplay-transfer"] { try fixture.kill(name) }
        server.release()
        try continueDownload()
        let start = try #require(server.requests.last?.rangeStart)
        #expect(server.requests.count == 2 && (1...100_000).contains(start))
        #expect(fixture.log.suffix(4).dropLast() == ["resumed 1 \(start)", "finished 1 file0 0", "completed 1 0 200"])
        #expect(fixture.content("1") == server.content)
        try continueDownload()
        #expect(fixture.log.last == "completed 0 -1 0" && server.requests.count == 2)
    }

    @Test("a transfer that only its program can continue does not keep the others from being resumed")
    func theOtherTransfersAreResumed() throws {
        let server = try ContentServer(pausesAt: 100_000)
        try setAside(server.address())
        server.release()
        let names = ["two.mkv", "three.mkv"], other = try ContentServer(pausesAt: 100_000)
        for name in names { _ = try fixture.download([other.address(name)], ["--no-wait"]).waitForExit() }
        #expect(try fixture.swiftplay("transfers", "pause", "2", "3").waitForExit().isSuccess)
        other.release()
        let named = try fixture.swiftplay("transfers", "resume", "1", "2")
        #expect(try named.waitForExit(within: .seconds(20)).reason == .exited(1))
        #expect(named.errors.text.hasPrefix("swiftplay: transfer 1: only the program"), "\(named.errors.text)")
        #expect(isReceived(names[0], other))
        let all = try fixture.swiftplay("transfers", "resume", "all")
        #expect(try all.waitForExit(within: .seconds(20)).isSuccess, "\(all.errors.text)")
        #expect(isReceived(names[1], other))
    }

    /// Waits until a file has the content of a server; false if it does not get it in time.
    private func isReceived(_ name: String, _ server: ContentServer) -> Bool {
        Deadline.poll(for: .seconds(20)) { fixture.content(name) == server.content ? true : nil } == true
    }

    @Test func changedDataFailAtOnce() throws {
        let server = try ContentServer(pausesAt: 100_000)
        try setAside(server.address())
        var data = try #require(FileManager.default.contents(atPath: path))
        data[data.count / 2] ^= 1
        try data.write(to: URL(fileURLWithPath: path))
        try continueDownload()
        #expect(fixture.log.last == "completed 0 -1015 0" && server.requests.count == 1)
    }

    @Test("the user can remove the bytes of a download that the program keeps")
    func theUserCancelsTheRest() throws {
        let server = try ContentServer(pausesAt: 100_000)
        try setAside(server.address())
        #expect(try fixture.swiftplay("transfers", "cancel", "1").waitForExit(within: .seconds(20)).isSuccess)
        #expect(try fixture.waitForListing("cancelled").contains("keeps") == false)
        let staging = fixture.scratch.file("data/swiftplay/transfers/1")
        #expect(try FileManager.default.contentsOfDirectory(atPath: staging) == [])
        try continueDownload()
        #expect(fixture.log.last == "completed 0 -1 0" && server.requests.count == 1)
    }
}
