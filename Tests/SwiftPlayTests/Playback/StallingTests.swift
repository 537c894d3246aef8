import Foundation
import SystemCalls
import TestSupport
import Testing

@testable import SwiftPlay

/// Tests the playback of a file that arrives through a pipe at a speed that the test controls.
@Suite struct StallingTests {
    /// Writes the beginning of a clip to a named pipe, and the rest on request.
    private final class PipeWriter {
        let path: String
        private let directory: String
        /// Whether the writing thread may write the rest of the clip.
        private let mayWriteRest = Monitor(false)
        private var thread: NamedThread?
        /// A descriptor that is kept open, so that the pipe always has a reader. Without a reader, SIGPIPE would end
        /// the process.
        private let reader: Int32

        /// Creates the pipe, and starts a thread that writes the beginning of a clip to it.
        ///
        /// - Parameters:
        ///   - firstFraction: The fraction of the clip that is written immediately, from 0 to 1.
        ///   - totalFraction: The fraction of the clip that is written in total, from 0 to 1.
        init(_ clip: String, firstFraction: Double, totalFraction: Double) throws {
            let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: Fixtures.path(clip))))
            let directoryURL = FileManager.default.temporaryDirectory.appendingPathComponent(
                "swiftplay-stall-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: directoryURL, withIntermediateDirectories: true)
            (directory, path) = (directoryURL.path, directoryURL.appendingPathComponent("clip.ts").path)
            try #require(mkfifo(path, 0o600) == 0)
            reader = open(path, O_RDONLY | O_NONBLOCK)
            try #require(reader >= 0)
            let firstByteCount = Int(Double(bytes.count) * firstFraction),
                totalByteCount = Int(Double(bytes.count) * totalFraction)
            thread = try NamedThread("feeder") { [path, mayWriteRest] in
                let pipe = open(path, O_WRONLY)
                guard pipe >= 0 else { return }
                defer { close(pipe) }
                var writtenByteCount = 0
                while writtenByteCount < totalByteCount {
                    if writtenByteCount == firstByteCount {
                        _ = mayWriteRest.wait(until: Deadline.after(.seconds(60))) { $0 ? true : nil }
                    }
                    let limit = writtenByteCount < firstByteCount ? firstByteCount : totalByteCount
                    let end = writtenByteCount + min(limit - writtenByteCount, 65_536)
                    let n = bytes[writtenByteCount..<end].withUnsafeBytes { write(pipe, $0.baseAddress, $0.count) }
                    guard n > 0 else { return }
                    writtenByteCount += n
                }
            }
        }

        /// Lets the writing thread write the rest of the clip.
        func writeRest() { mayWriteRest.update { $0 = true } }

        /// Ends the writing thread and deletes the pipe.
        func stopWriting() {
            writeRest()
            // Drain the pipe, so that the writing thread does not block.
            var drainBuffer = [UInt8](repeating: 0, count: 65_536)
            while true {
                var entries = [Poll.Entry(reader)]
                guard (try? Poll.wait(&entries, until: Deadline.after(.seconds(60)))) != nil else { break }
                guard read(reader, &drainBuffer, drainBuffer.count) > 0 else { break }
            }
            thread?.join()
            close(reader)
            try? FileManager.default.removeItem(atPath: directory)
        }
    }

    @Test func playerWaitsForSlowDataAndContinues() async throws {
        try await TestEnvironment.runExclusively {
            let pipeWriter = try PipeWriter("count30.ts", firstFraction: 0.15, totalFraction: 0.3)
            let fixture = try PlayerFixture([PlayerItem(location: pipeWriter.path)])
            fixture.player.actionAtItemEnd = .pause
            fixture.player.rate = 2
            try fixture.wait(for: "stalled")
            // A busy machine may cause earlier stalls, before the pipe is empty.
            let player = fixture.player
            let isEmpty: Bool? = Deadline.poll(for: .seconds(60)) {
                player.timeControlStatus == .waitingToPlayAtSpecifiedRate
                    && player.currentItem?.isPlaybackBufferEmpty == true
                    && player.currentTime().seconds > 2 ? true : nil
            }
            #expect(isEmpty == true && player.reasonForWaitingToPlay == .toMinimizeStalls && player.rate == 2)
            // The clock of a stalled player is stopped.
            let stalledTime = player.currentTime()
            #expect(player.currentTime() == stalledTime && stalledTime.seconds < 4)
            let shownFrameCount = fixture.shownFrameTimes.count
            pipeWriter.writeRest()
            try fixture.wait(for: "playedToEnd")
            let times = fixture.shownFrameTimes
            #expect(zip(times, times.dropFirst()).allSatisfy { $0 < $1 }, "each frame is shown once, in order")
            #expect(
                times.count > shownFrameCount + 60
                    && fixture.player.currentItem?.accessLog()?.events.map(\.numberOfStalls).reduce(0, +) ?? 0 >= 1)
            fixture.player.close()
            pipeWriter.stopWriting()
        }
    }

    @Test func playerThatDoesNotWaitIsPausedByAStall() async throws {
        try await TestEnvironment.runExclusively {
            let pipeWriter = try PipeWriter("count30.ts", firstFraction: 0.15, totalFraction: 0.3)
            let fixture = try PlayerFixture([PlayerItem(location: pipeWriter.path)])
            fixture.player.automaticallyWaitsToMinimizeStalling = false
            fixture.player.rate = 2
            try fixture.wait(for: "stalled")
            #expect(fixture.player.timeControlStatus == .paused && fixture.player.rate == 0)
            let shownFrameCount = fixture.shownFrameTimes.count
            pipeWriter.writeRest()
            fixture.player.playImmediately(atRate: 2)
            try fixture.waitForFrames(shownFrameCount + 30)
            #expect(fixture.player.timeControlStatus == .playing)
            fixture.player.close()
            pipeWriter.stopWriting()
        }
    }
}
