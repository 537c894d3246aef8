/// The state of a player's audio device: a pure value.
struct AudioDeviceState: Hashable, Sendable {
    enum Availability: Hashable, Sendable {
        case unopened
        case open
        /// A null device plays because the real one could not be opened.
        case standIn
        /// Not even a null device can be opened; final.
        case unavailable
    }

    private(set) var availability = Availability.unopened
    /// Host time until which the clock approaches the device's position slowly, so that the picture does not jump when
    /// a device is lost or returns.
    private(set) var calmUntil: Int64 = 0

    /// How long the clock corrects slowly after a disturbance, nanoseconds.
    static let calm: Int64 = 5_000_000_000

    var isOpen: Bool { availability == .open || availability == .standIn }
    var isStandIn: Bool { availability == .standIn }
    var isUnavailable: Bool { availability == .unavailable }

    mutating func opened(isStandIn: Bool) {
        if !isUnavailable { availability = isStandIn ? .standIn : .open }
    }

    /// Records that the real device plays again.
    ///
    /// - Returns: Whether it could not be opened before.
    mutating func returned(now: Int64) -> Bool {
        disturbed(now: now)
        guard isStandIn else { return false }
        availability = .open
        return true
    }

    /// Records that the device was lost, was switched, or does not play correctly.
    mutating func disturbed(now: Int64) { calmUntil = now + Self.calm }

    /// Records that no device can be opened.
    ///
    /// - Returns: Whether this is the first call.
    mutating func failed() -> Bool {
        defer { availability = .unavailable }
        return !isUnavailable
    }
}
