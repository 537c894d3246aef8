import Foundation
import Glibc
import TestSupport
import Testing

/// One day of the sample Podcasts, with the real program and the real services.
@Suite struct PodcastsDayTests {
    private let fixture: PodcastsFixture
    private let server: PodcastServer
    private let audio: [UInt8]

    init() throws {
        fixture = try PodcastsFixture()
        func bytes(_ name: String) throws -> [UInt8] {
            Array(try Data(contentsOf: URL(filePath: try Fixtures.path(name))))
        }
        server = try PodcastServer(picture: try bytes("still-5.png"))
        audio = try bytes("vbr.mp3")
    }

    @Test("a day: subscription, fetch, a kill during a download, a notification, playback, the end of a subscription")
    func aDay() throws {
        try subscribe()
        try fetchInTheBackground()
        try killDuringADownload()
        try receiveANotification()
        try play()
        try refreshABrokenFeed()
        try unsubscribe()
    }

    @Test("a download that the user cancels among the transfers has failed")
    func aCancelledDownloadHasFailed() throws {
        server.publish("one.mp3", audio, isPaused: true)
        server.publish("two.mp3", audio)
        try fixture.podcasts("subscribe", server.feed)
        try fixture.podcasts("download")
        let program = try fixture.start("Podcasts", ["download", "2"])
        let isDownloading = Deadline.poll(for: .seconds(20)) { server.requests(for: "one.mp3").isEmpty ? nil : true }
        #expect(isDownloading == true)
        let line = try fixture.swiftplay("transfers").split(separator: "\n").first { $0.contains("Episode 1") }
        let transfer = try #require(line?.split(separator: " ").first)
        try fixture.swiftplay("transfers", "cancel", String(transfer))
        #expect(try program.waitForExit(within: .seconds(20)).reason == .exited(1))
        #expect(program.output.text.contains("2  failed: cancelled\n"))
        #expect(try fixture.podcasts("episodes", "1").contains("[the download has failed: cancelled]"))
        server.release()
    }

    @Test("a download that the user cancels while the program does not run has failed, and is not repeated")
    func aDownloadThatIsCancelledWithoutTheProgramHasFailed() throws {
        server.publish("one.mp3", audio, isPaused: true)
        try fixture.podcasts("subscribe", server.feed)
        let isDownloading = Deadline.poll(for: .seconds(20)) { server.requests(for: "one.mp3").isEmpty ? nil : true }
        #expect(isDownloading == true)
        try fixture.waitForEnd()
        let line = try fixture.swiftplay("transfers").split(separator: "\n").first { $0.contains("Episode 1") }
        let transfer = try #require(line?.split(separator: " ").first)
        try fixture.swiftplay("transfers", "cancel", String(transfer))
        // The service starts the program, which receives the end of the transfer and compares.
        try fixture.wait(for: "transfers: 0 episodes on the disk") { try fixture.podcasts("status") }
        #expect(try fixture.podcasts("episodes", "1").contains("[the download has failed: cancelled]"))
        try fixture.waitForEnd()
        let transfers = try fixture.swiftplay("transfers").split(separator: "\n").filter { $0.contains("Episode 1") }
        #expect(transfers.count == 1 && server.requests(for: "one.mp3").count == 1, "\(transfers)")
        server.release()
    }

    @Test("one start of the program handles all events, also those that do not fit into one window")
    func manyEventsAreHandledAtOnce() throws {
        // Each transfer has two events, and the service sends 64 events at a time.
        for number in 1...50 { server.publish("\(number).mp3", Array("audio".utf8), isPaused: number < 50) }
        try fixture.podcasts("subscribe", server.feed)
        try fixture.podcasts("download")
        try fixture.waitForEnd()
        let program = try fixture.start("Podcasts", ["download"] + (2...51).map(String.init))
        // All transfers were started; four of them are served.
        let areStarted = try Deadline.poll(for: .seconds(30), every: .milliseconds(100)) { () -> Bool? in
            let lines = try fixture.swiftplay("transfers").split(separator: "\n")
            return lines.count { $0.contains("waiting for its turn") } == 45 ? true : nil
        }
        #expect(areStarted == true)
        program.signal(SIGKILL)
        _ = try program.waitForExit()
        server.release()
        let status = try fixture.wait(for: "transfers: 50 episodes on the disk") { try fixture.podcasts("status") }
        let summaries = status.split(separator: "\n").filter { $0.contains("  transfers: ") }
        #expect(summaries.count { !$0.hasSuffix(" 1 episode on the disk") } == 1, "\(summaries)")
    }

