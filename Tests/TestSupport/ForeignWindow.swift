import CXCB

/// A top-level window of another program, such as a window of another toolkit, in which a player can show its pictures.
/// Deinitialising this object destroys the window.
package final class ForeignWindow {
    package let id: UInt32
    private let connection: XConnection

    /// Creates the window and shows it, without a window manager's control.
    package init(_ area: Window.Area, display: String? = nil) throws(TestFailure) {
        connection = try XConnection(display: display)
        id = xcb_generate_id(connection.raw)
        let values: [UInt32] = [0x20_4060, 1]
        xcb_create_window(
            connection.raw, 0, id, connection.root, Int16(area.x), Int16(area.y), UInt16(area.width),
            UInt16(area.height), 0, UInt16(XCB_WINDOW_CLASS_INPUT_OUTPUT.rawValue), 0,
            XCB_CW_BACK_PIXEL.rawValue | XCB_CW_OVERRIDE_REDIRECT.rawValue, values)
        xcb_map_window(connection.raw, id)
        xcb_flush(connection.raw)
    }

    deinit { destroy() }

    /// Changes the size of the window.
    package func resize(width: Int, height: Int) {
        xcb_configure_window(
            connection.raw, id, UInt16(XCB_CONFIG_WINDOW_WIDTH.rawValue | XCB_CONFIG_WINDOW_HEIGHT.rawValue),
            [UInt32(width), UInt32(height)])
        xcb_flush(connection.raw)
    }

    /// Destroys the window and all windows in it.
    package func destroy() {
        xcb_destroy_window(connection.raw, id)
        xcb_flush(connection.raw)
    }
}
