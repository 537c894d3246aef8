import CXCB
import Testing

@testable import VideoOutput

@Suite struct XEventTests {
    /// Returns the window to which an X event belongs; 0 if it belongs to no window. `isSent`: whether the event was
    /// sent with `SendEvent`.
    private func window<Event>(_ event: Event, _ type: Int32, isSent: Bool = false) -> xcb_window_t {
        withUnsafeTemporaryAllocation(byteCount: 64, alignment: 8) { memory in
            guard let base = memory.baseAddress else { return 0 }
            memory.initializeMemory(as: UInt8.self, repeating: 0)
            withUnsafeBytes(of: event) { memory.copyBytes(from: $0) }
            memory[0] = UInt8(type) | (isSent ? 0x80 : 0)
            return XEvent.window(of: base.assumingMemoryBound(to: xcb_generic_event_t.self))
        }
    }

    @Test("Events of the structure of a window name the window")
    func structureEventsNameTheirWindow() {
        var configure = xcb_configure_notify_event_t()
        (configure.event, configure.window) = (1, 2)
        #expect(window(configure, XCB_CONFIGURE_NOTIFY) == 2)
        var map = xcb_map_notify_event_t()
        (map.event, map.window) = (1, 3)
        #expect(window(map, XCB_MAP_NOTIFY) == 3 && window(map, XCB_UNMAP_NOTIFY) == 3)
        var visibility = xcb_visibility_notify_event_t()
        visibility.window = 4
        #expect(window(visibility, XCB_VISIBILITY_NOTIFY) == 4)
        var expose = xcb_expose_event_t()
        expose.window = 5
        #expect(window(expose, XCB_EXPOSE) == 5)
    }

    @Test(
        "Events of keys and of the pointer name the window that selected them, not the root or the child",
        arguments: [
            XCB_KEY_PRESS, XCB_BUTTON_PRESS, XCB_BUTTON_RELEASE, XCB_MOTION_NOTIFY, XCB_ENTER_NOTIFY, XCB_LEAVE_NOTIFY,
        ])
    func inputEventsNameTheWindowThatSelectedThem(_ type: Int32) {
        var event = xcb_button_press_event_t()
        (event.root, event.event, event.child) = (1, 2, 3)
        #expect(window(event, type) == 2)
    }

    @Test("Messages that another client sent count like the server's own")
    func messagesFromOtherClientsNameTheirWindow() {
        var message = xcb_client_message_event_t()
        message.window = 9
        #expect(window(message, XCB_CLIENT_MESSAGE) == 9)
        #expect(window(message, XCB_CLIENT_MESSAGE, isSent: true) == 9)
    }

    @Test("Other events belong to no window", arguments: [0, XCB_PROPERTY_NOTIFY, XCB_MAPPING_NOTIFY, 100])
    func otherEventsBelongToNoWindow(_ type: Int32) {
        var event = xcb_button_press_event_t()
        (event.root, event.event, event.child) = (1, 2, 3)
        #expect(window(event, type) == 0)
    }
}
