import CompositorProtocol
import Foundation
import TestSupport
import Testing

/// Tests what the handling of a memory warning costs a player process, with a simulated compositor that sends one
/// warning, and a preloaded library that counts allocations (`Tests/StandIns/allocations.c`).
@Suite("Cost of a memory warning")
struct MemoryWarningCostTests {
    /// The threads on which playback depends, by the names that `/proc` shows.
    private static let mediaThreads: Set<String> = [
        "player", "presenter", "demux", "network", "sound", "audio sound out", "video decode", "audio decode",
    ]

    /// Writes a video without compression. The pictures are holes in the file, which take no disk space.
    private func writeVideo(_ path: String, width: Int, height: Int, frameCount: Int) throws {
        try Data("YUV4MPEG2 W\(width) H\(height) F25:1 Ip C420jpeg\n".utf8).write(to: URL(fileURLWithPath: path))
        let file = try #require(FileHandle(forWritingAtPath: path))
        for _ in 0..<frameCount {
            let start = try file.seekToEnd()
            try file.write(contentsOf: Data("FRAME\n".utf8))
            try file.truncate(atOffset: start + 6 + UInt64(width * height * 3 / 2))
        }
        try file.close()
    }

    /// Returns the processor time of each thread of a process in nanoseconds, by the thread's name and ID.
    private func processorTimes(of pid: Int32) throws -> [String: Int64] {
        let folder = "/proc/\(pid)/task"
        return try FileManager.default.contentsOfDirectory(atPath: folder).reduce(into: [:]) { times, id in
            // A thread may end meanwhile.
            guard let name = try? String(contentsOfFile: "\(folder)/\(id)/comm", encoding: .utf8),
                let time = try? String(contentsOfFile: "\(folder)/\(id)/schedstat", encoding: .utf8).split(
                    separator: " "
                ).first
            else { return }
            times[name.trimmingCharacters(in: .newlines) + " \(id)"] = Int64(time)
        }
    }

    /// Waits until no thread of a process has run for `period`, and returns the processor times of the threads.
    private func waitUntilIdle(_ pid: Int32, for period: Duration) throws -> [String: Int64] {
        var times = SteadyValue<[String: Int64]>(for: period)
        let isIdle = try Deadline.poll(for: .seconds(20), every: .milliseconds(20)) {
            times.isSteady(try processorTimes(of: pid)) ? true : nil
        }
        guard isIdle == true, let idleTimes = times.last else { throw TestFailure("the player is never idle") }
        return idleTimes
    }

    @Test(
        "a critical warning takes a millisecond of each media thread and 64 KiB, and releases all that is not needed",
        .measuresTime)
    func criticalWarningIsHandledCheaply() async throws {
        try await TestEnvironment.runExclusively {
            let directory = try RuntimeDirectory(), compositor = try FakeCompositor(directory: directory)
            let scratch = try TemporaryDirectory(), server = try LinkServer(scratch.path)
            let frameByteCount = 3840 * 2160 * 3 / 2
            try writeVideo(scratch.file("large.y4m"), width: 3840, height: 2160, frameCount: 6)
            try writeVideo(scratch.file("small.y4m"), width: 640, height: 360, frameCount: 70)
            let counter = try AllocationCounter(in: scratch)
            let player = try RunningPlayer(
                scratch.file("large.y4m"), options: ["--pause", "--ao=null", "--geometry=480x270"],
                directory: directory, environment: counter.environment)
            try compositor.wait { if case .hello = $0 { true } else { false } }
            try compositor.send(.interfaces(.supported))
            try compositor.send(.role(.primary))
            var reportCount = 0
            func memoryReport() throws -> MemoryReport {
                reportCount += 1
                try compositor.send(.memoryReportRequested)
                let message = try compositor.wait(times: reportCount) {
                    if case .report(.memory) = $0 { true } else { false }
                }
                guard case .report(.memory(let report)) = message else { throw TestFailure("no report: \(message)") }
                return report
            }
            let hasThreeFrames = try Deadline.poll(for: .seconds(10), every: .milliseconds(20)) {
                try memoryReport().frameBytes >= 3 * frameByteCount ? true : nil
            }
            try #require(hasThreeFrames == true)
            // After the large video, its frames are free. The small one is read from the network to its end.
            try player.ipc.command(["loadfile", .string(server.address + "/small.y4m")])
            try player.ipc.waitForProperty("path") { $0.string?.hasSuffix("small.y4m") == true }
            try player.ipc.waitForProperty("demuxer-cache-state") { $0["eof"] == true }
            // The first measurement of memory creates types that an optimised program contains.
            _ = try player.ipc.property("program-memory")
            let earlierReport = try memoryReport()
            try #require(earlierReport.frameBytes >= 3 * frameByteCount)
            // 3 s after its start the player releases memory of its own accord.
            let earlierTimes = try waitUntilIdle(player.child.pid, for: .seconds(3))
            let earlierCounts = counter.counts
            try compositor.send(.memoryPressure(.critical))
            // The player measures its memory one second after the warning.
            let times = try waitUntilIdle(player.child.pid, for: .milliseconds(1500))
            let allocatedBytes = counter.counts.map { ($0, $1.byteCount - (earlierCounts[$0]?.byteCount ?? 0)) }
            #expect((1...(64 << 10)).contains(allocatedBytes.reduce(0) { $0 + $1.1 }), "\(allocatedBytes)")
            for (thread, time) in times where Self.mediaThreads.contains(where: { thread.hasPrefix($0 + " ") }) {
                #expect(time - earlierTimes[thread, default: 0] <= 1_000_000, "\(thread)")
            }
            let report = try memoryReport(), warning = try #require(report.warning)
            // Two unused frames and 4 MiB of received bytes stay.
            #expect(report.frameBytes < 3 * frameByteCount)
            #expect(warning.level == .critical)
            #expect(warning.releasedBytes > 16 << 20)
            try player.quit()
        }
    }
}
