import Foundation
import Glibc
import SystemCalls
import TestSupport
import Testing

/// Downloads of whole streams, with the real three processes.
@Suite struct StreamDownloadTests {
    private let fixture: BackgroundFixture

    init() throws { fixture = try BackgroundFixture() }

    /// The names in the folder of the package.
    private func names(_ package: String = "film") -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: fixture.folder + "/" + package)) ?? []).sorted()
    }

    /// Checks that the package of the small variant with English audio is complete and has the bytes of the server.
    private func expectWhole(_ package: String = "film") {
        var expected = ["master.m3u8"]
        for (local, remote) in [("video", "small"), ("audio-1", "en")] {
            for (name, path) in (0..<StreamServer.segmentCount).map({
                ("\(local)-\($0).ts", "/segments/\(remote)-\($0).ts")
            }) + [("\(local)-key-0.key", "/film/\(remote).key")] {
                #expect(fixture.content(package + "/" + name) == StreamServer.content(of: path), "\(name)")
                expected.append(name)
            }
            expected.append(local + ".m3u8")
        }
        #expect(names(package) == expected.sorted())
    }

    /// Checks that the folder is removed. The command may end before.
    private func expectNoFolder() {
        let isRemoved = Deadline.poll(for: .seconds(20)) { fixture.files.isEmpty ? true : nil }
        #expect(isRemoved == true, "\(fixture.files)")
    }

    @Test("a stream becomes a folder with the chosen variant and its default audio")
    func aStreamBecomesAFolder() throws {
        let server = try StreamServer()
        let command = try fixture.download([server.address], ["--quality", "400p"])
        #expect(try command.waitForExit(within: .seconds(20)).isSuccess)
        #expect(fixture.files == ["film"])
        expectWhole()
        #expect(!server.paths.contains { $0.contains("large") || $0.contains("de") })
        let master = String(decoding: fixture.content("film/master.m3u8") ?? [], as: UTF8.self)
        #expect(master.contains("RESOLUTION=640x360") && !master.contains("token") && !master.contains("http"))
    }

    @Test func languagesAreChosenAndAnExistingFolderStays() throws {
        let server = try StreamServer()
        try FileManager.default.createDirectory(atPath: fixture.folder + "/film", withIntermediateDirectories: false)
        let command = try fixture.download([server.address], ["--audio-language", "deu,en"])
        #expect(try command.waitForExit(within: .seconds(20)).isSuccess)
        #expect(fixture.files == ["film", "film (2)"] && names("film").isEmpty)
        let master = String(decoding: fixture.content("film (2)/master.m3u8") ?? [], as: UTF8.self)
        #expect(master.contains("NAME=\"Deutsch\"") && master.contains("NAME=\"English\""))
        #expect(fixture.content("film (2)/audio-1-0.ts") == StreamServer.content(of: "/segments/de-0.ts"))
    }

    @Test(
        "a stream continues after a crash in the middle of a segment",
        arguments: [
            ["swiftplay-transfer"], ["swiftplay-backgroundd"], ["swiftplay-backgroundd", "swiftplay-transfer"],
        ])
    func aStreamContinuesAfterACrash(of programs: [String]) throws {
        let server = try StreamServer(pausesAt: "/segments/small-1.ts")
        let command = try fixture.download([server.address], ["--quality", "400p"])
        let isPaused = Deadline.poll(for: .seconds(20)) { server.paths.contains("/segments/small-1.ts") ? true : nil }
        #expect(isPaused == true)
        #expect(names().contains("incomplete.m3u8") && !names().contains("master.m3u8"))
        for program in programs { try fixture.kill(program) }
        server.release()
        #expect(try command.waitForExit(within: .seconds(30)).isSuccess)
        expectWhole()
        // Only the interrupted segment is requested again.
        #expect(server.paths.count { $0 == "/segments/small-0.ts" } == 1)
        #expect(server.paths.count { $0.hasSuffix(".m3u8") } == 3)
    }

    @Test("a stream goes on after Ctrl-C, and is one row of the list")
    func aStreamGoesOnAfterCtrlC() throws {
        let server = try StreamServer(pausesAt: "/segments/small-2.ts")
        let command = try fixture.download([server.address], ["--quality", "400p"])
        let isPaused = Deadline.poll(for: .seconds(20)) { server.paths.contains("/segments/small-2.ts") ? true : nil }
        #expect(isPaused == true)
        command.signal(SIGINT)
        #expect(try command.waitForExit().reason == .exited(4))
        let listing = try fixture.waitForListing("66 %")
        #expect(listing.split(separator: "\n").count == 2)
        server.release()
        try fixture.waitForListing("done")
        expectWhole()
    }

    @Test func aMissingSegmentIsRequestedAgain() throws {
        let server = try StreamServer(missing: ("/segments/small-1.ts", 1))
        let command = try fixture.download([server.address], ["--quality", "400p"])
        #expect(try command.waitForExit(within: .seconds(30)).isSuccess)
        expectWhole()
    }

    @Test("a segment that stays missing ends the download with its name, and the folder is removed")
    func aSegmentThatStaysMissingEndsTheDownload() throws {
        let server = try StreamServer(missing: ("/segments/small-1.ts", 1000))
        let command = try fixture.download([server.address], ["--quality", "400p"])
        // The user who resumes a waiting transfer does not wait for the next attempt.
        let hasFailed = try Deadline.poll(for: .seconds(60), every: .milliseconds(100)) { () -> Bool? in
            _ = try fixture.swiftplay("transfers", "resume", "all").waitForExit(within: .seconds(10))
            return try fixture.listing().contains("failed") ? true : nil
        }
        #expect(hasFailed == true)
        #expect(try command.waitForExit(within: .seconds(20)).reason == .exited(3))
        #expect(try fixture.listing().contains("status 404 for the part video-1.ts of the stream"))
        expectNoFolder()
    }

    @Test func aLiveStreamIsRefusedWithTheReason() throws {
        let server = try StreamServer()
        let command = try fixture.download([server.liveAddress])
        #expect(try command.waitForExit(within: .seconds(20)).reason == .exited(3))
        #expect(command.output.text.contains("live"))
        expectNoFolder()
    }

    @Test("a file that is downloaded as a stream fails with the options to omit", arguments: [64, 2100])
    func aFileInPlaceOfAStreamFails(blockCount: Int) throws {
        // 2100 blocks of 4 KiB are larger than a playlist may be.
        let server = try ContentServer(blockCount: blockCount)
        let command = try fixture.download([server.address()], ["--quality", "720p"])
        #expect(try command.waitForExit(within: .seconds(20)).reason == .exited(3))
        #expect(command.output.text.contains("; for a file, omit --stream, --quality"), "\(command.output.text)")
        expectNoFolder()
    }

    @Test func aCancelledStreamLeavesNoFolder() throws {
        let server = try StreamServer(pausesAt: "/segments/small-1.ts")
        let command = try fixture.download([server.address], ["--quality", "400p"])
        let isPaused = Deadline.poll(for: .seconds(20)) { server.paths.contains("/segments/small-1.ts") ? true : nil }
        #expect(isPaused == true)
        _ = try fixture.swiftplay("transfers", "cancel", "all").waitForExit(within: .seconds(10))
        #expect(try command.waitForExit(within: .seconds(20)).reason == .exited(3))
        expectNoFolder()
    }

    @Test("a program receives the events of a package in Apple's order, also when it was killed meanwhile")
    func aProgramReceivesTheEventsOfAPackage() throws {
        let server = try StreamServer(pausesAt: "/segments/large-1.ts")
        let program = try fixture.probe(["streams", server.address])
        try fixture.waitForLog("loaded 2 of 6")
        program.signal(SIGKILL)
        _ = try program.waitForExit()
        server.release()
        try fixture.waitForLog("finished-events")
        let path = try #require(FilePath(fixture.folder)?.resolved?.text) + "/Film 0"
        #expect(fixture.log.prefix(3) == ["start user", "will-download \(path)", "loaded 2 of 6"])
        // The new process may learn the progress before the end.
        let log = fixture.log.filter { !$0.hasPrefix("loaded") && !$0.hasPrefix("will-download") }
        #expect(
            log.suffix(5) == [
                "start background", "handle-events streams", "package film0 \(path)", "completed 1 0 200",
                "finished-events",
            ])
        #expect(names("Film 0").contains("master.m3u8"))
    }
}
