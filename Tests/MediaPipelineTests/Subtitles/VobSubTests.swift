import Foundation
import TestSupport
import Testing

@testable import MediaPipeline

@Suite struct VobSubTests {
    /// The first line of a VobSub index file.
    private static let headerLine = "# VobSub index file, v7 (do not modify this line!)\n"

    @Test func indexContainsTheEntriesOfTheSelectedLanguage() throws {
        let lines = """
            size: 720x576
            palette: 000000, ff0000
            langidx: 1
            id: en, index: 0
            timestamp: 00:00:01:000, filepos: 000000000
            id: de, index: 1
            delay: -00:00:01:500
            timestamp: 01:00:02:250, filepos: 00000a000
            timestamp: nonsense, filepos: 0
            timestamp: 01:00:03:000, filepos: -1
            """
        let index = try #require(VobSub(index: Self.headerLine + lines))
        #expect(index.entries == [VobSub.Entry(time: 3_600_750, position: 0xA000)])
        #expect(index.streamID == 0x21)
        #expect(String(decoding: index.header, as: UTF8.self) == "size: 720x576\npalette: 000000, ff0000\n")
        #expect(VobSub(index: Self.headerLine + lines.replacing("langidx: 1", with: "langidx: 7"))?.streamID == 0x20)
        #expect(VobSub(index: lines) == nil)
        #expect(VobSub(index: "") == nil)
    }

    @Test func damagedPicturesAreRejected() throws {
        let index = try #require(VobSub(index: Self.headerLine + "timestamp: 00:00:01:000, filepos: 0\n"))
        let entry = try #require(index.entries.first)
        let pictures = try [UInt8](Data(contentsOf: URL(fileURLWithPath: Fixtures.path("dvd.sub"))))
        #expect(index.picture(entry, in: pictures)?.count == 130)
        #expect(index.picture(entry, in: []) == nil)
        #expect(index.picture(VobSub.Entry(time: 0, position: .max), in: pictures) == nil)
        for size in stride(from: 0, to: 150, by: 1) {
            #expect(index.picture(entry, in: Array(pictures[..<size])) == nil)
        }
        // Parsing ends, whichever byte is damaged.
        for byteIndex in 0..<150 {
            var damagedPictures = pictures
            for value in [UInt8.min, 0x7F, .max] {
                damagedPictures[byteIndex] = value
                _ = index.picture(entry, in: damagedPictures)
            }
        }
    }

    /// Opening either file of a VobSub pair produces an opaque red box at its position on the DVD's canvas.
    @Test(arguments: ["dvd.idx", "dvd.sub"]) func vobSubPairHasTheExpectedEvents(_ name: String) throws {
        let file = try SubtitleFile.open(Fixtures.path(name), MediaOpener(policy: OpenPolicy()))
        let decoder = try SubtitleDecoder(parameters: file.parameters, origin: 0)
        var events: [SubtitleEvent] = []
        while let packet = try file.next() { events += decoder.decode(packet) }
        #expect(events.map(\.start) == [1_000_000_000, 5_000_000_000])
        #expect(events.allSatisfy { $0.end > $0.start && $0.end < .max })
        guard case .bitmaps(let bitmaps, let canvas)? = events.first?.content, let bitmap = bitmaps.first else {
            throw TestFailure("no picture")
        }
        #expect(canvas.width == 720 && canvas.height == 576)
        #expect(bitmap.rect.x == 160 && bitmap.rect.y == 400 && bitmap.rect.width == 400 && bitmap.rect.height == 48)
        #expect(
            Array(bitmap.pixels.prefix(4)) == [0, 0, 255, 255] && Array(bitmap.pixels.suffix(4)) == [0, 0, 255, 255])
    }

    @Test("delays add up within a language, and the next language starts without a delay")
    func delaysAddUpWithinALanguage() throws {
        let entry = "timestamp: 00:00:10:000, filepos: 0"
        let lines = "id: en, index: 0\ndelay: 00:00:01:000\n\(entry)\ndelay: 00:00:02:000\n\(entry)\n"
        #expect(try #require(VobSub(index: Self.headerLine + lines)).entries.map(\.time) == [11_000, 13_000])
        let german = try #require(VobSub(index: Self.headerLine + "langidx: 1\n\(lines)id: de, index: 1\n\(entry)"))
        #expect(german.entries.map(\.time) == [10_000] && german.streamID == 0x21)
    }

    @Test("delays whose sum exceeds 64 bits do not trap", arguments: ["", "-"])
    func excessiveDelaysDoNotTrap(_ sign: String) throws {
        let delays = String(repeating: "delay: \(sign)1000000:00:00:000\n", count: 3000)
        let entry = "timestamp: \(sign)1000000:00:00:000, filepos: 0\n"
        let index = try #require(VobSub(index: Self.headerLine + delays + entry))
        #expect(index.entries.count <= 1)
    }

    @Test("only the names of both files of a pair form a pair")
    func pairsHaveBothNames() {
        #expect(VobSub.pair("a/film.idx")?.pictures == "a/film.sub" && VobSub.pair("FILM.SUB")?.index == "FILM.IDX")
        for name in ["", "idx", "film.Idx", "film.idx2", "film.srt"] { #expect(VobSub.pair(name) == nil, "\(name)") }
    }
}
