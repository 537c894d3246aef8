import Dispatch

/// Calls a closure on the main queue 60 times a second while frames are needed. Main thread.
@MainActor
final class FrameTimer {
    /// The time between two frames, in nanoseconds.
    static let interval = 16_666_667
    /// The number of calls without a frame after which the timer stops.
    private static let longestRest = 30

    private let onFrame: () -> Bool
    private var source: (any DispatchSourceTimer)?
    private var restCount = 0

    /// Creates a timer that does not run.
    ///
    /// - Parameter onFrame: Draws a frame. Returns whether another frame is needed.
    init(onFrame: @escaping () -> Bool) { self.onFrame = onFrame }

    /// Whether the timer runs.
    var isRunning: Bool { source != nil }

    /// Starts the timer if it does not run.
    func start() {
        restCount = 0
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
        restCount = onFrame() ? 0 : restCount + 1
        if restCount > Self.longestRest { stop() }
    }
}
