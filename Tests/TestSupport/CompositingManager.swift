import CXCB
import Glibc

/// A compositing manager (picom) on the test X server, which draws transparent windows. Deinitialising this object ends
/// picom and the window manager.
package final class CompositingManager {
    private let picom: ChildProcess
    private let windowManager: ChildProcess?

    /// Starts picom and waits until picom owns the selection `_NET_WM_CM_S0` of compositing managers.
    ///
    /// - Parameter windowManager: a window manager to start first, such as `openbox`; nil starts no window manager.
    package init(windowManager name: String?) throws {
        let connection = try XConnection()
        if let name {
            let process = try ChildProcess(Products.systemProgram(name))
            windowManager = process
            let isRunning = Deadline.poll(for: .seconds(10)) {
                connection.propertyNumbers("_NET_SUPPORTING_WM_CHECK", of: connection.root).first.flatMap { window in
                    connection.propertyNumbers("_NET_SUPPORTING_WM_CHECK", of: window).first == window ? true : nil
                }
            }
            guard isRunning == true else {
                throw TestFailure("\(name) does not manage windows: \(process.errors.text)")
            }
        } else {
            windowManager = nil
        }
        picom = try ChildProcess(Products.systemProgram("picom"), ["--backend", "xrender", "--config", "/dev/null"])
        guard Deadline.poll(for: .seconds(10), { connection.isComposited ? true : nil }) != nil else {
            throw TestFailure("picom does not draw the screen: \(picom.errors.text)")
        }
    }

    deinit {
        for child in [picom, windowManager] {
            child?.signal(SIGTERM)
            _ = try? child?.waitForExit()
        }
    }
}

extension XConnection {
    /// Whether a compositing manager owns the selection `_NET_WM_CM_S0`, as EWMH requires.
    var isComposited: Bool {
        let cookie = xcb_get_selection_owner(raw, atom("_NET_WM_CM_S0"))
        return reply({ xcb_get_selection_owner_reply(raw, cookie, $0) }) { $0.pointee.owner != 0 } ?? false
    }
}
