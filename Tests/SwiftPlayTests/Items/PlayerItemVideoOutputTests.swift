import SystemCalls
import TestSupport
import Testing

@testable import SwiftPlay

@Suite struct PlayerItemVideoOutputTests {
    @Test func videoOutputCanSuppressThePlayersRendering() async throws {
        try await TestEnvironment.runExclusively {
            let item = PlayerItem(location: try Fixtures.path("count30.mp4"))
            let output = PlayerItemVideoOutput(), place = TestOutput()
            #expect(!output.suppressesPlayerRendering)
            output.suppressesPlayerRendering = true
            item.add(output)
            let rig = try PlayerTestRig([item])
            rig.layer.router.setOutput(place)
            rig.player.play()
            try rig.waitForFrames(10)
            #expect(output.hasNewPixelBuffer(forItemTime: item.currentTime()), "the output has no picture")
            #expect(!place.takeCalls().contains { if case .present = $0 { true } else { false } })
            #expect(!rig.layer.isReadyForDisplay && rig.layer.router.current == nil)
            // When rendering is allowed again, the layer shows the current picture at once, also during a pause.
            rig.player.pause()
            output.suppressesPlayerRendering = false
            let shown: Bool? = Deadline.poll(for: .seconds(30)) { rig.layer.isReadyForDisplay ? true : nil }
            #expect(shown == true && rig.layer.router.waitUntilIdle(until: Deadline.after(.seconds(30))))
            #expect(place.takeCalls().contains { if case .present = $0 { true } else { false } })
            output.suppressesPlayerRendering = true
            let gone: Bool? = Deadline.poll(for: .seconds(30)) { rig.layer.isReadyForDisplay ? nil : true }
            #expect(
                gone == true && rig.layer.router.current == nil
                    && rig.layer.router.waitUntilIdle(until: Deadline.after(.seconds(30))))
            #expect(place.takeCalls().last == .placeholder(nil))
            item.remove(output)
            let back: Bool? = Deadline.poll(for: .seconds(30)) { rig.layer.isReadyForDisplay ? true : nil }
            #expect(back == true)
        }
    }
}
