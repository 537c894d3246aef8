import CLinux
import CompositorProtocol
import Glibc
import SharedFrames
import SystemCalls
import TestSupport
import Testing

/// Tests programs that follow the protocol but cause the compositor as much work as possible.
@Suite("Hostile clients of the compositor: excessive work")
struct HostileWorkTests {
    @Test(
        "other programs are served while one program makes the largest picture be redrawn thousands of times"
    )
    func otherProgramsAreServedDuringConstantRedrawing() async throws {
        try await TestEnvironment.runExclusively {
            let player = try RunningPlayer("count30.mp4")
            try player.ipc.waitForProperty("picture-in-picture-possible") { $0 == true }
            let client = try HostileClient(directory: player.directory)
            let edge = FrameLayout.maximumDimension - 1
            let rings = try client.openWindow(of: HostileClient.grayFormat(edge))
            let deadline = MonotonicTime.now + 5_000_000_000
            let state = PlaybackState(isPaused: true, position: 0, duration: 0)
            var replyCount = 0
            while MonotonicTime.now < deadline {
                for _ in 0..<256 { client.sendIfThereIsRoom(.playback(session: 1, state)) }
                try player.directory.runSystemCommand(["sessions"])
                replyCount += 1
            }
            #expect(replyCount >= 3, "too few requests of the other program were answered")
            withExtendedLifetime(rings) {}
            try player.quit()
        }
    }

    @Test("the compositor sleeps although a program's frame event, a semaphore with a huge count, is always readable")
    func compositorSleepsDespiteAnAlwaysReadableEvent() async throws {
        try await TestEnvironment.runExclusively {
            let player = try RunningPlayer("count30.mp4")
            try player.ipc.waitForProperty("picture-in-picture-possible") { $0 == true }
            try player.directory.waitUntilAudioRouteIsKnown()
            let compositor = try player.compositorPID()
            let client = try HostileClient(directory: player.directory), rings = try HostileClient.Rings()
            let event = FileDescriptor(owning: try systemCall("eventfd") { eventfd(.max - 1, Int32(EFD_SEMAPHORE)) })
            client.sendHello()
            client.send(
                .openSession(session: 1, surface: .headless),
                descriptors: Array(rings.descriptors.prefix(2)) + [event.raw])
            try client.wait(for: .sessionOpened(session: 1))
            let initialTime = try ProcessUsage.processorTime(of: compositor), startTime = MonotonicTime.now
            _ = try Poll.waitReadable(-1, until: startTime + 2_000_000_000)
            let usedTime = try ProcessUsage.processorTime(of: compositor) - initialTime
            #expect(Double(usedTime) < Double(MonotonicTime.now - startTime) / 4, "\(usedTime) ns of processor time")
            // The compositor still reads the frame ring, and disconnects the program because of the false frame count.
            rings.writeFrameCount(1 << 40)
            #expect(client.isDisconnected())
            try player.quit()
        }
    }
}
