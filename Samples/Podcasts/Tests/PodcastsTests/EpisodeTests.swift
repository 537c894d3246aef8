import Foundation
import Testing

@testable import Podcasts

@Suite struct EpisodeTests {
    @Test(
        "a file gets a suffix of a media format, and no other that a server chooses",
        arguments: [
            ("https://a.example/x.MP3", "", "mp3"), ("https://a.example/x.sh", "audio/mpeg", "mp3"),
            ("https://a.example/x.desktop", "", "media"), ("https://a.example/", "", "media"),
        ])
    func suffixes(_ address: String, _ type: String, _ suffix: String) throws {
        var item = FeedDocument.Item(identity: "x", title: "X", media: try #require(URL(string: address)))
        item.mediaType = type
        #expect(Episode(number: 1, item: item).fileSuffix == suffix)
    }
}
