import Foundation
import Glibc
import SharedFrames
import SystemCalls
import TestSupport
import Testing

@testable import MediaPipeline

/// Tests of video decoders that are replaced during playback because the limit of threads changes.
@Suite(.serialized) struct DecoderReplacingTests {
    /// The presentation time of a frame, and the checksums of the frame's decoded pictures.
    private struct FrameChecksums: Equatable {
        let time: Int64
        let checksums: [DecodedPicture]
    }

    /// Decodes a file, and returns the times and the checksums of all its frames.
    ///
    /// - Parameter change: Called after each frame with the source and the number of frames read so far.
    private func frameChecksums(
        _ name: String, change: (LocalMediaSource, Int) -> Void = { _, _ in }
    ) throws -> [FrameChecksums] {
        let reader = try MediaReader(try Fixtures.path(name)) {
            ($0.checksumHash, $0.frameLimit) = (.md5, 1)
        }
        var frameChecksums: [FrameChecksums] = []
        while let frame = try reader.next() {
            frameChecksums.append(FrameChecksums(time: frame.presentationTime, checksums: frame.decodedPictures))
            change(reader.source, frameChecksums.count)
        }
        return frameChecksums
    }

    @Test(
        "frequent changes of the thread limit do not change the frames",
        arguments: [
            "count30.mp4", "count30.ts", "count30.mkv", "count30.webm", "interlaced.mkv", "film.avi", "x264-444.mp4",
        ])
    func decoderReplacementLosesNoFrame(name: String) throws {
        let expected = try frameChecksums(name)
        let actual = try frameChecksums(name) { source, frameCount in
            source.setDecoderThreadLimit(frameCount % 14 < 7 ? 1 : nil)
        }
        #expect(expected.count > 40 && actual == expected)
    }

    @Test("a thread limit of 1 ends the additional threads of the decoder")
    func replacedDecoderEndsItsThreads() throws {
        var threadCountBefore = 0, threadCountAfter = 0
        let decodedFrameCount = try frameChecksums("count30.mp4") { source, frameCount in
            if frameCount == 5 {
                threadCountBefore = Self.decoderThreadCount
                source.setDecoderThreadLimit(1)
            }
            if frameCount == 590 { threadCountAfter = Self.decoderThreadCount }
        }.count
        #expect(decodedFrameCount == 600)
        #expect(threadCountBefore > 1 && threadCountAfter == 1, "\(threadCountBefore) \(threadCountAfter)")
    }

    @Test("one thread decodes if the player saves threads, but all threads decode after a seek")
    func oneThreadDecodesUntilASeek() throws {
        let reader = try MediaReader(try Fixtures.path("count30.mp4")) { $0.frameLimit = 1 }
        func threadCount(after frameCount: Int) throws -> Int {
            for _ in 0..<frameCount { _ = try #require(try reader.next()) }
            return Self.decoderThreadCount
        }
        let countAtStart = try threadCount(after: 5)
        var demand = DecodingDemand()
        (demand.loopFiltering, demand.savesThreads) = (.referencesOnly, true)
        reader.source.setDecodingDemand(demand)
        let countWhenSmall = try threadCount(after: 120)
        reader.source.seek(SeekRequest(time: 2_000_000_000, precision: .exact, generation: 1))
        let countAfterSeek = try threadCount(after: 1)
        let countLater = try threadCount(after: 270)
        #expect(countAtStart > 1)
        #expect(countWhenSmall == 1 && countAfterSeek == countAtStart && countLater == 1)
    }

    @Test("while threads are limited, FFmpeg's threads have a lower priority than the thread that feeds them")
    func threadsHaveALowerPriorityWhileTheyAreLimited() throws {
        let usualNiceValue = getpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0)
        let reader = try MediaReader(try Fixtures.path("count30.mp4")) { ($0.decoderThreads, $0.frameLimit) = (2, 1) }
        var loweredPriorityFlags: [Bool] = []
        // A decoder is replaced at the next keyframe, which is at most 60 frames away.
        for limit in [nil, 2, nil] as [Int?] {
            reader.source.setDecoderThreadLimit(limit)
            for _ in 0..<120 { _ = try #require(try reader.next()) }
            let niceValues = Self.decoderNiceValues
            #expect(niceValues.contains(usualNiceValue))
            loweredPriorityFlags.append(
                niceValues.contains(usualNiceValue + ThreadPriority.backgroundDecoding.rawValue))
        }
        #expect(loweredPriorityFlags == [false, true, false])
    }

    /// The nice values of the threads that decode video in this process.
    private static var decoderNiceValues: Set<Int32> {
        let which = __priority_which_t(PRIO_PROCESS.rawValue)
        return Set(
            decoderThreads.compactMap { id_t($0) }.compactMap { id in
                // The thread may have ended since it was listed.
                errno = 0
                let value = getpriority(which, id)
                return errno == 0 ? value : nil
            })
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
