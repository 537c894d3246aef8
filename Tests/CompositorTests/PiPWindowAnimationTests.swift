import CXCB
import CompositorProtocol
import Foundation
import SharedFrames
import SystemCalls
import Testing
import VideoOutput

@testable import Compositor

/// Tests the animation of the floating window from the player's layer to a corner and back, with a real X server. The
/// tests supply the time.
@Suite struct PiPWindowAnimationTests {
    private let connection: XConnection
    /// The temporary directory for the saved window rectangles.
    private let directory = FileManager.default.temporaryDirectory.appendingPathComponent(
        "pictureAnimation-\(UUID().uuidString)"
    )
    .path
    /// The rectangle of the player's layer, where the animation begins.
    private let origin = PixelRect(x: 100, y: 50, width: 640, height: 360)
    /// The rectangle of the floating window after the animation.
    private let corner = PixelRect(x: 1416, y: 786, width: 480, height: 270)

    init() throws {
        connection = try XConnection()
        // An earlier test may have left the pointer in the corner, where the floating window would show its controls.
        xcb_warp_pointer(connection.pointer, 0, connection.root, 0, 0, 0, 0, 0, 0)
    }

    /// Returns a new floating window whose opening animation begins at `origin`; a window without an animation if
    /// `origin` is nil.
    private func window(from origin: PixelRect?) -> PiPWindow {
        PiPWindow(
            connection: connection, picture: PixelSize(width: 1920, height: 1080),
            opening: PiPWindow.OpenRequest(startRect: origin),
            memory: PlacementMemory(directory: directory))
    }

