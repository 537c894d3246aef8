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
}
