import CXCB
import CompositorProtocol
import Foundation
import SharedFrames
import SystemCalls
import Testing
import VideoOutput

@testable import Compositor

/// With a real X server; the clock is the test's.
@Suite struct PiPWindowFlightTests {
    private let connection: XConnection
    private let directory = FileManager.default.temporaryDirectory.appendingPathComponent("flight-\(UUID().uuidString)")
        .path
    private let origin = PixelRect(x: 100, y: 50, width: 640, height: 360)
    private let corner = PixelRect(x: 1416, y: 786, width: 480, height: 270)

    init() throws { connection = try XConnection() }

    private func window(from origin: PixelRect?) -> PiPWindow {
        PiPWindow(
            connection: connection, picture: PixelSize(width: 1920, height: 1080),
            opening: PiPWindow.Opening(origin: origin),
            memory: PlacementMemory(directory: directory))
    }

    private func show(_ window: PiPWindow, at now: Int64 = MonotonicTime.now) throws {
        let format = try #require(PixelFormat(name: "gray"))
        let layout = try #require(
            FrameLayout(pixelFormat: format, width: 64, height: 36, planes: [.init(offset: 0, stride: 64)]))
        let bytes = [UInt8](repeating: 200, count: layout.requiredSize + 64)
        // The server has read the last picture.
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

    /// Hands the window its events until something is the case.
    private func wait(in window: PiPWindow, until isDone: () -> Bool) throws {
        let deadline = MonotonicTime.now + 10_000_000_000
        while true {
            while let event = xcb_poll_for_event(connection.pointer) {
                defer { free(event) }
                if window.owns(XEvent.window(of: event)) { _ = window.handle(event) }
            }
            if isDone() { return }
            guard MonotonicTime.now < deadline else { throw XError("it did not come to be") }
            _ = try Poll.waitReadable(connection.descriptor, until: deadline)
        }
    }

    /// The window with our class on the screen at the top, and what is in its middle.
    private func top() throws -> PixelRect {
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

    private func middle(of rect: PixelRect) throws -> UInt8 { try colour(at: 0.5, 0.5, of: rect)[1] }

    /// Blue, green and red at a place of a part of the screen, 0 to 1.
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

    /// What lies over a window of a size: pixels of one colour.
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
        #expect(try top() == origin && middle(of: origin) == 200)
        let began = MonotonicTime.now
        let half = window.tick(now: began + Glide.usual / 4)
        try show(window, at: began + Glide.usual / 4)
        let between = try top()
        #expect(
            half == [.needsRedraw] && between.x > origin.x && between.x < corner.x && between.width < 640
                && between.width > 480)
        #expect(try middle(of: between) == 200)

        // At the end the window takes over, and nothing is black on the way.
        let late = began + Glide.usual * 2
        var now = late
        while window.flight?.isHandingOver == false {
            _ = window.tick(now: now)
            try show(window, at: now)
            now += 20_000_000
            #expect(now < late + 1_000_000_000)
        }
        try wait(in: window) { window.isWindowExposed }
        try show(window, at: now)
        #expect(try top() == corner)
        #expect(try middle(of: corner) == 200)
        #expect(window.tick(now: now + PictureFlight.patience) == [.needsRedraw] && window.flight == nil)
        try show(window)
        let (place, colour) = (try top(), try middle(of: corner))
        #expect(place == corner && colour == 200)

