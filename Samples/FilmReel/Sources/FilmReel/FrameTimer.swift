import Dispatch

/// Calls a closure on the main queue 60 times a second while frames are needed. Used on the main thread.
@MainActor
final class FrameTimer {
    /// The time between two frames, in nanoseconds.
    static let interval = 16_666_667
    /// The number of successive calls that need no further frame, after which the timer stops.
    private static let maximumIdleCount = 30

    private let onFrame: () -> Bool
    private var source: (any DispatchSourceTimer)?
    private var idleCount = 0

    /// Creates a timer that does not run.
    ///
    /// - Parameter onFrame: Draws a frame, and returns whether another frame is needed.
    init(onFrame: @escaping () -> Bool) { self.onFrame = onFrame }

    /// Whether the timer runs.
    var isRunning: Bool { source != nil }

    /// Starts the timer if it does not run.
    func start() {
        idleCount = 0
        guard source == nil else { return }
        let timer = DispatchSource.makeTimerSource(flags: .strict, queue: .main)
        timer.schedule(deadline: .now(), repeating: .nanoseconds(Self.interval), leeway: .nanoseconds(0))
        timer.setEventHandler { [weak self] in
            // The main actor runs on the main queue.
            MainActor.assumeIsolated { self?.tick() }
        }
        timer.resume()
        source = timer
    }

    /// Stops the timer.
    func stop() {
        source?.cancel()
        source = nil
    }

    private func tick() {
        idleCount = onFrame() ? 0 : idleCount + 1
        if idleCount > Self.maximumIdleCount { stop() }
    }
}
