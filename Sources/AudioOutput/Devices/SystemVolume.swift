import SystemCalls

/// How loud the user has set all that is heard, as ALSA's control `default` has it: that of a card, or of a sound
/// server. Any thread.
///
/// Followed on a thread of its own, which alone waits for a sound server.
package final class SystemVolume: Sendable {
    private struct State {
        /// nil until it was looked at.
        var volume: Float?
        var isClosed = false
    }

    /// Nanoseconds that the first question waits at most, and between two tries where there is no control.
    private static let patience: Int64 = 100_000_000, interval: Int64 = 2_000_000_000

    private let state = Monitor(State())
    private let wake: EventDescriptor
    private let thread = Monitor<NamedThread?>(nil)

    /// - Parameter onChange: called on the thread "sound volume" with every new value but the first.
    package init(control: String = "default", onChange: @escaping @Sendable (Float) -> Void) throws(SystemCallError) {
        wake = try EventDescriptor()
        let (state, wake) = (state, wake)
        let started = try NamedThread("sound volume") { Self.follow(control, state, wake, onChange) }
        thread.withLock { $0 = started }
    }

    deinit { close() }

    /// 0 to 1, and 0 while it is muted; 1 where nobody says.
    package var current: Float { state.wait(until: MonotonicTime.now + Self.patience) { $0.volume } ?? 1 }

    /// Ends and joins the thread, which may be waiting for a sound server. Idempotent.
    package func close() {
        state.update { $0.isClosed = true }
        wake.signal()
        thread.withLock { $0.take() }?.join()
    }

    private static func follow(
        _ control: String, _ state: Monitor<State>, _ wake: EventDescriptor, _ onChange: (Float) -> Void
    ) {
        var watch: ControlWatch?
        while true {
            if watch == nil { watch = try? ControlWatch(control) }
            publish(watch?.volume ?? 1, state, onChange)
            repeat {
                var entries = [Poll.Entry(wake.raw)] + (watch?.entries ?? [])
                guard (try? Poll.wait(&entries, until: watch == nil ? MonotonicTime.now + interval : nil)) != nil else {
                    return
                }
                wake.drain()
                if state.withLock({ $0.isClosed }) { return }
                let events = watch?.events(entries[1...]) ?? []
                if !events.isEmpty, watch?.isGone == false { publish(watch?.volume ?? 1, state, onChange) }
            } while watch?.isGone == false
            watch = nil
        }
    }

    private static func publish(_ new: Float, _ state: Monitor<State>, _ onChange: (Float) -> Void) {
        let old = state.update { state in
            defer { state.volume = new }
            return state.volume
        }
        if let old, old != new { onChange(new) }
    }
}
