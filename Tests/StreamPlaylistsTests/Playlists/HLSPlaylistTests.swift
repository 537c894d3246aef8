import TestSupport
import Testing

@testable import StreamPlaylists

@Suite struct HLSPlaylistTests {
    /// Returns the error with which parsing a playlist fails; nil if the playlist is accepted.
    private func error(_ text: String, limits: PlaylistLimits = .init()) -> PlaylistError? {
        do throws(PlaylistError) {
            _ = try HLSPlaylist(Array(text.utf8), address: PlaylistSamples.address, limits: limits)
            return nil
        } catch {
            return error
        }
    }

    @Test("The first tag that only one kind of playlist has determines the kind")
    func firstSpecificTagDeterminesTheKind() throws {
        let mediaText = "\u{FEFF}#EXTM3U\r\n#EXT-X-VERSION:3\r\n#EXTINF:4,\r\n1.ts\r\n#EXT-X-TARGETDURATION:4\r\n"
        guard
            case .media(let mediaPlaylist) = try HLSPlaylist(Array(mediaText.utf8), address: PlaylistSamples.address)
        else {
            Issue.record("not a media playlist")
            return
        }
        #expect(mediaPlaylist.segments.count == 1)
        let multivariantText = "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\na.m3u8\n"
        guard
            case .multivariant(let multivariantPlaylist) = try HLSPlaylist(
                Array(multivariantText.utf8), address: PlaylistSamples.address)
        else {
            Issue.record("not a multivariant playlist")
            return
        }
        #expect(multivariantPlaylist.variants.count == 1)
    }

    @Test(
        "Other texts are not playlists",
        arguments: [
            ("", PlaylistError(.notAPlaylist)), ("\n\n", PlaylistError(.notAPlaylist)),
            ("\u{89}PNG", PlaylistError(.notAPlaylist, line: 1)),
            ("\n# EXTM3U\n", PlaylistError(.notAPlaylist, line: 2)),
            ("\r\n<!DOCTYPE html><html>", PlaylistError(.webPage, line: 2)),
            ("#EXTM3U\n", PlaylistError(.notHLS)),
            ("#EXTM3U\n#EXTINF:123,Artist - Title\nsong.mp3\n", PlaylistError(.notHLS)),
        ])
    func otherTextIsNoPlaylist(_ text: String, _ expected: PlaylistError) { #expect(error(text) == expected) }

    @Test("A playlist with tags of media playlists and of multivariant playlists is an error")
    func tagsOfMediaAndMultivariantPlaylistsAreAnErrorTogether() {
        let variantLines = "#EXT-X-STREAM-INF:BANDWIDTH=1\na.m3u8\n"
        let targetDurationLine = "#EXT-X-TARGETDURATION:4\n"
        #expect(
            error("#EXTM3U\n" + variantLines + targetDurationLine)
                == PlaylistError(.misplacedTag("EXT-X-TARGETDURATION"), line: 4))
        #expect(
            error("#EXTM3U\n" + targetDurationLine + variantLines)
                == PlaylistError(.misplacedTag("EXT-X-STREAM-INF"), line: 3))
    }

    @Test("A text larger than the limit is refused before it is parsed")
    func tooLargeTextIsRefusedBeforeItIsParsed() {
        var limits = PlaylistLimits()
        limits.bytes = 40
        let text = "#EXTM3U\n#EXT-X-TARGETDURATION:4\n#1234567"
        #expect(error(text, limits: limits) == nil)
        #expect(error(text + "8", limits: limits) == PlaylistError(.tooLarge(limit: 40)))
    }

    @Test("An error message states the line, and shortens text of the playlist")
    func errorMessageStatesTheLineAndShortensPlaylistText() {
        let attributeError = PlaylistError(.missingAttribute(tag: "EXT-X-KEY", name: "METHOD"), line: 12)
        #expect(attributeError.description == "line 12: the tag EXT-X-KEY has no attribute METHOD")
        let valueError = PlaylistError(
            .invalidValue(tag: "EXTINF", text: "a\u{1B}[2J\n" + String(repeating: "x", count: 99)))
        #expect(!valueError.description.unicodeScalars.contains { $0.value < 0x20 })
        #expect(valueError.description.utf8.count < 150)
        #expect(PlaylistError(.refusedScheme("file"), line: 3).description.contains("file: addresses"))
    }
}
