import Foundation
import Glibc
import SharedFrames
import TestSupport
import Testing

@testable import MediaPipeline

/// Tests of video decoders that are replaced during playback because the limit of threads changes.
@Suite(.serialized) struct DecoderReplacingTests {
    /// A frame: its time and the checksums of its pictures.
    private struct Picture: Equatable {
        let time: Int64
        let checksums: [DecodedPicture]
    }

    /// Decodes a file and returns its frames.
    ///
    /// - Parameter change: Called after each frame with the source and the number of frames read so far.
    private func pictures(_ name: String, change: (LocalMediaSource, Int) -> Void = { _, _ in }) throws -> [Picture] {
        let reader = try MediaReader(try Fixtures.path(name)) {
            ($0.computesChecksums, $0.frameLimit) = (true, 1)
        }
        var pictures: [Picture] = []
        while let frame = try reader.next() {
            pictures.append(Picture(time: frame.presentationTime, checksums: frame.decoded))
            change(reader.source, pictures.count)
        }
        return pictures
    }

    @Test(
        "frames are the same when the limit of threads changes all the time",
        arguments: ["count30.mp4", "count30.ts", "count30.mkv", "count30.webm", "interlaced.mkv", "film.avi"])
    func noFrameIsLost(name: String) throws {
        let expected = try pictures(name)
        let found = try pictures(name) { source, number in
            source.setDecoderThreadLimit(number % 14 < 7 ? 1 : nil)
        }
        #expect(expected.count > 40 && found == expected)
    }

    @Test("after the limit of threads has become 1, the decoder's threads have ended")
    func threadsEnd() throws {
        var before = 0, after = 0
        let count = try pictures("count30.mp4") { source, number in
            if number == 5 {
                before = Self.decoderThreadCount
                source.setDecoderThreadLimit(1)
            }
            if number == 590 { after = Self.decoderThreadCount }
        }.count
        #expect(count == 600 && before > 1 && after == 1, "\(before) \(after)")
    }

    @Test("in the background FFmpeg's threads have a lower priority, and the thread that feeds them has not")
    func backgroundThreadsHaveALowerPriority() throws {
        let usual = getpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0)
        func niceValues(limit: Int?) throws -> Set<Int32> {
            let reader = try MediaReader(try Fixtures.path("count30.mp4")) {
                ($0.decoderThreads, $0.decoderThreadLimit, $0.frameLimit) = (2, limit, 1)
            }
            for _ in 0..<5 { _ = try #require(try reader.next()) }
            return Self.decoderNiceValues
        }
        #expect(try niceValues(limit: nil) == [usual])
        #expect(try niceValues(limit: 2) == [usual, usual + 2])
    }

    /// The nice values of the threads that decode video in this process.
    private static var decoderNiceValues: Set<Int32> {
        let which = __priority_which_t(PRIO_PROCESS.rawValue)
        return Set(decoderThreads.compactMap { id_t($0) }.map { getpriority(which, $0) })
    }

    /// The number of threads that decode video in this process.
    private static var decoderThreadCount: Int { decoderThreads.count }

    /// The kernel's IDs of the threads that decode video in this process. FFmpeg's threads have the same name as the
    /// thread that started them.
    private static var decoderThreads: [String] {
        let folder = "/proc/self/task"
        let threads = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return threads.filter {
            (try? String(contentsOfFile: "\(folder)/\($0)/comm", encoding: .utf8))?.hasPrefix("video decode") == true
        }
    }
}
