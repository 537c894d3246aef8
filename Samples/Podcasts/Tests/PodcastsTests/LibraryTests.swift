import Foundation
import Testing

@testable import Podcasts

/// The rules by which a new version of a feed is merged.
@Suite struct LibraryTests {
    @Test func theNewestEpisodeOfANewFeedIsRequested() throws {
        let library = try FeedSamples.library(FeedSamples.item("b", day: 2), FeedSamples.item("a", day: 1))
        #expect(library.episodes.map(\.identity) == ["b", "a"])
        #expect(library.episodes.map(\.file) == [.requested, .none])
    }

    @Test func theThreeNewestNewEpisodesAreRequested() throws {
        var library = try FeedSamples.library(FeedSamples.item("a", day: 1))
        let items = (1...6).map { FeedSamples.item($0 == 1 ? "a" : "n\($0)", day: $0) }
        #expect(FeedSamples.merge(items, into: &library) == 5)
        let requested = library.episodes.filter { $0.file == .requested }.map(\.identity)
        #expect(requested == ["n6", "n5", "n4", "a"])
    }

    @Test func aKnownEpisodeKeepsWhatTheUserDid() throws {
        var library = try FeedSamples.library(FeedSamples.item("a", day: 1))
        let number = library.episodes[0].number
        library.changeEpisode(number) { ($0.file, $0.position) = (.downloaded(name: "f"), 12) }
        var item = FeedSamples.item("a", day: 1)
        item.title = "New title"
        #expect(FeedSamples.merge([item], into: &library) == 0)
        let episode = library.episodes[0]
        #expect(episode.number == number && episode.title == "New title")
        #expect(episode.fileName == "f" && episode.position == 12)
    }

    @Test("an episode that the feed lists no more stays if it was downloaded or begun")
    func listedNoMore() throws {
        var library = try FeedSamples.library(
            FeedSamples.item("a"), FeedSamples.item("b"), FeedSamples.item("c"), FeedSamples.item("d"))
        for episode in library.episodes {
            library.changeEpisode(episode.number) { $0.file = $0.identity == "a" ? .downloaded(name: "a") : .none }
            if episode.identity == "b" { library.changeEpisode(episode.number) { $0.position = 5 } }
            if episode.identity == "c" {
                library.changeEpisode(episode.number) { ($0.position, $0.isPlayed) = (5, true) }
            }
        }
        FeedSamples.merge([], into: &library)
        #expect(Set(library.episodes.map(\.identity)) == ["a", "b"])
    }

    @Test func aRepeatedIdentityCountsOnce() throws {
        let library = try FeedSamples.library(FeedSamples.item("a"), FeedSamples.item("a"), FeedSamples.item("b"))
        #expect(library.episodes.count == 2)
    }

    @Test func numbersAreNeverGivenTwice() throws {
        var library = try FeedSamples.library(FeedSamples.item("a"))
        let number = library.episodes[0].number
        library.unsubscribe(from: FeedSamples.address)
        try library.subscribe(to: FeedSamples.address)
        FeedSamples.merge([FeedSamples.item("a")], into: &library)
        #expect(library.episodes[0].number > number && library.episode(number) == nil)
    }

    @Test func aFailureLosesNothing() throws {
        var library = try FeedSamples.library(FeedSamples.item("a"))
        let before = library
        library.recordFailure(FeedSamples.address, "broken")
        #expect(library.feeds[0].failure == "broken" && library.episodes == before.episodes)
        library.recordUnchanged(FeedSamples.address, now: Date(timeIntervalSince1970: 1000))
        #expect(library == before)
    }

    @Test func aFeedThatWasRemovedMeanwhileIsNotAdded() throws {
        var library = Library(identifier: "0123abcd")
        #expect(FeedSamples.merge([FeedSamples.item("a")], into: &library) == 0)
        #expect(library.feeds.isEmpty)
    }

    @Test func aFeedIsAddedOnce() throws {
        var library = try FeedSamples.library()
        #expect(throws: PodcastsError.self) { try library.subscribe(to: FeedSamples.address) }
    }

    @Test func aFeedIsNamedByItsPlaceOrAddress() throws {
        let library = try FeedSamples.library()
        for name in ["1", "https://example.org/show/feed.xml"] { #expect(try library.feed(named: name).number == 1) }
        for name in ["0", "2", "-1", "x"] { #expect(throws: PodcastsError.self) { try library.feed(named: name) } }
    }

    @Test("a download that has failed changes nothing if the file is there, or the episode is of another library")
    func theEndOfADownload() throws {
        var library = try FeedSamples.library(FeedSamples.item("a"))
        let key = library.key(2), before = library
        library.recordFailure("x", ofDownload: LibraryKey(library: "ffffffff", number: 2))
        library.recordDownload("f", of: LibraryKey(library: "ffffffff", number: 2))
        #expect(library == before)
        library.recordFailure("x", ofDownload: key)
        #expect(library.episode(key)?.file == .failed(reason: "x"))
        library.recordDownload("f", of: key)
        library.recordFailure("x", ofDownload: key)
        #expect(library.episode(key)?.fileName == "f")
    }

    @Test("a transfer that the program has cancelled is known, also after a restart, until its end was received")
    func cancelledTransfersAreKnown() throws {
        var library = try FeedSamples.library(FeedSamples.item("a"))
        let before = library
        library.recordCancellation(ofTransfers: [4, 7], endingTransfers: [])
        library = try JSONDecoder().decode(Library.self, from: try JSONEncoder().encode(library))
        #expect(library.hasCancelled(transfer: 4) && library.hasCancelled(transfer: 7))
        #expect(!library.hasCancelled(transfer: 5))
        library.recordCancellation(ofTransfers: [9], endingTransfers: [5, 7])
        #expect([4, 5, 7, 9].map { library.hasCancelled(transfer: $0) } == [false, false, true, true])
        library.recordCancellation(ofTransfers: [], endingTransfers: [])
        #expect(library == before)
    }

    @Test("the user goes on with the episode that was played last, else with the newest one on the disk")
    func nextEpisode() throws {
        var library = try FeedSamples.library(
            FeedSamples.item("c", day: 3), FeedSamples.item("b", day: 2), FeedSamples.item("a", day: 1))
        let numbers = library.episodes.map(\.number)
        #expect(library.nextEpisode == nil)
        for number in numbers.dropFirst() { library.changeEpisode(number) { $0.file = .downloaded(name: "\(number)") } }
        #expect(library.nextEpisode?.number == numbers[1])
        library.changeEpisode(numbers[2]) { $0.lastPlayed = Date() }
        #expect(library.nextEpisode?.number == numbers[2])
        library.changeEpisode(numbers[2]) { $0.isPlayed = true }
        #expect(library.nextEpisode?.number == numbers[1])
    }

    @Test func theLastTenActivitiesAreKept() {
        var library = Library(identifier: "0123abcd")
        for number in 0..<15 { library.record(Library.Activity(date: Date(), text: "\(number)")) }
        #expect(library.activities.map(\.text) == (5..<15).map(String.init))
    }
}
