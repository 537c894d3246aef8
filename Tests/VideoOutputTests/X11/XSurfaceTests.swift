import SharedFrames
import TestSupport
import Testing

import class VideoOutput.XConnection

@testable import VideoOutput

@Suite struct XSurfaceTests {
    @Test(
        "Pictures are presented in each mode, with feedback from the Present extension",
        arguments: XPresentMode.allCases)
    func picturesArePresentedWithFeedback(mode: XPresentMode) async throws {
        try await TestEnvironment.runExclusively {
            let connection = try XConnection()
            let window = XWindow(connection: connection, frame: PixelRect(x: 40, y: 50, width: 64, height: 48))
            let surface = XSurface(
                connection: connection, window: window.id, size: PixelSize(width: 64, height: 48), mode: mode)
            window.map()
            let screen = try ScreenWatcher().connection
            var reports: [PresentFeedback] = []
            for shade: UInt8 in [0x40, 0x80, 0xc0, 0xff] {
                surface.prepare { pixels, size, stride in
                    pixels.initializeMemory(as: UInt8.self, repeating: shade, count: stride * size.height)
                }
                let presentTime = try #require(surface.present())
                let shownColour = Deadline.poll(for: .seconds(5)) {
                    screen.color(x: 60, y: 70).flatMap { $0 & 0xff == UInt32(shade) ? $0 : nil }
                }
                #expect(shownColour == UInt32(shade) * 0x010101)
                if mode != .no {
                    let report = try #require(Deadline.poll(for: .seconds(5)) { surface.takeFeedback().last })
                    #expect(
                        report.submittedTime <= presentTime && report.shownTime >= report.submittedTime
                            && report.isSynchronised == (mode == .yes)
                    )
                    reports.append(report)
                }
            }
            #expect(surface.takeFeedback().isEmpty)
            #expect(zip(reports, reports.dropFirst()).allSatisfy { $0.shownTime <= $1.shownTime })
        }
    }

    @Test(
        "A buffer that was shown twice is busy until the server has read it twice",
        arguments: [XPresentMode.auto, .no])
    func repaintedBufferIsBusy(mode: XPresentMode) async throws {
        try await TestEnvironment.runExclusively {
            let connection = try XConnection(), otherConnection = try XConnection()
            let window = XWindow(connection: connection, frame: PixelRect(x: 40, y: 50, width: 64, height: 48))
            let surface = XSurface(
                connection: connection, window: window.id, size: PixelSize(width: 64, height: 48), mode: mode,
                waitsForServer: false)
            window.map()
            surface.prepare { _, _, _ in }
            try #require(surface.present() != nil)
            // The server has read the buffer once, and its report about that has arrived but is not handled yet.
            connection.sync()
            let (isRepainted, isReady) = otherConnection.withServerGrabbed { (surface.repaint(), surface.isReady) }
            #expect(isRepainted)
            #expect(!isReady)
            connection.sync()
            #expect(surface.isReady)
        }
    }
}
