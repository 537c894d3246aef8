import TestSupport
import Testing

@testable import CompositorProtocol

@Suite struct SnapshotFileTests {
    /// Returns the bytes before the pixels of an image, as libpng writes them, and an empty `IDAT` chunk.
    private func image(width: UInt8 = 2, height: UInt8 = 1, highWidth: UInt8 = 0) -> [UInt8] {
        let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
        let header: [UInt8] = [0, 0, 0, 13] + Array("IHDR".utf8) + [0, 0, highWidth, width, 0, 0, 0, height]
        let pixels: [UInt8] = [0, 0, 0, 0] + Array("IDAT".utf8) + [0, 0, 0, 0]
        return signature + header + [8, 2, 0, 0, 0] + [0, 0, 0, 0] + pixels
    }

    @Test(
        "identifiers become file names that stay in their directory",
        arguments: [
            ("swiftplay", "swiftplay.png"), ("org.example.Podcasts", "org.example.Podcasts.png"),
            ("/usr/bin/player", "%2Fusr%2Fbin%2Fplayer.png"), ("..", "%2E..png"), (".hidden", "%2Ehidden.png"),
            ("a b%ä", "a%20b%25%C3%A4.png"), ("~", "%7E.png"),
        ])
    func namesAreSafe(identifier: String, name: String) { #expect(SnapshotFile.name(for: identifier) == name) }

    @Test(
        "an identifier without text, with control characters or too many bytes has no name",
        arguments: ["", "a\n", "\u{7F}", "a\0b", String(repeating: "x", count: 256)])
    func wrongIdentifiersHaveNoName(identifier: String) { #expect(SnapshotFile.name(for: identifier) == nil) }

    @Test func longIdentifiersHaveDifferentNames() throws {
        let start = String(repeating: "ä", count: 120)
        let first = try #require(SnapshotFile.name(for: start + "1")),
            second = try #require(SnapshotFile.name(for: start + "2"))
        #expect(first != second && first.utf8.count == 204 && first.utf8.count == second.utf8.count)
    }

    @Test("the texts of a file are those that were added", arguments: ["", "Ein Film ä", "a\nb"])
    func textsRoundTrip(title: String) throws {
        let texts = SnapshotFile.Texts(identifier: "org.example", title: title)
        let file = try #require(SnapshotFile.adding(texts, to: image()))
        #expect(SnapshotFile.texts(in: file) == texts)
        #expect(file.starts(with: image().prefix(33)) && file.suffix(12) == image().suffix(12))
    }

    @Test("the checksum of a chunk is that of the PNG specification")
    func theChecksumIsCorrect() throws {
        let texts = SnapshotFile.Texts(identifier: "a", title: "")
        let file = try #require(SnapshotFile.adding(texts, to: image()))
        // The chunk `iTXt` with the text "a" of the keyword "Software", as zlib's crc32 computes its checksum.
        let chunk: [UInt8] = [0, 0, 0, 14] + Array("iTXtSoftware".utf8) + [0, 0, 0, 0, 0, 97]
        #expect(Array(file[33..<(33 + chunk.count)]) == chunk)
        #expect(Array(file[(33 + chunk.count)...].prefix(4)) == [0xDF, 0x18, 0x8A, 0x81])
    }

    @Test func anImageWithoutIdentifierHasNoTexts() { #expect(SnapshotFile.texts(in: image()) == nil) }

    @Test func anImageThatIsTooLargeHasNoTexts() throws {
        let texts = SnapshotFile.Texts(identifier: "a", title: "")
        for image in [image(width: 1, highWidth: 2), image(width: 0), image(height: 0)] {
            #expect(SnapshotFile.texts(in: try #require(SnapshotFile.adding(texts, to: image))) == nil)
        }
        let largest = try #require(SnapshotFile.adding(texts, to: image(width: 0, highWidth: 2)))
        #expect(SnapshotFile.texts(in: largest) == texts)
    }

    @Test func bytesThatAreNoImageGetNoTexts() {
        let texts = SnapshotFile.Texts(identifier: "a", title: "")
        #expect(SnapshotFile.adding(texts, to: []) == nil)
        #expect(SnapshotFile.adding(texts, to: Array(image().prefix(33))) == nil)
        #expect(SnapshotFile.adding(texts, to: Array(image().dropFirst())) == nil)
    }

    @Test("a shortened file is read without a crash, and has texts only if both are complete")
    func shortenedFilesAreRead() throws {
        let texts = SnapshotFile.Texts(identifier: "org.example", title: "Film")
        let file = try #require(SnapshotFile.adding(texts, to: image()))
        for length in file.indices {
            let read = SnapshotFile.texts(in: Array(file.prefix(length)))
            #expect(read == nil || read?.identifier == "org.example")
        }
    }

    @Test("a damaged file is read without a crash")
    func damagedFilesAreRead() throws {
        var generator = SeededGenerator.printingSeed()
        let texts = SnapshotFile.Texts(identifier: "org.example", title: "Film")
        let file = try #require(SnapshotFile.adding(texts, to: image()))
        for _ in 0..<2000 {
            var damaged = file
            for _ in 0..<Int.random(in: 1...6, using: &generator) {
                damaged[Int.random(in: damaged.indices, using: &generator)] = .random(in: 0...255, using: &generator)
            }
            if let read = SnapshotFile.texts(in: damaged) { #expect(SnapshotFile.name(for: read.identifier) != nil) }
        }
    }
}