    private func subscribe() throws {
        server.publish("one.mp3", audio)
        #expect(try fixture.podcasts("subscribe", server.feed) == "subscribed to Small talk: 1 episode\n")
        try fixture.podcasts("download")
        #expect(try fixture.podcasts("episodes", "1") == "2  2025-06-10  Episode 1  [on the disk]\n")
        #expect(fixture.media.contains { $0.key.hasSuffix("-2.mp3") && $0.value == audio })
        try fixture.waitForEnd()
    }

    /// The service starts the program, which finds a new episode and requests its file.
    private func fetchInTheBackground() throws {
        server.publish("two.mp3", audio, isPaused: true)
        #expect(try fixture.swiftplay("background", "fetch", PodcastsFixture.identifier).contains("new data"))
        #expect(server.requests(for: "feed.xml").last?.fields["if-none-match"] != nil)
        #expect(try fixture.podcasts("status").contains("downloading 3  Episode 2"))
        // The service holds back transfers that a program creates without the user.
        #expect(try fixture.swiftplay("transfers").contains("or when the program is opened"))
        // The title is that of the first episode if its picture is younger than 10 s.
        try fixture.wait(for: "org.example.podcasts: not running\n  Small talk: Episode") {
            try fixture.swiftplay("overview")
        }
        try fixture.waitForEnd()
    }

    /// The download goes on without the program, which is started when the file is complete.
    private func killDuringADownload() throws {
        let program = try fixture.start("Podcasts", ["download"])
        let isDownloading = Deadline.poll(for: .seconds(20)) { server.requests(for: "two.mp3").isEmpty ? nil : true }
        #expect(isDownloading == true)
        program.signal(SIGKILL)
        _ = try program.waitForExit()
        server.release()
        try fixture.wait(for: "transfers: 2 episodes on the disk") { try fixture.podcasts("status") }
        #expect(fixture.media.contains { $0.key.hasSuffix("-3.mp3") && $0.value == audio })
        #expect(server.requests(for: "two.mp3").count == 1)
        try fixture.waitForEnd()
    }

    private func receiveANotification() throws {
        server.publish("three.mp3", audio)
        let payload = "{\"aps\":{\"content-available\":1},\"feed\":\"\(server.feed)\"}"
        try fixture.swiftplay("push", "send", "--to", PodcastsFixture.identifier, payload)
        try fixture.wait(for: "notification: 1 new episode") { try fixture.podcasts("status") }
        // The user opens the program, so that the download begins.
        try fixture.waitForEnd()
        try fixture.podcasts("download")
        #expect(try fixture.podcasts("status").contains("3 episodes on the disk"))
    }

    /// The desktop sees what plays, and the next start goes on where the episode was left.
    private func play() throws {
        let program = try fixture.start("Podcasts", ["play", "3"])
        #expect(program.output.wait(for: "Small talk: Episode 2\n"))
        let name = "swiftplay.instance\(program.pid)"
        try fixture.wait(for: "Small talk - Episode 2") {
            (try? fixture.bus.playerctl("metadata", "--format", "{{artist}} - {{title}}", player: name)) ?? ""
        }
        try fixture.wait(for: "plays audio") { try fixture.swiftplay("overview") }
        try fixture.bus.playerctl("position", "7", player: name)
        try fixture.bus.playerctl("pause", player: name)
        try fixture.wait(for: "[on the disk, left at 0:07]") { try fixture.podcasts("episodes", "1") }
        program.signal(SIGKILL)
        _ = try program.waitForExit()
        let next = try fixture.start("Podcasts", ["play"])
        #expect(next.output.wait(for: "Small talk: Episode 2 from 0:07\n"))
        next.signal(SIGTERM)
        #expect(try next.waitForExit().isSuccess)
    }

    /// A feed that is cut off is refused, and loses no episode.
    private func refreshABrokenFeed() throws {
        let episodes = try fixture.podcasts("episodes", "1")
        server.cutFeed()
        let refresh = try fixture.start("Podcasts", ["refresh"])
        #expect(try refresh.waitForExit(within: .seconds(20)).reason == .exited(1))
        #expect(refresh.output.text.contains("the feed cannot be read: it is not well-formed XML"))
        #expect(try fixture.podcasts("list").contains("the last refresh has failed: the feed cannot be read"))
        #expect(try fixture.podcasts("episodes", "1") == episodes)
    }

    private func unsubscribe() throws {
        #expect(!fixture.media.isEmpty)
        #expect(try fixture.podcasts("unsubscribe", "1") == "unsubscribed from Small talk\n")
        #expect(fixture.media.isEmpty)
    }
}
