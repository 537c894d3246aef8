import SystemCalls
import Testing

@testable import MediaPipeline

@Suite struct MediaLocationTests {
    /// Returns the bytes of a text in Latin-1.
    private func latin1(_ text: String) -> [UInt8] { text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) } }

    @Test(arguments: ["film.mp4", "/a/ä b.mp4", "50%.mp4", "-", "file:x", "http://a", "a/b://c"])
    func theLocationOfAPathDenotesThePath(_ text: String) throws {
        let path = try #require(FilePath(text)), location = MediaLocation.location(of: path)
        guard case .file(let located) = try OpenPolicy().locate(location) else {
            Issue.record("\(location) is not a file")
            return
        }
        #expect(located == path || located == FilePath("./" + text))
    }

    @Test func aPathThatIsNotUTF8BecomesAFileURL() throws {
        let path = try #require(FilePath(bytes: latin1("é 100%/lat\u{E4}.mp4")))
        let location = MediaLocation.location(of: path)
        #expect(location == "file:%E9%20100%25/lat%E4.mp4")
        #expect(try OpenPolicy().locate(location) == .file(path: path))
        #expect(MediaLocation.displayed(location) == "\u{FFFD} 100%/lat\u{FFFD}.mp4")
        #expect(MediaLocation.displayedName(location) == "lat\u{FFFD}.mp4")
        #expect(MediaLocation.exported(location).hasPrefix("file:///"))
        #expect(MediaLocation.exported(location).hasSuffix("/%E9%20100%25/lat%E4.mp4"))
    }

    @Test(arguments: [
        ("a.mp4", "a.mp4"), ("lat\u{E4}.mp4", "file:lat%E4.mp4"), ("-", "-"), ("file:///a%20b", "/a b"),
        ("file:///%E4", "file:%2F"), ("file:///l\u{E4}", "file:/l%E4"), ("http://h/\u{E4}%20", "http://h/%E4%20"),
        ("rtsp://h/a", "rtsp://h/a"),
    ])
    func writtenNamesBecomeLocations(_ text: String, _ location: String) {
        let expected = location == "file:%2F" ? "file:/%E4" : location
        #expect(MediaLocation.location(written: latin1(text)) == expected)
    }

    @Test(arguments: [
        ("b.mp4", "dir/list.m3u", "dir/b.mp4"), ("b.mp4", "list.m3u", "b.mp4"), ("/b", "dir/list.m3u", "/b"),
        ("../b", "dir/list.m3u", "dir/../b"), ("-", "list.m3u", "./-"), ("b", "-", "b"),
        ("l\u{E4}", "dir/list.m3u", "file:dir/l%E4"), ("b", "file:d%E4/list.m3u", "file:d%E4/b"),
        ("file:///c%20d", "list.m3u", "/c d"), ("http://h/a b", "list.m3u", "http://h/a b"),
        ("a b:c.mp4", "http://h/x/list.m3u?q", "http://h/x/a%20b:c.mp4"), ("/r?s", "http://h/x/l", "http://h/r?s"),
        ("l\u{E4}", "https://h/x/", "https://h/x/l%E4"), ("//o/p", "https://h/x", "https://o/p"),
        ("-", "http://h/x/l", "http://h/x/-"), ("../../../a", "http://h/x/l", "http://h/a"),
        ("https://o/p", "http://h/x", "https://o/p"), ("c:/etc/passwd", "http://h/l", "http://h/c:/etc/passwd"),
    ])
    func entriesAreResolvedAgainstThePlaylist(_ reference: String, _ base: String, _ location: String) throws {
        #expect(try MediaLocation.resolve(latin1(reference), in: base) == location)
    }

    @Test(arguments: ["file:///etc/passwd", "FILE:/etc/passwd", "file:relative", "a\0b"])
    func remotePlaylistsMayNotNameLocalFiles(_ reference: String) {
        #expect(throws: MediaError.self) { try MediaLocation.resolve(Array(reference.utf8), in: "http://h/list.m3u") }
    }

    @Test func theNameOfAnAddressIsDecoded() {
        #expect(MediaLocation.displayedName("http://h/a%20b.mp4") == "a b.mp4")
        #expect(MediaLocation.displayedName("/a%20b.mp4") == "a%20b.mp4" && MediaLocation.displayedName("-") == "-")
        #expect(MediaLocation.displayedName("/") == "/" && MediaLocation.displayed("/a/b") == "/a/b")
    }
}