        // And back.
        #expect(window.land(on: origin) == [.needsRedraw] && window.isLanding)
        try show(window)
        try wait(in: window) { window.flight?.window.isExposed == true }
        let landing = MonotonicTime.now + Glide.usual * 2
        #expect(window.tick(now: landing) == [.needsRedraw])
        try show(window, at: landing)
        #expect(try top() == origin && middle(of: origin) == 200)
        #expect(window.tick(now: landing) == [.landed])
    }

    @Test("the overlay is drawn in every size of an animation and of the window")
    func theOverlayFliesAlong() throws {
        let window = window(from: origin)
        func expectText(_ rect: PixelRect) throws {
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
        try expectText(origin)
        let began = MonotonicTime.now
        for step in 1...3 {
            let now = began + Glide.usual * Int64(step) / 5
            _ = window.tick(now: now)
            try show(window, at: now)
            try expectText(top())
        }
        window.flight = nil
        window.map()
        try show(window)
        try wait(in: window) { window.isWindowExposed }
        try show(window)
        try expectText(corner)
    }

    @Test(
        "while the controls are seen text is above the line of progress, also where it is scaled; what is higher up stays",
        arguments: [480, 320])
    func textAboveTheControls(_ width: Int) throws {
        let window = window(from: nil)
        let size = PixelSize(width: width, height: width * 9 / 16), h = size.height
        let text = PixelRect(x: 0, y: h * 9 / 10, width: width, height: h - h * 9 / 10),
            sign = PixelRect(x: 0, y: 0, width: width, height: h / 5)
        window.overlay = try overlay(size, [sign, text])
        window.map()
        try show(window)
        try wait(in: window) { window.isWindowExposed }
        try show(window)
        func below() throws -> [UInt8] { try colour(at: 0.5, 0.98, of: corner) }
        func above() throws -> [UInt8] { try colour(at: 0.5, 0.86, of: corner) }
        #expect(try below() == [0, 255, 0] && above() == [200, 200, 200])
        window.isPointerInside = true
        try show(window)
        // The controls dim what lies below them.
        #expect(try below()[0] > 100 && above()[0] == 0 && above()[1] > 100)
        #expect(try colour(at: 0.3, 0.17, of: corner)[0] == 0 && colour(at: 0.3, 0.25, of: corner)[0] > 100)
        window.isPointerInside = false
        try show(window)
        #expect(try below() == [0, 255, 0] && above() == [200, 200, 200])
    }

    @Test("overlay boxes beyond the work limit are skipped")
    func tooMuchWork() throws {
        let size = PixelSize(width: 1, height: 1), place = PixelSize(width: 64, height: 36)
        let overlay = try overlay(
            size, [PixelRect](repeating: PixelRect(x: 0, y: 0, width: 1, height: 1), count: 64), 0x1010_1010)
        var pixels = [UInt32](repeating: 0, count: place.width * place.height)
        pixels.withUnsafeMutableBytes { bytes in bytes.baseAddress.map { overlay.draw($0, place, place.width * 4) } }
        #expect(pixels.allSatisfy { (0x1B...0x20).contains($0 & 0xFF) }, "two of them")
    }

    @Test func slowDrawingEndsAnimationWithNextStep() throws {
        let window = window(from: origin)
        window.map()
        try show(window)
        try wait(in: window) { window.isExposed }
        window.flight?.window.hurry()
        let now = MonotonicTime.now + 20_000_000
        #expect(window.tick(now: now) == [.needsRedraw])
        try show(window, at: now)
        #expect(try top() == corner && middle(of: corner) == 200)
        #expect(window.tick(now: now) == [.needsRedraw] && window.flight?.isHandingOver == true)
    }

    @Test("a rectangle larger than the screen starts no animation and allocates no memory")
    func whatIsLargerThanTheScreen() {
        let huge = PixelRect(x: 0, y: 0, width: 16384, height: 16384)
        let window = window(from: huge)
        #expect(window.flight == nil)
        #expect(window.land(on: huge) == [.landed] && window.flight == nil)
    }

    @Test func invisibleAnimationEndsAfterTimeout() {
        let window = window(from: origin)
        let end = MonotonicTime.now + 10_000_000_000
        #expect(window.tick(now: end) == [.needsRedraw] && window.flight?.isHandingOver == true)
        #expect(window.tick(now: end + 1_000_000_000) == [.needsRedraw] && window.flight == nil)
        #expect(window.land(on: corner) == [.needsRedraw])
        #expect(window.tick(now: .max) == [.landed])
    }
}
