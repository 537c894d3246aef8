import SharedFrames
import Testing

@testable import VideoOutput

@Suite struct WindowSizingTests {
    private let monitor = PixelRect(x: 0, y: 0, width: 1920, height: 1080)
    private let picture = PixelSize(width: 640, height: 360)

    /// Returns the size of a window for a picture of 640x360 pixels with rules that `change` sets.
    private func windowSize(displayScale: Double = 1, _ change: (inout WindowSizing) -> Void) -> PixelSize {
        var sizing = WindowSizing()
        change(&sizing)
        return sizing.frame(picture: picture, monitor: monitor, displayScale: displayScale).size
    }

    @Test(arguments: [
        ("50%", 960, 540), ("1000", 1000, 563), ("70%x60%", 1152, 648), ("x720", 1280, 720), ("320x1000", 320, 180),
        ("1000x180", 320, 180),
    ])
    func autofitFitsTheWindowIntoASize(_ text: String, _ width: Int, _ height: Int) {
        #expect(windowSize { $0.fittedSize = WindowGeometry(parsing: text) } == PixelSize(width: width, height: height))
    }

    @Test func limitsChangeOnlyWindowsBeyondThem() {
        #expect(
            windowSize { $0.largestSize = WindowGeometry(parsing: "320x300") } == PixelSize(width: 320, height: 180))
        #expect(windowSize { $0.largestSize = WindowGeometry(parsing: "90%x80%") } == picture)
        // The window grows until both its width and its height reach the smallest size.
        #expect(
            windowSize { $0.smallestSize = WindowGeometry(parsing: "500x500") } == PixelSize(width: 889, height: 500))
        #expect(
            windowSize { $0.smallestSize = WindowGeometry(parsing: "1000x500") } == PixelSize(width: 1000, height: 563))
        #expect(windowSize { $0.smallestSize = WindowGeometry(parsing: "10%") } == picture)
    }

    @Test func scalesMultiplyAndGeometryHasPriority() {
        #expect(windowSize { $0.scale = 0.5 } == PixelSize(width: 320, height: 180))
        #expect(windowSize(displayScale: 1.5) { $0.scale = 2 } == PixelSize(width: 1920, height: 1080))
        #expect(windowSize(displayScale: 2) { $0.appliesDisplayScale = false } == picture)
        #expect(
            windowSize(displayScale: 2) {
                $0.geometry = WindowGeometry(parsing: "600")
                $0.fittedSize = WindowGeometry(parsing: "300")
                $0.scale = 3
            } == PixelSize(width: 600, height: 338))
        #expect(windowSize { $0.scale = 1e9 } == PixelSize(width: 1920, height: 1079))
        #expect(windowSize { $0.scale = 1e-9 } == PixelSize(width: 1, height: 1))
    }

    @Test func percentagesAndPositionsReferToTheMonitor() {
        var sizing = WindowSizing()
        let monitor = PixelRect(x: 1920, y: 200, width: 1280, height: 720)
        let workArea = PixelRect(x: 1920, y: 230, width: 1280, height: 690)
        sizing.fittedSize = WindowGeometry(parsing: "50%")
        #expect(
            sizing.frame(picture: picture, monitor: monitor, available: workArea)
                == PixelRect(x: 2240, y: 395, width: 640, height: 360))
        sizing.geometry = WindowGeometry(parsing: "-0+0")
        #expect(
            sizing.frame(picture: picture, monitor: monitor, available: workArea)
                == PixelRect(x: 2560, y: 200, width: 640, height: 360))
    }

    @Test func theAspectRatioIsThatOfThePictureUnlessGeometryGivesBothLengths() {
        var sizing = WindowSizing()
        let window = PixelSize(width: 600, height: 600)
        #expect(sizing.aspect(picture: picture, window: window) == picture)
        #expect(sizing.aspect(picture: PixelSize(width: 0, height: 0), window: window) == window)
        sizing.geometry = WindowGeometry(parsing: "600")
        #expect(sizing.aspect(picture: picture, window: window) == picture)
        sizing.geometry = WindowGeometry(parsing: "600x600")
        #expect(sizing.aspect(picture: picture, window: window) == window)
    }
}
