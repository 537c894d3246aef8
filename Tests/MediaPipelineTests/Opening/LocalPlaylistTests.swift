import CFFmpeg
import Glibc
import SystemCalls
import Testing

@testable import MediaPipeline

@Suite struct LocalPlaylistTests {
    /// Returns a playlist that is read from a file with the given text; nil if the text is no playlist.
    ///
    /// - Parameter statedSize: The stated size of the file in bytes; nil states the actual size.
    private func playlist(_ text: String, statedSize: Int64? = nil) throws -> LocalPlaylist? {
        let bytes = Array(text.utf8)
        let file = try MemoryFile(name: "playlist", size: max(1, bytes.count))
        let mapping = try file.map(writable: true)
        mapping.base.copyMemory(from: bytes, byteCount: bytes.count)
        return LocalPlaylist(file.descriptor, size: statedSize ?? Int64(bytes.count))
    }

    /// Reads up to `count` bytes of the playlist from its current position, and returns them as text.
    private func read(_ playlist: LocalPlaylist, _ count: Int = 10_000) -> String {
        var bytes = [UInt8](repeating: 0, count: count)
        let readCount = bytes.withUnsafeMutableBytes { playlist.read(into: $0) }
        return String(decoding: bytes[..<readCount], as: UTF8.self)
    }

    @Test func aPlaylistWithAnEndTagIsUnchanged() throws {
        let text = "#EXTM3U\n#EXTINF:1,\na.ts\n#EXT-X-ENDLIST\n"
        #expect(read(try #require(try playlist(text))) == text)
    }

    @Test func endTagIsAddedToAPlaylistWithoutOne() throws {
        let text = "#EXTM3U\r\n#EXTINF:1,\r\na.ts"
        #expect(read(try #require(try playlist(text))) == text + "\n#EXT-X-ENDLIST\n")
    }

    @Test func anEndTagInsideALineIsIgnored() throws {
        let text = "#EXTM3U\n# see #EXT-X-ENDLIST\na.ts\n"
        #expect(read(try #require(try playlist(text))).hasSuffix("a.ts\n\n#EXT-X-ENDLIST\n"))
    }

    @Test func segmentsMarkedAsGapsAreListed() throws {
        let text = "#EXTM3U\n#EXT-X-GAP\n#EXTINF:1,\na.ts\nb.ts\n#EXT-X-GAPS\nc.ts\n#EXTINF:1,\n#EXT-X-GAP\nsub/d.ts\n"
        #expect(try #require(try playlist(text)).gapAddresses == ["a.ts", "sub/d.ts"])
    }

    @Test func aByteOrderMarkIsIgnored() throws {
        #expect(try playlist("\u{feff}#EXTM3U\n#EXT-X-ENDLIST\n") != nil)
    }

    @Test(arguments: ["", "#EXTM3", "EXTM3U\n", " #EXTM3U\n", "#extm3u\n", "\u{feff}#EXT"])
    func otherTextIsNoPlaylist(_ text: String) throws {
        #expect(try playlist(text) == nil)
    }

    @Test func aTooLargeFileIsNoPlaylist() throws {
        #expect(try playlist("#EXTM3U\n", statedSize: 4 << 20) != nil)
        #expect(try playlist("#EXTM3U\n", statedSize: 4 << 20 + 1) == nil)
    }

    @Test func fileShorterThanItsStatedSizeIsReadCompletely() throws {
        let text = "#EXTM3U\n#EXT-X-ENDLIST\n"
        #expect(read(try #require(try playlist(text, statedSize: 5000))) == text)
    }

    @Test func readingContinuesAfterThePreviousRead() throws {
        let playlist = try #require(try playlist("#EXTM3U\n#EXT-X-ENDLIST\n"))
        #expect(read(playlist, 7) == "#EXTM3U" && read(playlist, 5) == "\n#EXT")
        #expect(read(playlist).hasSuffix("ENDLIST\n") && read(playlist) == "")
    }

    @Test func seekingSupportsStartCurrentPositionAndEnd() throws {
        let playlist = try #require(try playlist("#EXTM3U\n#EXT-X-ENDLIST\n"))
        #expect(playlist.seek(offset: 0, whence: SEEK_SET, isSizeQuery: true) == 23)
        #expect(playlist.seek(offset: 8, whence: SEEK_SET, isSizeQuery: false) == 8)
        #expect(playlist.seek(offset: 2, whence: SEEK_CUR, isSizeQuery: false) == 10)
        #expect(playlist.seek(offset: -1, whence: SEEK_END, isSizeQuery: false) == 22)
        #expect(read(playlist) == "\n")
    }

    @Test(
        arguments: [(-1, SEEK_SET), (24, SEEK_SET), (1, SEEK_END), (-24, SEEK_END), (.max, SEEK_END), (.min, SEEK_SET)]
            as [(Int64, Int32)])
    func seekingOutOfRangeFailsAndKeepsThePosition(_ offset: Int64, _ whence: Int32) throws {
        let playlist = try #require(try playlist("#EXTM3U\n#EXT-X-ENDLIST\n"))
        #expect(playlist.seek(offset: offset, whence: whence, isSizeQuery: false) == Int64(cffmpeg_error(EINVAL)))
        #expect(playlist.seek(offset: 0, whence: SEEK_CUR, isSizeQuery: false) == 0)
    }
}
