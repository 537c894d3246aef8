/// Delays changes of the destination's size, so that an animation or a window that is being dragged does not change the
/// variant many times.
///
/// A destination that grows takes effect immediately, or one second after the previous change. A destination that
/// shrinks or disappears takes effect after one second without a change.
package struct ViewSizeTracker: Sendable, Equatable {
    /// The time without a change of size after which a smaller destination takes effect, in nanoseconds.
    package let settlingTime: Int64
    /// The least time between two changes of the destination in use (``effectiveDestination``), in nanoseconds.
    package let minimumInterval: Int64
    /// The destination whose size ``VariantChooser`` uses.
    package private(set) var effectiveDestination = VideoDestination.unknown

    /// The destination that was recorded last.
    private var latestDestination = VideoDestination.unknown
    /// The host time of the last change of ``latestDestination``, in nanoseconds.
    private var lastChangeTime: Int64?
    /// The host time of the last change of ``effectiveDestination``, in nanoseconds.
    private var lastDecisionTime: Int64?

    package init(settlingTime: Int64 = Int64(nanosecondsOf: 1), minimumInterval: Int64 = Int64(nanosecondsOf: 1)) {
        self.settlingTime = settlingTime
        self.minimumInterval = minimumInterval
    }

    /// Records the destination's current size.
    ///
    /// - Returns: Whether ``effectiveDestination`` changed.
    package mutating func update(_ destination: VideoDestination, at now: Int64) -> Bool {
        if destination != latestDestination {
            latestDestination = destination
            lastChangeTime = now
        }
        return advance(to: now)
    }

    /// Applies a pending change of the destination if it is due.
    ///
    /// - Returns: Whether ``effectiveDestination`` changed.
    package mutating func advance(to now: Int64) -> Bool {
        guard let time = nextDecisionTime, time <= now else { return false }
        effectiveDestination = latestDestination
        lastDecisionTime = now
        return true
    }

    /// The host time at which a pending change of the destination takes effect, in nanoseconds; nil if there is no
    /// pending change. The caller calls ``advance(to:)`` at this time.
    package var nextDecisionTime: Int64? {
        guard latestDestination != effectiveDestination, let lastChangeTime else { return nil }
        let earliestDecisionTime = max(lastChangeTime, lastDecisionTime?.clampedSum(minimumInterval) ?? lastChangeTime)
        // Replace an unknown size immediately, because the first choice of a variant needs the size.
        if effectiveDestination == .unknown { return lastChangeTime }
        let isGrowing =
            latestDestination != .unknown
            && latestDestination.visiblePixelCount >= effectiveDestination.visiblePixelCount
        return isGrowing ? earliestDecisionTime : max(earliestDecisionTime, lastChangeTime.clampedSum(settlingTime))
    }
}