    /// Shows a uniformly grey picture.
    private func show(_ window: PiPWindow, at now: Int64 = MonotonicTime.now) throws {
        let format = try #require(PixelFormat(name: "gray"))
        let layout = try #require(
            FrameLayout(pixelFormat: format, width: 64, height: 36, planes: [.init(offset: 0, stride: 64)]))
        let bytes = [UInt8](repeating: 200, count: layout.requiredSize + 64)
        // Wait until the X server has read the last drawn picture.
        connection.sync()
        #expect(window.isReady)
        try bytes.withUnsafeBytes { memory in
            let base = try #require(memory.baseAddress)
            var attributes = PictureAttributes()
            attributes.isFullRange = true
            #expect(
                window.show(
                    PictureMemory(base: base, layout: layout),
                    format: FrameFormat(layout: layout, attributes: attributes), now: now) != nil)
        }
    }

    /// Passes X events to the window until `isDone` returns true.
    private func wait(in window: PiPWindow, until isDone: () -> Bool) throws {
        let deadline = MonotonicTime.now + 10_000_000_000
        while true {
            while let event = xcb_poll_for_event(connection.pointer) {
                defer { free(event) }
                if window.owns(XEvent.window(of: event)) { _ = window.handle(event) }
            }
            if isDone() { return }
            guard MonotonicTime.now < deadline else { throw XError("the condition was not met within ten seconds") }
            _ = try Poll.waitReadable(connection.descriptor, until: deadline)
        }
    }

    /// Returns the rectangle of the topmost visible window.
    private func topmostWindowFrame() throws -> PixelRect {
        let tree = try #require(
            xcb_query_tree_reply(connection.pointer, xcb_query_tree(connection.pointer, connection.root), nil))
        defer { free(tree) }
        let count = Int(xcb_query_tree_children_length(tree)), children = xcb_query_tree_children(tree)
        for index in (0..<count).reversed() {
            guard let id = children?[index],
                let attributes = xcb_get_window_attributes_reply(
                    connection.pointer, xcb_get_window_attributes(connection.pointer, id), nil)
            else { continue }
            defer { free(attributes) }
            guard UInt32(attributes.pointee.map_state) == XCB_MAP_STATE_VIEWABLE.rawValue,
                let geometry = xcb_get_geometry_reply(connection.pointer, xcb_get_geometry(connection.pointer, id), nil)
            else { continue }
            defer { free(geometry) }
            return PixelRect(
                x: Int(geometry.pointee.x), y: Int(geometry.pointee.y), width: Int(geometry.pointee.width),
                height: Int(geometry.pointee.height))
        }
        throw XError("there is no window")
    }

    /// Returns the green value, 0 to 255, of the screen in the middle of a rectangle.
    private func greenValueInTheMiddle(of rect: PixelRect) throws -> UInt8 { try colour(at: 0.5, 0.5, of: rect)[1] }

    /// Returns the blue, green and red values of the screen at the relative position (`x`, `y`), each 0 to 1, in a
    /// rectangle.
    private func colour(at x: Double, _ y: Double, of rect: PixelRect) throws -> [UInt8] {
        let reply = try #require(
            xcb_get_image_reply(
                connection.pointer,
                xcb_get_image(
                    connection.pointer, UInt8(XCB_IMAGE_FORMAT_Z_PIXMAP.rawValue), connection.root,
                    Int16(rect.x + Int(Double(rect.width) * x)),
                    Int16(rect.y + Int(Double(rect.height) * y)), 1, 1, ~0), nil))
        defer { free(reply) }
        return (0..<3).map { xcb_get_image_data(reply)[$0] }
    }

    /// Returns an overlay whose boxes have one colour, for a window of the given size.
    private func overlay(_ size: PixelSize, _ rects: [PixelRect], _ pixel: UInt32 = 0xFF00_FF00) throws -> SharedOverlay
    {
        let shape = try #require(OverlayShape(size: size, rects: rects))
        let file = try MemoryFile(name: "overlay", size: shape.byteCount)
        let mapping = try file.map(writable: true)
        for index in 0..<shape.byteCount / 4 {
            mapping.base.storeBytes(of: pixel, toByteOffset: index * 4, as: UInt32.self)
        }
        return try SharedOverlay(shape, descriptor: SharedDescriptor(file.descriptor.duplicate()))
    }

    @Test func pictureAnimatesFromLayerToCornerAndBack() throws {
        let window = window(from: origin)
        window.map()
        try show(window)
        try wait(in: window) { window.isExposed }
        #expect(try topmostWindowFrame() == origin && greenValueInTheMiddle(of: origin) == 200)
        let startTime = MonotonicTime.now
        let events = window.tick(now: startTime + WindowAnimation.defaultDuration / 4)
        try show(window, at: startTime + WindowAnimation.defaultDuration / 4)
        let intermediateFrame = try topmostWindowFrame()
        #expect(
            events == [.needsRedraw] && intermediateFrame.x > origin.x && intermediateFrame.x < corner.x
                && intermediateFrame.width < 640 && intermediateFrame.width > 480)
        #expect(try greenValueInTheMiddle(of: intermediateFrame) == 200)

        // At the end the floating window replaces the animation's window; no frame in between is black.
        let lateTime = startTime + WindowAnimation.defaultDuration * 2
        var now = lateTime
        while window.pictureAnimation?.awaitsFloatingWindow == false {
            _ = window.tick(now: now)
            try show(window, at: now)
            now += 20_000_000
            #expect(now < lateTime + 1_000_000_000)
        }
        try wait(in: window) { window.isWindowExposed }
        try show(window, at: now)
        #expect(try topmostWindowFrame() == corner)
        #expect(try greenValueInTheMiddle(of: corner) == 200)
        #expect(window.tick(now: now + PictureAnimation.timeout) == [.needsRedraw] && window.pictureAnimation == nil)
        try show(window)
        let (windowFrame, colour) = (try topmostWindowFrame(), try greenValueInTheMiddle(of: corner))
        #expect(windowFrame == corner && colour == 200)

        // Animate the floating window back to the player's layer.
        #expect(window.beginReturnAnimation(to: origin) == [.needsRedraw] && window.isReturning)
        try show(window)
        try wait(in: window) { window.pictureAnimation?.window.isExposed == true }
        let endTime = MonotonicTime.now + WindowAnimation.defaultDuration * 2
        #expect(window.tick(now: endTime) == [.needsRedraw])
        try show(window, at: endTime)
        #expect(try topmostWindowFrame() == origin && greenValueInTheMiddle(of: origin) == 200)
        #expect(window.tick(now: endTime) == [.returnAnimationFinished])
    }

    @Test("the overlay is drawn in every size of an animation and of the window")
    func overlayIsDrawnInEverySizeOfTheAnimation() throws {
        let window = window(from: origin)
        func expectOverlay(_ rect: PixelRect) throws {
            #expect(
                try colour(at: 0.25, 0.9, of: rect) == [0, 255, 0]
                    && colour(at: 0.75, 0.9, of: rect) == [200, 200, 200], "\(rect)")
            #expect(try colour(at: 0.25, 0.6, of: rect) == [200, 200, 200], "\(rect)")
        }
        window.overlay = try overlay(
            PixelSize(width: 320, height: 180), [PixelRect(x: 0, y: 135, width: 160, height: 45)])
        window.map()
        try show(window)
        try wait(in: window) { window.isExposed }
        try expectOverlay(origin)
        let startTime = MonotonicTime.now
        for step in 1...3 {
            let now = startTime + WindowAnimation.defaultDuration * Int64(step) / 5
            _ = window.tick(now: now)
            try show(window, at: now)
            try expectOverlay(topmostWindowFrame())
        }
        window.pictureAnimation = nil
        window.map()
        try show(window)
        try wait(in: window) { window.isWindowExposed }
        try show(window)
        try expectOverlay(corner)
    }

    @Test(
        "while the controls are visible, text moves above the progress bar, also if scaled; boxes higher up stay",
        arguments: [480, 320])
    func textMovesAboveTheControls(_ width: Int) throws {
        let window = window(from: nil)
        let size = PixelSize(width: width, height: width * 9 / 16), h = size.height
        let lowerBox = PixelRect(x: 0, y: h * 9 / 10, width: width, height: h - h * 9 / 10),
            upperBox = PixelRect(x: 0, y: 0, width: width, height: h / 5)
        window.overlay = try overlay(size, [upperBox, lowerBox])
        window.map()
        try show(window)
        try wait(in: window) { window.isWindowExposed }
        try show(window)
        func colourAtLowerEdge() throws -> [UInt8] { try colour(at: 0.5, 0.98, of: corner) }
        func colourAboveProgressBar() throws -> [UInt8] { try colour(at: 0.5, 0.86, of: corner) }
        #expect(try colourAtLowerEdge() == [0, 255, 0] && colourAboveProgressBar() == [200, 200, 200])
        window.isPointerInside = true
        try show(window)
        // The visible controls darken the picture.
        let colourAboveBar = try colourAboveProgressBar()
        #expect(try colourAtLowerEdge()[0] > 100 && colourAboveBar[0] == 0 && colourAboveBar[1] > 100)
        #expect(try colour(at: 0.3, 0.17, of: corner)[0] == 0 && colour(at: 0.3, 0.25, of: corner)[0] > 100)
        window.isPointerInside = false
        try show(window)
        #expect(try colourAtLowerEdge() == [0, 255, 0] && colourAboveProgressBar() == [200, 200, 200])
    }

    @Test("overlay boxes beyond the work limit are skipped")
    func overlayBoxesBeyondTheWorkLimitAreSkipped() throws {
        let size = PixelSize(width: 1, height: 1), targetSize = PixelSize(width: 64, height: 36)
        let overlay = try overlay(
            size, [PixelRect](repeating: PixelRect(x: 0, y: 0, width: 1, height: 1), count: 64), 0x1010_1010)
        var pixels = [UInt32](repeating: 0, count: targetSize.width * targetSize.height)
        pixels.withUnsafeMutableBytes { bytes in
            bytes.baseAddress.map { overlay.draw($0, targetSize, targetSize.width * 4) }
        }
        #expect(pixels.allSatisfy { (0x1B...0x20).contains($0 & 0xFF) }, "two boxes were drawn")
    }

    @Test func slowDrawingEndsAnimationWithNextStep() throws {
        let window = window(from: origin)
        window.map()
        try show(window)
        try wait(in: window) { window.isExposed }
        window.pictureAnimation?.window.finishAnimation()
        let now = MonotonicTime.now + 20_000_000
        #expect(window.tick(now: now) == [.needsRedraw])
        try show(window, at: now)
        #expect(try topmostWindowFrame() == corner && greenValueInTheMiddle(of: corner) == 200)
        #expect(window.tick(now: now) == [.needsRedraw] && window.pictureAnimation?.awaitsFloatingWindow == true)
    }

    @Test("a rectangle larger than the screen starts no animation and allocates no memory")
    func rectangleLargerThanTheScreenStartsNoAnimation() {
        let hugeRect = PixelRect(x: 0, y: 0, width: 16384, height: 16384)
        let window = window(from: hugeRect)
        #expect(window.pictureAnimation == nil)
        #expect(window.beginReturnAnimation(to: hugeRect) == [.returnAnimationFinished])
        #expect(window.pictureAnimation == nil)
    }

    @Test func invisibleAnimationEndsAfterTimeout() {
        let window = window(from: origin)
        let endTime = MonotonicTime.now + 10_000_000_000
        #expect(window.tick(now: endTime) == [.needsRedraw] && window.pictureAnimation?.awaitsFloatingWindow == true)
        #expect(window.tick(now: endTime + 1_000_000_000) == [.needsRedraw] && window.pictureAnimation == nil)
        #expect(window.beginReturnAnimation(to: corner) == [.needsRedraw])
        #expect(window.tick(now: .max) == [.returnAnimationFinished])
    }
}
