import CXCB
import Glibc

/// The X server's screensaver, which comes when nobody has touched anything for a second, as long as this lives.
package final class ScreenSaver {
    private let connection: XConnection
    private let before: (timeout: Int16, interval: Int16, blanking: UInt8, exposures: UInt8)

    package init() throws(RigError) {
        connection = try XConnection()
        let cookie = xcb_get_screen_saver(connection.raw)
        let raw = connection.raw
        before =
            connection.reply({ xcb_get_screen_saver_reply(raw, cookie, $0) }) { reply in
                (
                    Int16(clamping: reply.pointee.timeout), Int16(clamping: reply.pointee.interval),
                    reply.pointee.prefer_blanking, reply.pointee.allow_exposures
                )
            } ?? (0, 0, 1, 1)
        xcb_set_screen_saver(raw, 1, 0, 1, 1)
        wake()
    }

    deinit {
        xcb_set_screen_saver(connection.raw, before.timeout, before.interval, before.blanking, before.exposures)
        wake()
    }

    /// Ends it, as a touch of the mouse does.
    package func wake() {
        xcb_force_screen_saver(connection.raw, UInt8(XCB_SCREEN_SAVER_RESET.rawValue))
        xcb_flush(connection.raw)
    }

    /// Whether it is on, and for how many milliseconds nobody has touched anything.
    package var state: (isOn: Bool, idle: Int)? {
        let raw = connection.raw, cookie = xcb_screensaver_query_info(raw, connection.root)
        return connection.reply({ xcb_screensaver_query_info_reply(raw, cookie, $0) }) { reply in
            (UInt32(reply.pointee.state) == XCB_SCREENSAVER_STATE_ON.rawValue, Int(reply.pointee.ms_since_user_input))
        }
    }
}
