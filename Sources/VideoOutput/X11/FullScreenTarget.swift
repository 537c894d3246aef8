import SharedFrames

/// The monitor that a window fills in full screen (`--fs-screen`).
package enum FullScreenTarget: Hashable, Sendable {
    /// The monitor on which the window lies.
    case current
    /// All monitors together.
    case all
    /// The monitor with this index; 0 is the primary monitor. If there is no such monitor, the same as ``current``.
    case index(Int)

    /// The index of the monitor; nil for ``current`` and ``all``.
    var index: Int? { if case .index(let index) = self { index } else { nil } }

    /// Returns the rectangle on the screen that a window fills in full screen.
    ///
    /// - Parameters:
    ///   - window: The rectangle of the window outside of full screen.
    ///   - monitors: The rectangles of the monitors, the primary monitor first.
    func area(of window: PixelRect, monitors: [PixelRect]) -> PixelRect {
        let windowCentre = (x: window.x + window.width / 2, y: window.y + window.height / 2)
        let currentMonitor =
            monitors.first { $0.contains(x: windowCentre.x, y: windowCentre.y) } ?? monitors.first ?? window
        switch self {
        case .current: return currentMonitor
        case .index(let index): return monitors.indices.contains(index) ? monitors[index] : currentMonitor
        case .all:
            let left = monitors.map(\.x).min() ?? window.x, top = monitors.map(\.y).min() ?? window.y
            let right = monitors.map { $0.x + $0.width }.max() ?? window.x + window.width
            let bottom = monitors.map { $0.y + $0.height }.max() ?? window.y + window.height
            return PixelRect(x: left, y: top, width: right - left, height: bottom - top)
        }
    }

    /// Returns the rectangle that a window needs outside of full screen, so that a window manager fills this monitor
    /// with it: a window manager chooses the monitor on which the window lies.
    ///
    /// - Returns: The window in the middle of the monitor; nil if the window lies on the monitor already, and for all
    ///   monitors.
    func placement(of window: PixelRect, monitors: [PixelRect]) -> PixelRect? {
        guard case .index = self else { return nil }
        let monitor = area(of: window, monitors: monitors)
        guard !monitor.contains(x: window.x + window.width / 2, y: window.y + window.height / 2) else { return nil }
        return PixelRect(
            x: max(monitor.x, monitor.x + (monitor.width - window.width) / 2),
            y: max(monitor.y, monitor.y + (monitor.height - window.height) / 2), width: window.width,
            height: window.height)
    }

    /// The indices of the monitors at the upper, lower, left and right edge of the screen, in this order, as
    /// `_NET_WM_FULLSCREEN_MONITORS` (EWMH) needs them.
    ///
    /// - Parameter monitors: The rectangles of the monitors in the order in which the X server reports them.
    static func outermost(of monitors: [PixelRect]) -> [Int] {
        func first(_ isFurther: (PixelRect, PixelRect) -> Bool) -> Int {
            monitors.indices.min { isFurther(monitors[$0], monitors[$1]) } ?? 0
        }
        return [
            first { $0.y < $1.y }, first { $0.y + $0.height > $1.y + $1.height }, first { $0.x < $1.x },
            first { $0.x + $0.width > $1.x + $1.width },
        ]
    }
}
