import SystemCalls

/// Eyes on the desk's screen: which windows are there, and which frame of a fixture each of them shows.
package final class ScreenWatcher: Sendable {
    package let connection: XConnection

    /// - Parameter display: `:1` and the like; nil for the desk's.
    package init(display: String? = nil) throws(RigError) { connection = try XConnection(display: display) }

    /// The window, if it is on the screen.
    package func window(_ query: WindowQuery) -> Window? { connection.visibleWindow(query) }
    package func windowExists(_ query: WindowQuery) -> Bool { window(query) != nil }

    /// The frame visible in the window now; nil when there is no window or no number to be read.
    package func frame(in query: WindowQuery) -> Int? { window(query).flatMap { connection.frameNumber(of: $0.id) } }

    /// Waits for the window to come.
    @discardableResult
    package func waitForWindow(_ query: WindowQuery, within patience: Duration = .seconds(10)) throws(RigError)
        -> Window
    {
        if let window = Deadline.poll(for: patience, { window(query) }) { return window }
        let seen = connection.windows().filter { $0.isViewable && !$0.instance.isEmpty }.map {
            "\($0.instance) '\($0.title)'"
        }
        throw RigError("no window \(query) within \(patience); there are: \(seen)")
    }

    /// Waits for the window to go.
    package func waitForNoWindow(_ query: WindowQuery, within patience: Duration = .seconds(10)) throws(RigError) {
        let gone = Deadline.poll(for: patience) { windowExists(query) ? nil : true }
        if gone == nil { throw RigError("the window \(query) is still there after \(patience)") }
    }

    /// Waits until the window shows a frame that `condition` holds for, and returns its number.
    @discardableResult
    package func waitForFrame(
        in query: WindowQuery, within patience: Duration = .seconds(10), where condition: (Int) -> Bool = { _ in true }
    ) throws(RigError) -> Int {
        var last: Int?
        let found = Deadline.poll(for: patience) { () -> Int? in
            last = frame(in: query)
            return last.flatMap { condition($0) ? $0 : nil }
        }
        guard let found else {
            throw RigError(
                "the frame waited for was not in \(query) within \(patience); last seen: \(last.map(String.init) ?? "none")"
            )
        }
        return found
    }

    /// Records what the windows show for a while.
    package func frames(of windows: WindowQuery..., for duration: Duration) throws -> ScreenRecording {
        let recorder = try ScreenRecorder(windows)
        _ = Deadline.poll(for: duration, every: duration) { nil as Void? }
        return recorder.finish()
    }
}
