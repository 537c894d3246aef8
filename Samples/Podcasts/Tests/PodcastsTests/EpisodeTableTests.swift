import Foundation
import Testing

@testable import Podcasts

@Suite struct EpisodeTableTests {
    @Test(arguments: [
        (0, "0:00"), (65.9, "1:05"), (3723, "1:02:03"), (-1, "0:00"), (.nan, "0:00"), (.infinity, "0:00"),
    ])
    func timesAreWritten(_ seconds: Double, _ text: String) { #expect(EpisodeTable.time(seconds) == text) }

    @Test func anEpisodeIsOneLine() throws {
        var library = try FeedSamples.library(FeedSamples.item("a", day: 1))
        #expect(EpisodeTable.line(library.episodes[0]) == "2  1970-01-02  A  [is being downloaded]")
        library.changeEpisode(2) { ($0.file, $0.position, $0.duration) = (.downloaded(name: "f"), 65, 90) }
        #expect(EpisodeTable.line(library.episodes[0]) == "2  1970-01-02  A  (1:30)  [on the disk, left at 1:05]")
        library.changeEpisode(2) { ($0.file, $0.isPlayed, $0.published) = (.failed(reason: "x"), true, nil) }
        #expect(
            EpisodeTable.line(library.episodes[0]) == "2  no date     A  (1:30)  [the download has failed: x, played]")
    }

    @Test func feedsAreListedWithTheirFailures() throws {
        var library = try FeedSamples.library(FeedSamples.item("a"))
        #expect(EpisodeTable.feeds(library) == ["1  Show: 1 episode, 1 not played"])
        library.recordFailure(FeedSamples.address, "x")
        #expect(EpisodeTable.feeds(library).last == "   the last refresh has failed: x")
        #expect(EpisodeTable.feeds(Library()) == ["no feeds; add one with `podcasts subscribe URL`"])
    }

    @Test func theStatusListsDownloadsAndActivities() throws {
        var library = try FeedSamples.library(FeedSamples.item("a"))
        library.record(Library.Activity(date: Date(timeIntervalSince1970: 0), text: "fetch: 1 new episode"))
        #expect(
            EpisodeTable.status(library, folder: "/f") == [
                "/f: 1 feed, 0 episodes on the disk", "downloading 2  A", "1970-01-01T00:00:00Z  fetch: 1 new episode",
            ])
    }
}
