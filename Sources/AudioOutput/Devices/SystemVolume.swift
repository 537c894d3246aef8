import SystemCalls

/// The user's playback volume, from ALSA's control `default` of a card or a sound server. Safe to use from any thread.
///
/// A separate thread tracks the volume; only this thread queries a sound server.
package final class SystemVolume: Sendable {
    /// The tracked volume, protected by a lock.
    private struct State {
        /// The volume that was read or returned most recently, 0 to 1; nil before both.
        var volume: Float?
        var isClosed = false
    }

    /// The maximum wait for the first volume, and the delay between attempts to open the control, in nanoseconds.
    private static let firstVolumeTimeout: Int64 = 100_000_000, retryInterval: Int64 = 2_000_000_000

    private let state = Monitor(State())
    /// The event descriptor that wakes the thread when it must end.
    private let wake: EventDescriptor
    private let thread = Monitor<NamedThread?>(nil)

    /// Starts tracking the volume.
    ///
    /// - Parameter onChange: Called on the volume thread with every new value except the first, which is also reported
    ///   if ``current`` has returned 1 before it was known.
    /// - Throws: `SystemCallError` if the thread or its event descriptor cannot be created.
    package init(control: String = "default", onChange: @escaping @Sendable (Float) -> Void) throws(SystemCallError) {
        wake = try EventDescriptor()
        let (state, wake) = (state, wake)
        let newThread = try NamedThread("sound volume") { Self.trackVolume(control, state, wake, onChange) }
        thread.withLock { $0 = newThread }
    }

    deinit { close() }

    /// The volume from 0 to 1: 0 while muted, 1 if it is not known. Waits at most 100 ms for the first value.
    package var current: Float {
        if let volume = state.wait(until: MonotonicTime.now + Self.firstVolumeTimeout, { $0.volume }) { return volume }
        return state.update { state in
            let volume = state.volume ?? 1
            state.volume = volume
            return volume
        }
    }

    /// Stops and joins the thread, which may be waiting for a sound server. Idempotent.
    package func close() {
        state.update { $0.isClosed = true }
        wake.signal()
        thread.withLock { $0.take() }?.join()
    }

    /// Runs on the volume thread: opens the control, publishes volumes, and opens the control again after a loss.
    private static func trackVolume(
        _ control: String, _ state: Monitor<State>, _ wake: EventDescriptor, _ onChange: (Float) -> Void
    ) {
        var monitor: CardControlMonitor?
        while true {
            if monitor == nil { monitor = try? CardControlMonitor(control) }
            publish(monitor?.volume ?? 1, state, onChange)
            repeat {
                var entries = [Poll.Entry(wake.raw)] + (monitor?.pollEntries ?? [])
                guard
                    (try? Poll.wait(&entries, until: monitor == nil ? MonotonicTime.now + retryInterval : nil)) != nil
                else { return }
                wake.drain()
                if state.withLock({ $0.isClosed }) { return }
                let events = monitor?.events(entries[1...]) ?? []
                if !events.isEmpty, monitor?.isRemoved == false { publish(monitor?.volume ?? 1, state, onChange) }
            } while monitor?.isRemoved == false
            monitor = nil
        }
    }

    /// Stores a volume, and reports the volume if it differs from the previous one.
    private static func publish(_ newVolume: Float, _ state: Monitor<State>, _ onChange: (Float) -> Void) {
        let previousVolume = state.update { state in
            defer { state.volume = newVolume }
            return state.volume
        }
        if let previousVolume, previousVolume != newVolume { onChange(newVolume) }
    }
}
