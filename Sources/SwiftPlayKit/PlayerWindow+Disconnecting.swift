import Dispatch
import SystemCalls
import VideoOutput

/// Ends the connections of windows to an X server that does not respond.
extension PlayerWindow {
    private struct WeakWindow: Sendable { weak var window: (any WindowOutput)? }
    /// The open windows, whose connections to the X server ``disconnectWindows(after:)`` ends.
    nonisolated private static let openWindows = Monitor<[WeakWindow]>([])

    /// Adds a window to the windows whose connections ``disconnectWindows(after:)`` ends.
    static func recordOpenWindow(_ window: any WindowOutput) {
        openWindows.withLock { $0 = $0.filter { $0.window != nil } + [WeakWindow(window: window)] }
    }

    /// Ends the connections of all windows to the X server after `timeout`, so that an exiting program does not wait
    /// for a server that does not respond. Callable from any thread; returns at once.
    nonisolated package static func disconnectWindows(after timeout: DispatchTimeInterval) {
        DispatchQueue.global(qos: .userInitiated).asyncAfter(deadline: .now() + timeout) {
            for reference in openWindows.withLock({ $0 }) { reference.window?.disconnect() }
        }
    }
}
