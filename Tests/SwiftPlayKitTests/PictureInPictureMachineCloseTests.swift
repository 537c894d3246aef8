import Testing

@testable import SwiftPlayKit

@Suite struct PictureInPictureMachineCloseTests {
    @Test func aCloseDuringTheStartPausesPlaybackAndClosesTheWindow() {
        var machine = PictureInPictureMachine()
        _ = machine.handle(.start(isPossible: true))
        _ = machine.handle(.granted)
        _ = machine.handle(.close)
        let actions = machine.handle(.shown)
        #expect(actions.contains(.pausePlayer) && actions.last == .callDidStop(.closed))
    }
}
