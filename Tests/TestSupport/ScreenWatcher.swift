import SystemCalls

/// Finds windows on an X server and reads which numbered frame of a test clip each window shows.
package final class ScreenWatcher: Sendable {
    package let connection: XConnection

    /// Connects to an X server.
    ///
    /// - Parameter display: the name of the X display, such as `:1`; nil for the display of the test environment.
    package init(display: String? = nil) throws(TestFailure) { connection = try XConnection(display: display) }

    /// Returns the window that matches `query`; nil if no such window is on the screen.
    package func window(_ query: WindowQuery) -> Window? { connection.visibleWindow(query) }
    package func windowExists(_ query: WindowQuery) -> Bool { window(query) != nil }

    /// Returns the number of the frame that a window shows; nil if the window does not exist or shows no readable frame
    /// number.
    package func frameNumber(in query: WindowQuery) -> Int? {
        window(query).flatMap { connection.frameNumber(of: $0.id) }
    }

    /// Waits until a window that matches `query` is on the screen, and returns the window.
    @discardableResult
    package func waitForWindow(_ query: WindowQuery, within timeout: Duration = .seconds(10)) throws(TestFailure)
        -> Window
    {
        if let window = Deadline.poll(for: timeout, { window(query) }) { return window }
        let visibleWindows = connection.windows().filter { $0.isViewable && !$0.instanceName.isEmpty }.map {
            "\($0.instanceName) '\($0.title)'"
        }
        throw TestFailure("no window \(query) within \(timeout); found: \(visibleWindows)")
    }

    /// Waits until no window that matches `query` is on the screen.
    package func waitForNoWindow(_ query: WindowQuery, within timeout: Duration = .seconds(10)) throws(TestFailure) {
        let isGone = Deadline.poll(for: timeout) { windowExists(query) ? nil : true }
        if isGone == nil { throw TestFailure("the window \(query) is still there after \(timeout)") }
    }

    /// Waits until the window shows a frame for whose number `condition` returns true, and returns the number.
    @discardableResult
    package func waitForFrame(
        in query: WindowQuery, within timeout: Duration = .seconds(10), where condition: (Int) -> Bool = { _ in true }
    ) throws(TestFailure) -> Int {
        var lastNumber: Int?
        let matchingNumber = Deadline.poll(for: timeout) { () -> Int? in
            lastNumber = frameNumber(in: query)
            return lastNumber.flatMap { condition($0) ? $0 : nil }
        }
        guard let matchingNumber else {
            let lastSeen = lastNumber.map(String.init) ?? "none"
            throw TestFailure("\(query) did not show the expected frame within \(timeout); last seen: \(lastSeen)")
        }
        return matchingNumber
    }

    /// Records for `duration` which frames the windows show, and returns the recording.
    package func recordFrames(of windows: WindowQuery..., for duration: Duration) throws -> ScreenRecording {
        let recorder = try ScreenRecorder(windows)
        _ = Deadline.poll(for: duration, every: duration) { nil as Void? }
        return recorder.stopRecording()
    }
}
