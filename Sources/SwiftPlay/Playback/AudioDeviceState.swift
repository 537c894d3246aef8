/// What a player knows of its audio device: a pure value.
struct AudioDeviceState: Hashable, Sendable {
    enum Availability: Hashable, Sendable {
        case unopened
        case open
        /// A null device plays because the real one could not be opened.
        case standIn
        /// Not even a null device can be opened. This is final.
        case unavailable
    }

    private(set) var availability = Availability.unopened
    /// Host time until which the clock nears the device's position slowly: when a device is lost or comes back, the
    /// picture must not jump.
    private(set) var calmUntil: Int64 = 0

    /// How long the clock is calm after a disturbance, nanoseconds.
    static let calm: Int64 = 5_000_000_000

    var isOpen: Bool { availability == .open || availability == .standIn }
    var isStandIn: Bool { availability == .standIn }
    var isUnavailable: Bool { availability == .unavailable }

    mutating func opened(isStandIn: Bool) {
        if !isUnavailable { availability = isStandIn ? .standIn : .open }
    }

    /// The real device plays again.
    ///
    /// - Returns: whether it could not be opened before.
    mutating func returned(now: Int64) -> Bool {
        disturbed(now: now)
        guard isStandIn else { return false }
        availability = .open
        return true
    }

    /// The device was lost, moved, or does not play as it should.
    mutating func disturbed(now: Int64) { calmUntil = now + Self.calm }

    /// - Returns: whether this is new.
    mutating func failed() -> Bool {
        defer { availability = .unavailable }
        return !isUnavailable
    }
}
