import Dispatch

/// A still image that has been played to its end and is shown for the rest of its time. A pause stops the time. Main
/// queue only.
@MainActor
final class HeldImage {
    /// Whether the display time of the image is stopped.
    var isPaused = false {
        didSet { if isPaused != oldValue { isPaused ? stop() : start() } }
    }
    /// The time for which the image is still shown, in nanoseconds, at the last start of the timer; nil without end.
    private var remainingTime: UInt64?
    /// The time at which the timer was started.
    private var startTime = DispatchTime.now()
    /// The pending end of the image; nil while the time is stopped.
    private var timer: DispatchWorkItem?
    /// Called when the time has passed.
    private let onEnd: @MainActor () -> Void

    /// Starts the time of an image.
    ///
    /// - Parameters:
    ///   - seconds: The time for which the image is shown; infinite for no end.
    ///   - onEnd: Called when the time has passed, unless this object has been released.
    init(seconds: Double, onEnd: @escaping @MainActor () -> Void) {
        remainingTime = UInt64(exactly: (seconds * 1e9).rounded()).flatMap { $0 < .max / 4 ? $0 : nil }
        self.onEnd = onEnd
        start()
    }

    /// Starts the timer for the remaining time.
    private func start() {
        guard let remainingTime else { return }
        startTime = .now()
        let timer = DispatchWorkItem { [weak self] in MainActor.assumeIsolated { self?.onEnd() } }
        self.timer = timer
        DispatchQueue.main.asyncAfter(deadline: startTime + .nanoseconds(Int(remainingTime)), execute: timer)
    }

    /// Stops the timer, and records the remaining time.
    private func stop() {
        timer?.cancel()
        timer = nil
        let now = DispatchTime.now().uptimeNanoseconds, start = startTime.uptimeNanoseconds
        remainingTime = remainingTime.map { $0 - min($0, now - min(now, start)) }
    }
}
