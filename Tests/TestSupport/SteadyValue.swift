import SystemCalls

/// A value that is read again and again until it has stayed the same for a while, for example the area of a window that
/// is being moved.
package struct SteadyValue<Value: Equatable> {
    /// The value that was read last; nil before the first one.
    package private(set) var last: Value?
    /// The host time at which the value last changed, in nanoseconds.
    private var lastChangeTime = MonotonicTime.now
    /// The time for which the value must stay the same, in nanoseconds.
    private let period: Int64

    /// Creates a value that is steady after `period` without a change.
    package init(for period: Duration = .milliseconds(250)) { self.period = Deadline.nanoseconds(period) }

    /// Adds a value that was read. nil stands for a value that does not exist at the moment, which is never steady.
    ///
    /// - Returns: whether the value has stayed the same for the period.
    package mutating func isSteady(_ value: Value?) -> Bool {
        let now = MonotonicTime.now
        if value != last { (last, lastChangeTime) = (value, now) }
        return value != nil && now - lastChangeTime >= period
    }
}
