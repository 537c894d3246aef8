import TestSupport
import Testing

@testable import SwiftPlayCLI

@Suite struct PlaylistFileTests {
    /// Parses a text in Latin-1.
    private func parse(
        _ text: String, base: String = "d/list.m3u", acceptsPlainLines: Bool? = nil,
        limits: PlaylistFile.Limits = .init()
    ) throws(PlaylistFileError) -> PlaylistFile {
        let bytes = text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
        return try PlaylistFile(bytes: bytes, base: base, acceptsPlainLines: acceptsPlainLines, limits: limits)
    }

    @Test func titlesAndCommentsOfM3UAreRead() throws {
        let file = try parse(
            "#EXTM3U\r\n# comment\r\n#EXTINF:12 logo=\"a,b\",A, \u{1B}title\r\n a.mp4 \r\n\r\n#EXTGRP:x\r\n/b.mp4\r\n")
        #expect(
            file.entries == [
                PlaylistFile.Entry(location: "d/a.mp4", title: "A, title", line: 4),
                PlaylistFile.Entry(location: "/b.mp4", title: nil, line: 7),
            ])
        #expect(file.warnings.isEmpty)
    }

    @Test(arguments: ["a.mp3\nb.mp3", "a.mp3\rb.mp3\r", "\u{EF}\u{BB}\u{BF}a.mp3\r\nb.mp3", "\n\na.mp3\n\nb.mp3\n"])
    func lineEndsAndByteOrderMarkAreNoPartOfTheEntries(_ text: String) throws {
        #expect(try parse(text).entries.map(\.location) == ["d/a.mp3", "d/b.mp3"])
    }

    @Test func namesKeepTheirBytesAndTitlesBecomeText() throws {
        let file = try parse(
            "#EXTM3U\n#EXTINF:1,Tit\u{E4}l\nlat\u{E4}.mp4\n#EXTINF:1,\u{C3}\u{B6}\nl\u{C3}\u{B6}.mp4\n")
        #expect(file.entries.map(\.location) == ["file:d/lat%E4.mp4", "d/lö.mp4"])
        #expect(file.entries.map(\.title) == ["Titäl", "ö"])
    }

    @Test(arguments: [false, true]) func textInUTF16IsConverted(_ isBigEndian: Bool) throws {
        let units = Array("\u{FEFF}#EXTM3U\nä.mp4".utf16)
        let bytes = units.flatMap { unit in
            let (high, low) = (UInt8(unit >> 8), UInt8(unit & 0xFF))
            return isBigEndian ? [high, low] : [low, high]
        }
        #expect(try PlaylistFile(bytes: bytes, base: "list.txt").entries.map(\.location) == ["ä.mp4"])
    }

    @Test func plsEntriesAreSortedByNumber() throws {
        let file = try parse(
            "[Playlist]\nNumberOfEntries=3\nFile10=c.mp3\nTitle2=Two\nFILE2 = b.mp3\nFile1=http://h/a\nFilex=d",
            base: "x")
        #expect(file.entries.map(\.location) == ["http://h/a", "b.mp3", "c.mp3"])
        #expect(file.entries.map(\.title) == [nil, "Two", nil] && file.entries.map(\.line) == [6, 5, 3])
    }

    @Test(arguments: ["#EXT-X-TARGETDURATION:6", "#EXT-X-STREAM-INF:BANDWIDTH=1", "#EXT-X-MEDIA-SEQUENCE:0"])
    func anHLSPlaylistIsAStream(_ tag: String) {
        #expect(throws: PlaylistFileError.stream) { try parse("#EXTM3U\n\(tag)\na.ts") }
    }

    @Test func plainLinesNeedANameOrAnOption() throws {
        #expect(throws: PlaylistFileError.unknownFormat) { try parse("a.mp4", base: "list.txt") }
        #expect(throws: PlaylistFileError.unknownFormat) { try parse("a.mp4", acceptsPlainLines: false) }
        #expect(throws: PlaylistFileError.unknownFormat) { try parse("\0\u{1}binary") }
        #expect(try parse("a.mp4", base: "list.txt", acceptsPlainLines: true).entries.count == 1)
        #expect(try parse("a.mp4", base: "http://h/LIST.M3U?a=b.txt").entries.map(\.location) == ["http://h/a.mp4"])
        #expect(PlaylistFile.isPlaylist(start: Array("#EXTM3U".utf8), location: "x"))
        #expect(!PlaylistFile.isPlaylist(start: Array("text".utf8), location: "m3u"))
    }

    @Test func aRemotePlaylistMayNotNameLocalFiles() throws {
        let file = try parse("#EXTM3U\nfile:///etc/passwd\n/etc/passwd\na.mp4", base: "http://h/x/l.m3u")
        #expect(file.entries.map(\.location) == ["http://h/etc/passwd", "http://h/x/a.mp4"])
        #expect(file.warnings == ["line 2 is skipped: a playlist from the network may not name local files"])
    }

    @Test func excessIsSkippedWithAWarning() throws {
        var limits = PlaylistFile.Limits()
        (limits.entries, limits.lineBytes, limits.titleCharacters, limits.warnings) = (2, 20, 3, 2)
        let longLine = String(repeating: "x", count: 21)
        let file = try parse("#EXTM3U\n\(longLine)\n#EXTINF:,Title\na\nb\nc\nd", limits: limits)
        #expect(file.entries.map(\.location) == ["d/a", "d/b"] && file.entries.first?.title == "Tit")
        #expect(file.warnings == ["line 2 is longer than 20 bytes", "only the first 2 entries are used"])
        let manyLongLines = String(repeating: longLine + "\n", count: 9)
        #expect(try parse(manyLongLines, limits: limits).warnings.count == 2)
        limits.bytes = 3
        #expect(throws: PlaylistFileError.tooLarge(limit: 3)) { try parse("abcd", limits: limits) }
    }

    @Test func randomTextDoesNotTrap() throws {
        var generator = SeededGenerator.printingSeed()
        let pieces = [
            "#EXTM3U", "#EXTINF:", "[playlist]", "File1=", "Title1=", "File99999999999999999999=", ",", "\"", "\n",
            "\r",
            " ", "a", "/", "..", "file:", "http://", ":", "%", "%E4", "?", "#", "\u{FF}", "\0", "\u{FE}\u{FF}",
            "\u{FF}\u{FE}",
        ]
        for _ in 0..<4000 {
            let count = Int.random(in: 0...24, using: &generator)
            let text = (0..<count).map { _ in pieces.randomElement(using: &generator) ?? "" }.joined()
            for base in ["d/list.m3u", "http://h/d/list.pls"] {
                guard let file = try? parse(text, base: base, acceptsPlainLines: true) else { continue }
                let isRemote = base.hasPrefix("http")
                #expect(
                    !isRemote || file.entries.allSatisfy { $0.location.contains("://") }, "\(text.debugDescription)")
            }
        }
    }
}
