import CXCB
import Glibc

extension XConnection {
    /// Suspends or resumes the server's screensaver and power saving. Closing the connection also resumes them.
    ///
    /// The server counts suspensions: balance each call with `true` by a call with `false`.
    ///
    /// - Returns: False if the server lacks the required extension (MIT-SCREEN-SAVER 1.1).
    @discardableResult
    package func suspendScreenSaver(_ isSuspended: Bool) -> Bool {
        guard let data = xcb_get_extension_data(pointer, cxcb_screensaver_extension()), data.pointee.present != 0,
            let version = xcb_screensaver_query_version_reply(
                pointer, xcb_screensaver_query_version(pointer, 1, 1), nil)
        else { return false }
        defer { free(version) }
        guard (version.pointee.server_major_version, version.pointee.server_minor_version) >= (1, 1) else {
            return false
        }
        xcb_screensaver_suspend(pointer, isSuspended ? 1 : 0)
        flush()
        return true
    }
}
