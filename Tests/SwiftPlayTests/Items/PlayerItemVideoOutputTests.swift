import SystemCalls
import TestSupport
import Testing

@testable import SwiftPlay

@Suite struct PlayerItemVideoOutputTests {
    @Test func videoOutputCanSuppressThePlayersRendering() async throws {
        try await TestEnvironment.runExclusively {
            let item = PlayerItem(location: try Fixtures.path("count30.mp4"))
            let output = PlayerItemVideoOutput(), layerOutput = TestOutput()
            #expect(!output.suppressesPlayerRendering)
            output.suppressesPlayerRendering = true
            item.add(output)
            let fixture = try PlayerFixture([item])
            fixture.layer.router.setOutput(layerOutput)
            fixture.player.play()
            try fixture.waitForFrames(10)
            #expect(output.hasNewPixelBuffer(forItemTime: item.currentTime()), "the output has no picture")
            #expect(!layerOutput.takeCalls().contains { if case .present = $0 { true } else { false } })
            #expect(!fixture.layer.isReadyForDisplay && fixture.layer.router.currentFrame == nil)
            // When rendering is allowed again, the layer shows the current picture at once, also during a pause.
            fixture.player.pause()
            output.suppressesPlayerRendering = false
            let isShown: Bool? = Deadline.poll(for: .seconds(30)) { fixture.layer.isReadyForDisplay ? true : nil }
            #expect(isShown == true && fixture.layer.router.waitUntilIdle(until: Deadline.after(.seconds(30))))
            #expect(layerOutput.takeCalls().contains { if case .present = $0 { true } else { false } })
            output.suppressesPlayerRendering = true
            let isRemoved: Bool? = Deadline.poll(for: .seconds(30)) { fixture.layer.isReadyForDisplay ? nil : true }
            #expect(
                isRemoved == true && fixture.layer.router.currentFrame == nil
                    && fixture.layer.router.waitUntilIdle(until: Deadline.after(.seconds(30))))
            #expect(layerOutput.takeCalls().last == .placeholder(nil))
            item.remove(output)
            let isShownAgain: Bool? = Deadline.poll(for: .seconds(30)) { fixture.layer.isReadyForDisplay ? true : nil }
            #expect(isShownAgain == true)
        }
    }
}
