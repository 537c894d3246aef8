import Foundation
import TestSupport
import Testing

/// Tests that the audio render thread does not allocate memory, with a preloaded library that counts allocations
/// (`Tests/StandIns/allocations.c`).
@Suite("Allocations of the render thread")
struct RenderAllocationTests {
    @Test("after its start the render thread does not allocate, also during volume changes, pauses and seeks")
    func renderThreadDoesNotAllocate() async throws {
        try await TestEnvironment.runExclusively {
            let scratch = try TemporaryDirectory(), counter = try AllocationCounter(in: scratch)
            let player = try RunningPlayer(
                "count30.mp4", options: ["--vo=null", "--ao=null"], environment: counter.environment)
            for (volume, position) in [(50, 4.0), (80, 8.0), (100, 12.0)] {
                try player.ipc.setProperty("volume", .number(Double(volume)))
                try player.ipc.setProperty("pause", true)
                try player.ipc.setProperty("pause", false)
                try player.ipc.setProperty("time-pos", .number(position))
                try player.ipc.waitForProperty("time-pos") { ($0.number ?? 0) > position + 1 }
            }
            #expect(try player.quit().isSuccess)
            let count = try #require(counter.counts["audio sound out"])
            #expect(count.early > 0, "the allocations at the start of the thread were not counted")
            #expect(count.late == 0)
        }
    }
}
