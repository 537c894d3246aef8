import CXCB
import SharedFrames
import TestSupport
import Testing

import class VideoOutput.XConnection

@testable import VideoOutput

@Suite struct X11OutputTests {
    @Test(
        "The X server repaints an uncovered placeholder, after its release only the background, and never in black",
        arguments: [XPresentMode.auto, .no])
    func uncoveredPlaceholderIsRepainted(_ mode: XPresentMode) async throws {
        try await TestEnvironment.runExclusively {
            var options = X11Output.Options()
            options.sizing.geometry = WindowGeometry(parsing: "400x300+40+50")
            options.presentMode = mode
            // The player's event handler ignores redraw requests, so that the X server alone restores the window.
            let output = try X11Output(
                connection: XConnection(), pictureSize: PixelSize(width: 400, height: 300), options: options
            ) { _ in }
            defer { output.close() }
            let screen = try ScreenWatcher().connection
            // Waits for the colour of a pixel of the screen. The pixel is part of the placeholder's outline and of the
            // area that `coverTemporarily(_:)` covers.
            let waitForColour = { (colour: UInt32) in
                Deadline.poll(for: .seconds(5)) { screen.color(x: 175, y: 152).flatMap { $0 == colour ? $0 : nil } }
            }

            output.showPlaceholder("elsewhere")
            #expect(waitForColour(PlaceholderPicture.outlineColour) != nil)
            try coverTemporarily(waitForColour)
            #expect(
                screen.color(x: 175, y: 152) == PlaceholderPicture.outlineColour
                    && screen.color(x: 160, y: 152) == PlaceholderPicture.backgroundColour)

            // After the placeholder's background pixmap is released, uncovered areas show only the background colour
            // until the next redraw.
            output.releasePlaceholder()
            #expect(screen.color(x: 175, y: 152) == PlaceholderPicture.outlineColour)
            try coverTemporarily(waitForColour)
            #expect(screen.color(x: 175, y: 152) == PlaceholderPicture.backgroundColour)
            output.showPlaceholder("elsewhere")
            #expect(waitForColour(PlaceholderPicture.outlineColour) != nil)
            try coverTemporarily(waitForColour)
            #expect(screen.color(x: 175, y: 152) == PlaceholderPicture.backgroundColour)

            output.showPlaceholder(nil)
            #expect(waitForColour(0) != nil)
            try coverTemporarily(waitForColour)
            #expect(screen.color(x: 175, y: 152) == 0)
        }
    }

    @Test("A picture that the program draws fills the window and is repainted when it is uncovered")
    func aDrawnPictureIsShown() async throws {
        try await TestEnvironment.runExclusively {
            var options = X11Output.Options()
            options.sizing.geometry = WindowGeometry(parsing: "400x300+40+50")
            let output = try X11Output(
                connection: XConnection(), pictureSize: PixelSize(width: 400, height: 300), options: options
            ) { _ in }
            let screen = try ScreenWatcher().connection
            let waitForColour = { (colour: UInt32) in
                Deadline.poll(for: .seconds(5)) { screen.color(x: 175, y: 152).flatMap { $0 == colour ? $0 : nil } }
            }
            let isShown = output.show { pixels, size, stride in
                for y in 0..<size.height {
                    for x in 0..<size.width {
                        pixels.storeBytes(of: 0x40_80C0, toByteOffset: y * stride + x * 4, as: UInt32.self)
                    }
                }
            }
            #expect(isShown && waitForColour(0x40_80C0) != nil)
            #expect(screen.color(x: 40, y: 50) == 0x40_80C0 && screen.color(x: 439, y: 349) == 0x40_80C0)
            try coverTemporarily(waitForColour)
            #expect(waitForColour(0x40_80C0) != nil)
            output.close()
            #expect(!output.show { _, _, _ in Issue.record("a closed window is drawn") })
        }
    }

    @Test("A window in the root window ignores the changes of other top-level windows")
    func otherWindowsDoNotChangeAWindowInTheRootWindow() async throws {
        try await TestEnvironment.runExclusively {
            let connection = try XConnection(), log = EventLog()
            var options = X11Output.Options()
            options.parent = connection.root
            let output = try X11Output(
                connection: connection, pictureSize: PixelSize(width: 400, height: 300), options: options
            ) { log.add($0) }
            defer { output.close() }
            let otherConnection = try XConnection()
            let otherWindow = XWindow(
                connection: otherConnection, frame: PixelRect(x: 10, y: 10, width: 64, height: 48), isUnmanaged: true)
            otherWindow.map()
            otherWindow.setFrame(PixelRect(x: 10, y: 10, width: 96, height: 64))
            otherWindow.unmap()
            #expect(otherConnection.sync())
            // The output receives the report of its own new size after the reports about the other window.
            xcb_configure_window(
                otherConnection.pointer, output.window.id,
                UInt16(XCB_CONFIG_WINDOW_WIDTH.rawValue | XCB_CONFIG_WINDOW_HEIGHT.rawValue), [320, 240] as [UInt32])
            #expect(otherConnection.sync())
            let newSize = PixelSize(width: 320, height: 240)
            #expect(log.waitForEvent { if case .resized(newSize) = $0 { true } else { false } })
            let otherSizes = log.allEvents.filter { event in
                if case .resized(let size) = event { size != newSize } else { false }
            }
            #expect(otherSizes.isEmpty, "\(otherSizes)")
        }
    }

    /// Covers part of the window with a white window, and removes the white window again. `waitForColour` waits until
    /// the watched pixel of the screen has a colour, and returns the colour; nil if the pixel does not get that colour.
    private func coverTemporarily(_ waitForColour: (UInt32) -> UInt32?) throws {
        let connection = try XConnection()
        let whiteWindow = XWindow(
            connection: connection, frame: PixelRect(x: 150, y: 140, width: 64, height: 48), isUnmanaged: true)
        whiteWindow.setBackground(0xff_ffff)
        whiteWindow.map()
        #expect(waitForColour(0xff_ffff) != nil)
        whiteWindow.unmap()
        #expect(connection.sync())
    }
}
