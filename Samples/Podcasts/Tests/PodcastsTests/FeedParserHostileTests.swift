import Foundation
import Testing

@testable import Podcasts

/// Texts that are not feeds, or that try to harm the parser.
@Suite struct FeedParserHostileTests {
    private func failure(_ text: String) -> String? {
        do {
            _ = try FeedSamples.parse(text)
            return nil
        } catch { return "\(error)" }
    }

    @Test(
        "broken documents are refused with the line",
        arguments: [
            ("<rss>\n<channel>\n</rss>", "mismatched tag in line 3"), ("", "no element found in line 1"),
            ("not xml", "syntax error in line 1"), ("<rss><channel><title>cut", "no element found in line 1"),
            ("<rss/>\n<rss/>", "junk after document element in line 2"), ("\u{0}\u{1}", "not well-formed"),
            ("<rss>&nbsp;</rss>", "undefined entity in line 1"),
        ])
    func brokenDocumentsAreRefused(_ text: String, _ reason: String) {
        #expect(failure(text)?.hasPrefix("the feed cannot be read: it is not well-formed XML: \(reason)") == true)
    }

    @Test(
        "other documents are refused with the reason",
        arguments: [
            ("<html><body/></html>", "it is neither RSS nor Atom, but begins with <html>"),
            ("<!DOCTYPE html><html/>", "it is a web page"),
            (String(repeating: "<rss>", count: 5000), "it is nested too deeply"),
        ])
    func otherDocumentsAreRefused(_ text: String, _ reason: String) {
        #expect(failure(text) == "the feed cannot be read: \(reason)")
    }

    @Test("entities that stand for a large text are refused, and not expanded")
    func entitiesAreRefused() {
        let entities = (1...9).map { "<!ENTITY e\($0) \"\(String(repeating: "&e\($0 - 1);", count: 10))\">" }.joined()
        let text =
            "<!DOCTYPE rss [<!ENTITY e0 \"xxxxxxxxxx\">\(entities)]><rss><channel><title>&e9;</title></channel></rss>"
        #expect(failure(text) == "the feed cannot be read: it declares a document type, which is not supported")
    }

    @Test func filesOfTheMachineAreNotRead() {
        let text = "<!DOCTYPE rss [<!ENTITY e SYSTEM \"file:///etc/hostname\">]><rss><title>&e;</title></rss>"
        #expect(failure(text) == "the feed cannot be read: it declares a document type, which is not supported")
    }

    @Test func aLargeFeedIsRefused() {
        let data = Data(count: FeedParser.byteLimit + 1)
        #expect(throws: PodcastsError("the feed has more than 8 MiB")) {
            try FeedParser.parse(data, address: FeedSamples.address)
        }
    }

    @Test func onlyTheFirstThousandItemsAreRead() throws {
        let items = (0..<1500).map { "<item><enclosure url='https://a.example/\($0).mp3'/></item>" }.joined()
        let feed = try FeedSamples.parse(FeedSamples.rss(items))
        #expect(feed.items.count == 1000 && feed.items.last?.title == "999.mp3")
    }

    @Test func longTextsAreCut() throws {
        let title = String(repeating: "word ", count: 100_000)
        #expect(try FeedSamples.parse(FeedSamples.rss("<title>\(title)</title>")).title.count == FeedText.titleLimit)
    }

    @Test func controlCharactersDoNotReachATerminal() {
        #expect(FeedText.title("a\u{9B}31m\n b\u{7}\u{202E}c\u{1B}[2J") == "a 31m b c [2J")
    }
}
