import Foundation
import TestSupport
import Testing

/// Memory is counted by a library that is put before the C library (`Tests/StandIns/allocations.c`).
@Suite("What the render thread allocates")
struct RenderAllocationTests {
    @Test("the render thread allocates nothing once it has begun, through changes of volume, pauses and seeks")
    func none() async throws {
        try await Desk.alone {
            let scratch = try Scratch(), library = try SoundStandIn.library("allocations")
            let environment = [
                "LD_PRELOAD": library, "ALLOCATIONS_THREAD": "audio sound out",
                "ALLOCATIONS_FILE": scratch.file("count"),
            ]
            let player = try RunningPlayer(
                "count30.mp4", options: ["--vo=null", "--ao=null"], environment: environment)
            for (volume, place) in [(50, 4.0), (80, 8.0), (100, 12.0)] {
                try player.ipc.setProperty("volume", .number(Double(volume)))
                try player.ipc.setProperty("pause", true)
                try player.ipc.setProperty("pause", false)
                try player.ipc.setProperty("time-pos", .number(place))
                try player.ipc.waitForProperty("time-pos") { ($0.number ?? 0) > place + 1 }
            }
            #expect(try player.quit().isSuccess)
            let counts = try scratch.text("count").split(whereSeparator: \.isWhitespace).compactMap { Int($0) }
            try #require(counts.count == 2)
            #expect(counts[0] > 0, "its beginning was counted")
            #expect(counts[1] == 0)
        }
    }
}
