import CompositorProtocol
import SharedFrames
import Testing
import VideoOutput
import WireFormat

@testable import SwiftPlay

@Suite("Whether a film holds the desktop's lock screen back") struct FrameRouterScreenTests {
    private func state(_ output: (any VideoOutput)?, _ destination: FrameRouter.Destination, floats: Bool) throws
        -> FrameRouter.State
    {
        let (ours, _) = try MessageSocket.pair()
        var state = FrameRouter.State()
        state.layer.output = output
        state.plan.wantsScreenOn = true
        state.plan.route.destination = destination
        state.floating.remote = try RemotePicture(
            session: 1, socket: ours, version: ProtocolVersion.current, isOnDesktop: floats)
        return state
    }

    @Test(
        "in a floating window it does, whatever the player is drawn on",
        arguments: [FrameRouter.Destination.both, .remote])
    func floatingWindow(destination: FrameRouter.Destination) throws {
        for output in [nil, HeadlessOutput(), TestOutput()] as [(any VideoOutput)?] {
            #expect(try state(output, destination, floats: true).keepsDesktopAwake)
            #expect(
                try !state(output, destination, floats: false).keepsDesktopAwake, "a corner of a terminal, or nowhere")
        }
    }

    @Test func withoutAWindowItDoesNot() throws {
        for output in [nil, HeadlessOutput()] as [(any VideoOutput)?] {
            #expect(try !state(output, .layer, floats: true).keepsDesktopAwake)
        }
    }

    @Test func aFilmThatDoesNotPlayHoldsNothingBack() throws {
        var state = try state(nil, .remote, floats: true)
        state.plan.wantsScreenOn = false
        #expect(!state.keepsDesktopAwake)
    }

    @Test("a compositor that takes no frames has its window on the screen all the same")
    func stalled() throws {
        var state = try state(nil, .remote, floats: true)
        state.plan.setStalled(true, placeholder: nil)
        #expect(state.plan.route.feedsLayer && state.keepsDesktopAwake)
    }
}
