import CXCB
import Glibc

/// A compositing manager (picom) that draws the desk's screen until this object goes.
package final class CompositingManager {
    private let manager: ChildProcess
    private let windowManager: ChildProcess?

    /// Returns when the manager draws the screen.
    ///
    /// - Parameter windowManager: a program to start first, such as `openbox`; nil for none.
    package init(windowManager name: String?) throws {
        let connection = try XConnection()
        if let name {
            let started = try ChildProcess(Products.system(name))
            windowManager = started
            let isRunning = Deadline.poll(for: .seconds(10)) {
                connection.numbers("_NET_SUPPORTING_WM_CHECK", of: connection.root).first.flatMap { window in
                    connection.numbers("_NET_SUPPORTING_WM_CHECK", of: window).first == window ? true : nil
                }
            }
            guard isRunning == true else { throw RigError("\(name) does not manage windows: \(started.errors.text)") }
        } else {
            windowManager = nil
        }
        manager = try ChildProcess(Products.system("picom"), ["--backend", "xrender", "--config", "/dev/null"])
        guard Deadline.poll(for: .seconds(10), { connection.isComposited ? true : nil }) != nil else {
            throw RigError("picom does not draw the screen: \(manager.errors.text)")
        }
    }

    deinit {
        for child in [manager, windowManager] {
            child?.signal(SIGTERM)
            _ = try? child?.waitForExit()
        }
    }
}

extension XConnection {
    /// Whether a compositing manager draws the screen (EWMH: it owns a selection).
    var isComposited: Bool {
        let cookie = xcb_get_selection_owner(raw, atom("_NET_WM_CM_S0"))
        return reply({ xcb_get_selection_owner_reply(raw, cookie, $0) }) { $0.pointee.owner != 0 } ?? false
    }
}
