import SystemCalls

/// Records which numbered frame of a test clip each window shows. The recorder reads the windows several hundred times
/// a second, on a thread and an X connection of its own.
package final class ScreenRecorder: Sendable {
    private struct State {
        var contentChanges: [ScreenRecording.ContentChange] = []
        /// The periods, in host time, in which the recorder stalled; see ``ScreenRecording/stalls``.
        var stalls: [ClosedRange<Int64>] = []
        var isStopping = false
    }
    private let state: Monitor<State>
    private let thread: NamedThread

    /// Starts recording.
    ///
    /// - Parameters:
    ///   - windows: the windows to read.
    ///   - rate: how often all windows are read, in times per second.
    package init(_ windows: [WindowQuery], rate: Int = 500) throws {
        let connection = try XConnection()
        let state = Monitor(State())
        self.state = state
        thread = try NamedThread("screen-recorder") {
            Self.readWindowsPeriodically(windows, connection, period: 1_000_000_000 / Int64(rate), state)
        }
    }

    deinit { stop() }

    /// The changes of the windows recorded so far.
    package var recording: ScreenRecording { state.withLock { ScreenRecording($0.contentChanges, stalls: $0.stalls) } }

    /// Waits for a change of a window's content for which `condition` returns true. Changes that were recorded before
    /// this method was called count too.
    @discardableResult
    package func wait(
        within timeout: Duration = .seconds(10), for condition: (ScreenRecording.ContentChange) -> Bool
    ) throws -> ScreenRecording.ContentChange {
        var firstUncheckedIndex = 0
        let change = state.wait(until: Deadline.after(timeout)) { state in
            defer { firstUncheckedIndex = state.contentChanges.count }
            return state.contentChanges[firstUncheckedIndex...].first(where: condition)
        }
        guard let change else {
            throw TestFailure("not seen within \(timeout); last seen: \(recording.contentChanges.suffix(4))")
        }
        return change
    }

    /// Stops the recorder and returns the recording.
    package func stopRecording() -> ScreenRecording {
        stop()
        return recording
    }

    /// Ends the recorder's thread, and returns when the thread has ended.
    private func stop() {
        state.update { $0.isStopping = true }
        thread.join()
    }

    /// Reads the windows every `period` nanoseconds, on the recorder's thread.
    private static func readWindowsPeriodically(
        _ windows: [WindowQuery], _ connection: XConnection, period: Int64, _ state: Monitor<State>
    ) {
        var windowIDs: [WindowQuery: UInt32] = [:]
        var lastContents: [WindowQuery: ScreenRecording.Content] = [:]
        var nextReadTime = MonotonicTime.now
        var previousReadTime = nextReadTime
        while true {
            for query in windows {
                let content = readWindowContent(query, &windowIDs[query], connection)
                if lastContents[query] == content { continue }
                lastContents[query] = content
                let change = ScreenRecording.ContentChange(time: MonotonicTime.now, window: query, content: content)
                state.update { $0.contentChanges.append(change) }
            }
            let now = MonotonicTime.now
            if now - previousReadTime > ScreenRecording.stallThreshold {
                state.update { $0.stalls.append(previousReadTime...now) }
            }
            previousReadTime = now
            nextReadTime = max(nextReadTime + period, MonotonicTime.now + period / 4)
            if state.wait(until: nextReadTime, { $0.isStopping ? true : nil }) != nil { return }
        }
    }

    /// Returns which frame the window that matches `query` shows. If `cachedWindowID` is a viewable window, this method
    /// reads that window. Otherwise it searches all windows, which takes longer, and stores the identifier of the found
    /// window in `cachedWindowID`.
    private static func readWindowContent(
        _ query: WindowQuery, _ cachedWindowID: inout UInt32?, _ connection: XConnection
    ) -> ScreenRecording.Content {
        if cachedWindowID.flatMap({ connection.placement($0) })?.isViewable != true {
            cachedWindowID = connection.visibleWindow(query)?.id
        }
        guard let windowID = cachedWindowID else { return .absent }
        return connection.frameNumber(of: windowID).map { .frame($0) } ?? .unreadable
    }
}
