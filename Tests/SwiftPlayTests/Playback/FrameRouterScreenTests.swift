import CompositorProtocol
import SharedFrames
import Testing
import VideoOutput
import WireFormat

@testable import SwiftPlay

@Suite("FrameRouter: inhibition of the desktop's lock screen") struct FrameRouterScreenTests {
    /// Returns a router state in which a video plays; the floating window may be on the desktop.
    private func state(_ output: (any VideoOutput)?, _ destination: FrameRouter.Destination, isWindowOnDesktop: Bool)
        throws
        -> FrameRouter.State
    {
        let (sinkSocket, _) = try MessageSocket.pair()
        var state = FrameRouter.State()
        state.layer.output = output
        state.plan.wantsScreenOn = true
        state.plan.route.destination = destination
        state.floatingWindow.frameSink = try RemoteFrameSink(
            session: 1, socket: sinkSocket, version: ProtocolVersion.newest, isOnDesktop: isWindowOnDesktop)
        return state
    }

    @Test(
        "a video in a floating desktop window inhibits the lock screen, whatever the layer's output is",
        arguments: [FrameRouter.Destination.both, .remote])
    func floatingWindowInhibitsLockScreen(destination: FrameRouter.Destination) throws {
        for output in [nil, HeadlessOutput(), TestOutput()] as [(any VideoOutput)?] {
            #expect(try state(output, destination, isWindowOnDesktop: true).inhibitsLockScreen)
            #expect(
                try !state(output, destination, isWindowOnDesktop: false).inhibitsLockScreen,
                "the window is not on the desktop")
        }
    }

    @Test func videoWithoutADesktopWindowDoesNotInhibitTheLockScreen() throws {
        for output in [nil, HeadlessOutput()] as [(any VideoOutput)?] {
            #expect(try !state(output, .layer, isWindowOnDesktop: true).inhibitsLockScreen)
        }
    }

    @Test func pausedVideoDoesNotInhibitTheLockScreen() throws {
        var state = try state(nil, .remote, isWindowOnDesktop: true)
        state.plan.wantsScreenOn = false
        #expect(!state.inhibitsLockScreen)
    }

    @Test("a stalled compositor's window still inhibits the lock screen")
    func stalledCompositorInhibitsLockScreen() throws {
        var state = try state(nil, .remote, isWindowOnDesktop: true)
        state.plan.setStalled(true, placeholder: nil)
        #expect(state.plan.route.showsAtLayer && state.inhibitsLockScreen)
    }
}
