import CXCB
import Glibc

/// Turns on the screensaver of the X server, with a timeout of one second without input, until this object is
/// deinitialised.
package final class ScreenSaver {
    private let connection: XConnection
    /// The screensaver settings of the X server before ``init()``, which deinitialisation restores.
    private let previousSettings: (timeout: Int16, interval: Int16, blanking: UInt8, exposures: UInt8)

    package init() throws(TestFailure) {
        connection = try XConnection()
        let cookie = xcb_get_screen_saver(connection.raw)
        let raw = connection.raw
        previousSettings =
            connection.reply({ xcb_get_screen_saver_reply(raw, cookie, $0) }) { reply in
                (
                    Int16(clamping: reply.pointee.timeout), Int16(clamping: reply.pointee.interval),
                    reply.pointee.prefer_blanking, reply.pointee.allow_exposures
                )
            } ?? (0, 0, 1, 1)
        xcb_set_screen_saver(raw, 1, 0, 1, 1)
        deactivate()
    }

    deinit {
        let settings = previousSettings
        xcb_set_screen_saver(
            connection.raw, settings.timeout, settings.interval, settings.blanking, settings.exposures)
        deactivate()
    }

    /// Deactivates the screensaver, as a mouse movement does.
    package func deactivate() {
        xcb_force_screen_saver(connection.raw, UInt8(XCB_SCREEN_SAVER_RESET.rawValue))
        xcb_flush(connection.raw)
    }

    /// Whether the screensaver is active, and the milliseconds since the last input; nil if the X server does not
    /// reply.
    package var state: (isOn: Bool, idleMilliseconds: Int)? {
        let raw = connection.raw, cookie = xcb_screensaver_query_info(raw, connection.root)
        return connection.reply({ xcb_screensaver_query_info_reply(raw, cookie, $0) }) { reply in
            (UInt32(reply.pointee.state) == XCB_SCREENSAVER_STATE_ON.rawValue, Int(reply.pointee.ms_since_user_input))
        }
    }
}
