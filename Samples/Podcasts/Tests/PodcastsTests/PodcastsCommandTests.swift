import Foundation
import Testing

@testable import Podcasts

@Suite struct PodcastsCommandTests {
    private func action(_ arguments: String...) throws -> PodcastsCommand.Action {
        try PodcastsCommand(arguments: arguments, dataFolder: "/data").action
    }

    @Test func commandLinesAreParsed() throws {
        #expect(try action("list") == .list && action("status") == .status && action("background") == .background)
        #expect(try action("refresh") == .refresh(feed: nil) && action("refresh", "2") == .refresh(feed: "2"))
        #expect(try action("download") == .download([]) && action("download", "3", "4") == .download([3, 4]))
        #expect(try action("play") == .play(nil) && action("play", "3") == .play(3))
        #expect(try action("episodes", "1") == .episodes(feed: "1"))
        #expect(try action("unsubscribe", "1") == .unsubscribe(feed: "1"))
        #expect(try action("subscribe", FeedSamples.address.absoluteString) == .subscribe(FeedSamples.address))
    }

    @Test func theLibraryHasAnAbsolutePath() throws {
        #expect(try PodcastsCommand(arguments: ["list"], dataFolder: "/data").library == "/data/podcasts")
        let command = try PodcastsCommand(arguments: ["--library", "here", "list"], dataFolder: "/data")
        #expect(command.library == FileManager.default.currentDirectoryPath + "/here")
    }

    @Test(
        "wrong command lines are refused",
        arguments: [
            [], ["other"], ["list", "x"], ["subscribe"], ["subscribe", "feed.xml"], ["subscribe", "file:///x"],
            ["unsubscribe"], ["episodes"], ["play", "x"], ["play", "0"], ["play", "1", "2"], ["download", "x"],
            ["--library"], ["--library", "", "list"], ["--library", "x"],
        ])
    func wrongCommandLinesAreRefused(_ arguments: [String]) {
        #expect(throws: PodcastsError.self) { try PodcastsCommand(arguments: arguments, dataFolder: "/data") }
    }
}
