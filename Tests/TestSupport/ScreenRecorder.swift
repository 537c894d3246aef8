import SystemCalls

/// Watches windows on a thread and a connection of its own, several hundred times a second.
package final class ScreenRecorder: Sendable {
    private struct State {
        var sightings: [ScreenRecording.Sighting] = []
        var blinks: [ClosedRange<Int64>] = []
        var isStopping = false
    }
    private let state: Monitor<State>
    private let thread: NamedThread

    /// Starts watching.
    ///
    /// - Parameter rate: looks a second at all windows together.
    package init(_ windows: [WindowQuery], rate: Int = 500) throws {
        let connection = try XConnection()
        let state = Monitor(State())
        self.state = state
        thread = try NamedThread("screen-recorder") {
            Self.watch(windows, connection, period: 1_000_000_000 / Int64(rate), state)
        }
    }

    deinit { stop() }

    /// What has been seen so far.
    package var recording: ScreenRecording { state.withLock { ScreenRecording($0.sightings, blinks: $0.blinks) } }

    /// Waits until something was seen that `condition` holds for, one that was seen before the call included.
    @discardableResult
    package func wait(
        within patience: Duration = .seconds(10), for condition: (ScreenRecording.Sighting) -> Bool
    ) throws -> ScreenRecording.Sighting {
        var next = 0
        let found = state.wait(until: Deadline.after(patience)) { state in
            defer { next = state.sightings.count }
            return state.sightings[next...].first(where: condition)
        }
        guard let found else {
            throw RigError("not seen within \(patience); last seen: \(recording.sightings.suffix(4))")
        }
        return found
    }

    /// Ends watching and returns all that was seen.
    package func finish() -> ScreenRecording {
        stop()
        return recording
    }

    private func stop() {
        state.update { $0.isStopping = true }
        thread.join()
    }

    private static func watch(
        _ windows: [WindowQuery], _ connection: XConnection, period: Int64, _ state: Monitor<State>
    ) {
        var known: [WindowQuery: UInt32] = [:]
        var last: [WindowQuery: ScreenRecording.Content] = [:]
        var next = MonotonicTime.now
        var before = next
        while true {
            for query in windows {
                let content = look(query, &known[query], connection)
                if last[query] == content { continue }
                last[query] = content
                state.update { $0.sightings.append(.init(time: MonotonicTime.now, window: query, content: content)) }
            }
            let now = MonotonicTime.now
            if now - before > ScreenRecording.blink { state.update { $0.blinks.append(before...now) } }
            before = now
            next = max(next + period, MonotonicTime.now + period / 4)
            if state.wait(until: next, { $0.isStopping ? true : nil }) != nil { return }
        }
    }

    /// One look at a window; finding it anew, which takes longer, only when it is not where it was.
    private static func look(_ query: WindowQuery, _ id: inout UInt32?, _ connection: XConnection)
        -> ScreenRecording.Content
    {
        if id.flatMap({ connection.placement($0) })?.isViewable != true { id = connection.visibleWindow(query)?.id }
        guard let known = id else { return .absent }
        return connection.frameNumber(of: known).map { .frame($0) } ?? .unreadable
    }
}
