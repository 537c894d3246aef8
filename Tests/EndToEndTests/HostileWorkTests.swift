import CLinux
import CompositorProtocol
import Glibc
import SharedFrames
import SystemCalls
import TestSupport
import Testing

/// Programs that keep to the protocol and give the compositor as much work as they can.
@Suite("Hostile clients of the compositor: work")
struct HostileWorkTests {
    @Test(
        "a program has the largest picture drawn anew with each of thousands of messages: others are answered meanwhile"
    )
    func work() async throws {
        try await Desk.alone {
            let player = try RunningPlayer("count30.mp4")
            try player.ipc.waitForProperty("picture-in-picture-possible") { $0 == true }
            let client = try HostileClient(directory: player.directory)
            let edge = FrameLayout.maximumDimension - 1
            let rings = try client.openWindow(of: HostileClient.gray(edge))
            let end = MonotonicTime.now + 5_000_000_000
            let facts = PlaybackFacts(isPaused: true, position: 0, duration: 0)
            var answers = 0
            while MonotonicTime.now < end {
                for _ in 0..<256 { client.sendIfThereIsRoom(.playback(session: 1, facts)) }
                try player.directory.system(["sessions"])
                answers += 1
            }
            #expect(answers >= 3, "each is waited for")
            withExtendedLifetime(rings) {}
            try player.quit()
        }
    }

    @Test("an event that is readable for ever, a semaphore with a huge count: the compositor sleeps all the same")
    func semaphore() async throws {
        try await Desk.alone {
            let player = try RunningPlayer("count30.mp4")
            try player.ipc.waitForProperty("picture-in-picture-possible") { $0 == true }
            try player.directory.waitUntilRouteIsKnown()
            let compositor = try player.compositor()
            let client = try HostileClient(directory: player.directory), rings = try HostileClient.Rings()
            let event = FileDescriptor(owning: try systemCall("eventfd") { eventfd(.max - 1, Int32(EFD_SEMAPHORE)) })
            client.hello()
            client.send(
                .openSession(session: 1, surface: .headless),
                descriptors: Array(rings.descriptors.prefix(2)) + [event.raw])
            try client.wait(for: .sessionOpened(session: 1))
            let before = try ProcessMaps.processorTime(of: compositor), since = MonotonicTime.now
            _ = try Poll.waitReadable(-1, until: since + 2_000_000_000)
            let spent = try ProcessMaps.processorTime(of: compositor) - before
            #expect(Double(spent) < Double(MonotonicTime.now - since) / 4, "\(spent) ns of processor time")
            // It is still looked at.
            rings.claim(1 << 40)
            #expect(client.isCutOff())
            try player.quit()
        }
    }
}
