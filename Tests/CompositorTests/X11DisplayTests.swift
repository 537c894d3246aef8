import CompositorProtocol
import SharedFrames
import SystemCalls
import TestSupport
import Testing

import class VideoOutput.XConnection

@testable import Compositor
@testable import VideoOutput

/// Tests floating windows on a real X server.
@Suite struct X11DisplayTests {
    @Test("a floating window reads keys in a layout that is set while it is open")
    func keysUseALayoutThatIsSetWhileTheWindowIsOpen() throws {
        let server = try PrivateXServer()
        let keyboard = try TestSupport.XConnection(display: server.name)
        func setLayout(_ variant: String) throws {
            try run("setxkbmap", ["-display", server.name, "-layout", "us", "-variant", variant])
        }
        try setLayout("")
        let connection = try XConnection(display: server.name)
        let display = X11Display(connection)
        let surfaceRequest = ClientMessage.Surface.x11(display: server.name, authority: "")
        let surface = try #require(try display.makeSurface(surfaceRequest, []) as? X11Surface)
        _ = surface.open(PixelSize(width: 640, height: 360), SurfaceOpenRequest())
        let window = try #require(surface.window)
        window.window.map()
        window.window.takeFocus(at: 0)
        #expect(connection.sync())
        func nextAction() throws -> ServerMessage.Action? {
            var actions: [ServerMessage.Action] = []
            let deadline = Deadline.after(.seconds(20))
            while actions.isEmpty {
                let hasMore = display.processEvents(reading: true) { _, outcomes in
                    for case .action(let action) in outcomes { actions.append(action) }
                }
                if hasMore { continue }
                var entries = [Poll.Entry(display.descriptor)]
                guard actions.isEmpty, try Poll.wait(&entries, until: deadline) else { break }
            }
            return actions.first
        }
        let pKeyCode: UInt8 = 33, rKeyCode: UInt8 = 27
        keyboard.press(pKeyCode)
        #expect(try nextAction() == .restore)
        // The Dvorak layout has P on the key that has R in the American layout.
        try setLayout("dvorak")
        keyboard.press(rKeyCode)
        #expect(try nextAction() == .restore)
    }
}
