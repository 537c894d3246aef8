import SharedFrames
import Testing

@testable import VideoOutput

@Suite struct BusyIndicatorTests {
    /// One millisecond in nanoseconds.
    private let millisecond: Int64 = 1_000_000

    @Test func shortWaitShowsNoIndicator() {
        var indicator = BusyIndicator()
        #expect(indicator.step(at: 0) == nil && indicator.nextChange(after: 0) == nil)
        indicator.setWaiting(true, at: 1000 * millisecond)
        #expect(indicator.step(at: 1299 * millisecond) == nil)
        #expect(indicator.nextChange(after: 1000 * millisecond) == 1300 * millisecond)
        indicator.setWaiting(false, at: 1299 * millisecond)
        #expect(indicator.step(at: 5000 * millisecond) == nil && indicator.nextChange(after: 5000 * millisecond) == nil)
    }

    @Test func longWaitAnimatesTheIndicator() {
        var indicator = BusyIndicator()
        indicator.setWaiting(true, at: 0)
        // A second report that the player is waiting does not restart the delay after which the indicator appears.
        indicator.setWaiting(true, at: 200 * millisecond)
        #expect(indicator.step(at: 300 * millisecond) == 0 && indicator.step(at: 399 * millisecond) == 0)
        #expect(indicator.step(at: 400 * millisecond) == 1)
        #expect(indicator.nextChange(after: 410 * millisecond) == 500 * millisecond)
        var steps: Set<Int> = []
        for time in 0..<40 { if let step = indicator.step(at: Int64(time) * 100 * millisecond) { steps.insert(step) } }
        #expect(steps == Set(0..<10))
        #expect(BusyIndicator.dots(step: 3, x: 50, y: 50, radius: 10).max { $0.opacity < $1.opacity }?.opacity == 1)
    }

    @Test func aFrameDuringTheWaitRestartsTheDelay() {
        var indicator = BusyIndicator()
        indicator.didShowFrame(at: 0)
        #expect(!indicator.isWaiting)
        indicator.setWaiting(true, at: 0)
        indicator.didShowFrame(at: 250 * millisecond)
        #expect(indicator.step(at: 500 * millisecond) == nil && indicator.step(at: 550 * millisecond) == 0)
    }

    @Test func aTooSmallWindowShowsNoIndicator() {
        #expect(BusyIndicator.radius(in: PixelSize(width: 400, height: 40)) == 0)
        for size in [
            PixelSize(width: 48, height: 48), PixelSize(width: 160, height: 90), PixelSize(width: 3840, height: 2160),
        ] {
            let radius = BusyIndicator.radius(in: size)
            #expect(radius >= 12 && radius * 3 <= Double(min(size.width, size.height)))
        }
    }
}
