import SharedFrames
import TestSupport
import Testing

import class VideoOutput.XConnection

@testable import VideoOutput

@Suite struct X11OutputTests {
    @Test(
        "a placeholder that is uncovered is whole at once for a while, with shared memory and without, and never black",
        arguments: [XPresentMode.auto, .no])
    func uncovered(_ mode: XPresentMode) async throws {
        try await Desk.alone {
            var options = X11Output.Options()
            options.geometry = WindowGeometry(parsing: "400x300+40+50")
            options.presentMode = mode
            // Nobody draws when the window asks for it.
            let output = try X11Output(
                connection: XConnection(), pictureSize: PixelSize(width: 400, height: 300), options: options
            ) { _ in }
            defer { output.close() }
            let eyes = try ScreenWatcher().connection
            // The placeholder's outline, within the part that is covered.
            let seen = { (colour: UInt32) in
                Deadline.poll(for: .seconds(5)) { eyes.color(x: 175, y: 152).flatMap { $0 == colour ? $0 : nil } }
            }

            output.showPlaceholder("elsewhere")
            #expect(seen(PlaceholderPicture.line) != nil)
            try cover(seen)
            #expect(
                eyes.color(x: 175, y: 152) == PlaceholderPicture.line
                    && eyes.color(x: 160, y: 152) == PlaceholderPicture.ground)

            // Its picture is kept for a moment only.
            output.settlePlaceholder()
            #expect(eyes.color(x: 175, y: 152) == PlaceholderPicture.line)
            try cover(seen)
            #expect(eyes.color(x: 175, y: 152) == PlaceholderPicture.ground)
            output.showPlaceholder("elsewhere")
            #expect(seen(PlaceholderPicture.line) != nil)
            try cover(seen)
            #expect(eyes.color(x: 175, y: 152) == PlaceholderPicture.ground)

            output.showPlaceholder(nil)
            #expect(seen(0) != nil)
            try cover(seen)
            #expect(eyes.color(x: 175, y: 152) == 0)
        }
    }

    /// Covers the window with a white one, and takes that away.
    private func cover(_ seen: (UInt32) -> UInt32?) throws {
        let connection = try XConnection()
        let white = XWindow(
            connection: connection, frame: PixelRect(x: 150, y: 140, width: 64, height: 48), isUnmanaged: true)
        white.setGround(0xff_ffff)
        white.map()
        #expect(seen(0xff_ffff) != nil)
        white.unmap()
        #expect(connection.sync())
    }
}
