import SharedFrames
import Testing

@testable import VideoOutput

@Suite struct FullScreenTargetTests {
    /// A primary monitor at the right, and a smaller one at its left.
    private let monitors = [
        PixelRect(x: 1280, y: 0, width: 1920, height: 1080), PixelRect(x: 0, y: 56, width: 1280, height: 1024),
    ]
    /// A window on the smaller monitor.
    private let window = PixelRect(x: 100, y: 100, width: 640, height: 360)

    @Test(
        arguments: [(.current, 1), (.index(0), 0), (.index(1), 1), (.index(2), 1)] as [(FullScreenTarget, Int)])
    func aMonitorIsFilled(_ monitor: FullScreenTarget, _ index: Int) {
        #expect(monitor.area(of: window, monitors: monitors) == monitors[index])
    }

    @Test func allMonitorsAreFilledTogether() {
        #expect(
            FullScreenTarget.all.area(of: window, monitors: monitors)
                == PixelRect(x: 0, y: 0, width: 3200, height: 1080))
        #expect(FullScreenTarget.all.area(of: window, monitors: []) == window)
    }

    @Test func aWindowOutsideOfAllMonitorsUsesThePrimaryMonitor() {
        let lost = PixelRect(x: 9000, y: 0, width: 10, height: 10)
        #expect(FullScreenTarget.current.area(of: lost, monitors: monitors) == monitors[0])
    }

    @Test func aWindowMovesToAnotherMonitorOnly() {
        #expect(FullScreenTarget.current.placement(of: window, monitors: monitors) == nil)
        #expect(FullScreenTarget.all.placement(of: window, monitors: monitors) == nil)
        #expect(FullScreenTarget.index(1).placement(of: window, monitors: monitors) == nil)
        #expect(
            FullScreenTarget.index(0).placement(of: window, monitors: monitors)
                == PixelRect(x: 1920, y: 360, width: 640, height: 360))
        let large = PixelRect(x: 0, y: 56, width: 2400, height: 1400)
        #expect(
            FullScreenTarget.index(0).placement(of: large, monitors: monitors)
                == PixelRect(x: 1280, y: 0, width: 2400, height: 1400))
    }

    @Test func theOutermostMonitorsBoundTheScreen() {
        #expect(FullScreenTarget.outermost(of: monitors) == [0, 0, 1, 0])
        #expect(FullScreenTarget.outermost(of: [monitors[1]]) == [0, 0, 0, 0])
    }
}
