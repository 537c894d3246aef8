import Foundation
import TestSupport
import Testing

@testable import MediaPipeline

/// Tests of HLS playlists whose segments are encrypted, are byte ranges of one file, or are missing.
@Suite struct PlaylistPartsTests {
    private let scratch: TemporaryDirectory

    init() throws { scratch = try TemporaryDirectory() }

    /// The number of the first frame of each segment, and at the end the number of all frames.
    private static let segmentStarts = [0, 118, 238, 358, 478, 600]

    /// Splits `count30.ts` into segments of 4 s, and returns the sizes of the segments in bytes.
    ///
    /// - Parameters:
    ///   - keyFactor: The factor from which the encryption key is computed; nil does not encrypt.
    ///   - name: The name of the playlist, and the start of the names of its segments.
    private func makeSegments(keyFactor: Int? = nil, name: String = "film") throws -> [Int] {
        var options = [
            "-v", "error", "-i", try Fixtures.path("count30.ts"), "-c", "copy", "-f", "hls", "-hls_time", "4",
            "-hls_list_size", "0",
        ]
        if let keyFactor {
            try Data((0..<16).map { UInt8($0 * keyFactor + 1) }).write(
                to: URL(fileURLWithPath: scratch.file("\(name).key")))
            try Data("\(name).key\n\(scratch.file("\(name).key"))\n".utf8).write(
                to: URL(fileURLWithPath: scratch.file("info")))
            options += ["-hls_key_info_file", scratch.file("info")]
        }
        try run("ffmpeg", options + [scratch.file("\(name).m3u8")])
        return try (0..<5).map { try Data(contentsOf: URL(fileURLWithPath: scratch.file("\(name)\($0).ts"))).count }
    }

    /// Returns the frame numbers that the remaining pictures of the file show.
    private func frameNumbers(_ reader: MediaReader) throws -> [Int] {
        var numbers: [Int] = []
        while let frame = try reader.next() { numbers.append(try #require(frameNumber(of: frame))) }
        return numbers
    }

    /// Returns the reported warnings about missing parts, and the reasons for which reading stopped.
    private func warnings(_ reader: MediaReader) -> (gapWarnings: [String], stopMessages: [String]) {
        var warnings: (gapWarnings: [String], stopMessages: [String]) = ([], [])
        while let event = reader.source.events.popIfAny() {
            switch event {
            case .warning(let error): warnings.gapWarnings.append(error.message)
            case .readingStopped(let error): warnings.stopMessages.append(error.message)
            default: continue
            }
        }
        return warnings
    }

    @Test("encrypted byte ranges of one file are decrypted separately")
    func encryptedByteRangesAreDecryptedSeparately() throws {
        let sizes = try makeSegments(keyFactor: 7)
        var fileData = Data(), offset = 0
        for index in sizes.indices {
            fileData += try Data(contentsOf: URL(fileURLWithPath: scratch.file("film\(index).ts")))
        }
        try fileData.write(to: URL(fileURLWithPath: scratch.file("all.ts")))
        var playlist = "#EXTM3U\n#EXT-X-VERSION:4\n#EXT-X-TARGETDURATION:4\n"
        playlist += "#EXT-X-KEY:METHOD=AES-128,URI=\"film.key\"\n"
        for size in sizes {
            playlist += "#EXTINF:4,\n#EXT-X-BYTERANGE:\(size)@\(offset)\nall.ts\n"
            offset += size
        }
        try Data((playlist + "#EXT-X-ENDLIST\n").utf8).write(to: URL(fileURLWithPath: scratch.file("ranges.m3u8")))
        let reader = try MediaReader(scratch.file("ranges.m3u8"))
        #expect(try frameNumbers(reader) == Array(0..<600))
        #expect(warnings(reader).stopMessages == [])
    }

    @Test("a missing segment produces a warning with its position, and an error at the end", arguments: [2, 4])
    func aMissingSegmentIsReportedWithItsPosition(number: Int) throws {
        _ = try makeSegments()
        try FileManager.default.removeItem(atPath: scratch.file("film\(number).ts"))
        let reader = try MediaReader(scratch.file("film.m3u8"))
        let numbers = try frameNumbers(reader), start = Self.segmentStarts[number], end = Self.segmentStarts[number + 1]
        #expect(Array(numbers.prefix(start)) == Array(0..<start))
        // Two pictures before a segment's first keyframe cannot be decoded without the missing segment.
        if end < 600 { #expect(Array(numbers.dropFirst(start + 2)) == Array((end + 2)..<600)) }
        #expect(numbers.count == 600 - (end - start))
        let (gapWarnings, stopMessages) = warnings(reader)
        #expect(stopMessages.count == 1 && stopMessages.first?.contains("film\(number).ts") == true, "\(stopMessages)")
        let isBeforeTheLastSegment = number < 4
        #expect(
            gapWarnings.count == (isBeforeTheLastSegment ? 1 : 0)
                && gapWarnings.allSatisfy { $0.contains("from 7.") && $0.contains("to 11.") },
            "\(gapWarnings)")
    }

    @Test("a segment that the playlist marks as a gap causes no warning", arguments: [0, 2, 4])
    func aSegmentMarkedAsAGapProducesNoWarning(number: Int) throws {
        _ = try makeSegments()
        try FileManager.default.removeItem(atPath: scratch.file("film\(number).ts"))
        let playlist = try scratch.text("film.m3u8")
        let playlistWithGap = playlist.replacingOccurrences(
            of: "film\(number).ts", with: "#EXT-X-GAP\nfilm\(number).ts")
        try Data(playlistWithGap.utf8).write(to: URL(fileURLWithPath: scratch.file("film.m3u8")))
        let reader = try MediaReader(scratch.file("film.m3u8"))
        _ = try frameNumbers(reader)
        let (gapWarnings, stopMessages) = warnings(reader)
        #expect(gapWarnings.isEmpty && stopMessages.isEmpty, "\(gapWarnings) \(stopMessages)")
    }

    @Test("all segments that need a missing key are missing")
    func segmentsWithAMissingKeyAreMissing() throws {
        _ = try makeSegments(keyFactor: 7)
        _ = try makeSegments(keyFactor: 5, name: "other")
        var playlist = try scratch.text("film.m3u8").replacingOccurrences(of: "film4.ts", with: "other4.ts")
        let lastSegmentIndex = try #require(playlist.range(of: "#EXTINF", options: .backwards)?.lowerBound)
        playlist.insert(contentsOf: "#EXT-X-KEY:METHOD=AES-128,URI=\"gone.key\"\n", at: lastSegmentIndex)
        try Data(playlist.utf8).write(to: URL(fileURLWithPath: scratch.file("film.m3u8")))
        let reader = try MediaReader(scratch.file("film.m3u8"))
        #expect(try frameNumbers(reader) == Array(0..<478))
        #expect(warnings(reader).stopMessages.first?.contains("gone.key") == true)
    }

    @Test("a complete playlist causes no warning")
    func aCompletePlaylistProducesNoWarning() throws {
        _ = try makeSegments()
        let reader = try MediaReader(scratch.file("film.m3u8"))
        #expect(try frameNumbers(reader) == Array(0..<600))
        let (gapWarnings, stopMessages) = warnings(reader)
        #expect(gapWarnings.isEmpty && stopMessages.isEmpty, "\(gapWarnings) \(stopMessages)")
    }
}
