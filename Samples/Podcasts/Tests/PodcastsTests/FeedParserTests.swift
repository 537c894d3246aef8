import Foundation
import Testing

@testable import Podcasts

@Suite struct FeedParserTests {
    @Test func itemsOfRSSAreRead() throws {
        let feed = try FeedSamples.parse(
            FeedSamples.rss(
                """
                <title>A &amp; B</title><itunes:image href="cover.png"/>
                <item><title>One</title><guid>id-1</guid><pubDate>Tue, 10 Jun 2003 04:00:00 GMT</pubDate>
                <itunes:duration>1:02:03</itunes:duration>
                <enclosure url="https://media.example.org/1.mp3?x=1&amp;y=2" length="9" type="audio/mpeg"/></item>
                """))
        #expect(feed.title == "A & B" && feed.artwork?.absoluteString == "https://example.org/show/cover.png")
        let item = try #require(feed.items.first)
        #expect(item.identity == "id-1" && item.title == "One" && item.mediaType == "audio/mpeg")
        #expect(item.media.absoluteString == "https://media.example.org/1.mp3?x=1&y=2")
        #expect(item.published == Date(timeIntervalSince1970: 1_055_217_600) && item.duration == 3723)
    }

    @Test func entriesOfAtomAreRead() throws {
        let feed = try FeedSamples.parse(
            """
            <feed xmlns="http://www.w3.org/2005/Atom"><title>Show</title><logo>/logo.jpg</logo>
            <entry><id>urn:1</id><title>One</title><updated>2003-12-13T18:30:02Z</updated>
            <link rel="alternate" href="page.html"/><link rel="enclosure" type="audio/ogg" href="1.ogg"/></entry></feed>
            """)
        #expect(feed.title == "Show" && feed.artwork?.path == "/logo.jpg")
        let item = try #require(feed.items.first)
        #expect(item.identity == "urn:1" && item.media.absoluteString == "https://example.org/show/1.ogg")
        #expect(item.published == Date(timeIntervalSince1970: 1_071_340_202))
    }

    @Test func anItemWithoutGuidIsRecognisedByItsFile() throws {
        let feed = try FeedSamples.parse(FeedSamples.rss("<item><enclosure url=\"https://a.example/1.mp3\"/></item>"))
        #expect(feed.items.map(\.identity) == ["https://a.example/1.mp3"] && feed.items[0].title == "1.mp3")
    }

    @Test(arguments: ["", "<enclosure url=''/>", "<enclosure url='file:///etc/passwd'/>", "<enclosure url='x:y'/>"])
    func itemsWithoutFilesAreLeftOut(_ enclosure: String) throws {
        #expect(try FeedSamples.parse(FeedSamples.rss("<item><guid>1</guid>\(enclosure)</item>")).items.isEmpty)
    }

    @Test("tags of other formats with the same names do not count")
    func otherNamespacesAreIgnored() throws {
        let feed = try FeedSamples.parse(
            FeedSamples.rss(
                "<title>Show</title><x:title xmlns:x='urn:x'>Other</x:title><image><title>I</title></image>"))
        #expect(feed.title == "Show")
    }

    @Test func textInCDATAIsRead() throws {
        #expect(try FeedSamples.parse(FeedSamples.rss("<title><![CDATA[A <b> & ]]>B</title>")).title == "A <b> & B")
    }
}
