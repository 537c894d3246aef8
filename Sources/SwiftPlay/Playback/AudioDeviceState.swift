/// The state of a player's audio device: a pure value.
struct AudioDeviceState: Hashable, Sendable {
    /// The result of opening the audio device.
    enum Availability: Hashable, Sendable {
        /// No device was opened yet.
        case unopened
        /// The real device was opened.
        case open
        /// A null device plays because the real device could not be opened.
        case nullDevice
        /// Not even a null device can be opened. This state is final.
        case unavailable
    }

    /// The result of opening the audio device. A later loss, during which a null device plays, does not change it.
    private(set) var availability = Availability.unopened
    /// The host time, in nanoseconds, until which the player's clock approaches the device's position slowly, so that
    /// the picture does not jump after the device was lost or has returned.
    private(set) var slowCorrectionEnd: Int64 = 0

    /// The duration of the slow correction of the player's clock after the device was lost or has returned, in
    /// nanoseconds.
    static let slowCorrectionDuration: Int64 = 5_000_000_000

    /// Whether the real device or a null device is open.
    var isOpen: Bool { availability == .open || availability == .nullDevice }
    /// Whether a null device plays because the real device could not be opened.
    var isNullDevice: Bool { availability == .nullDevice }
    /// Whether not even a null device can be opened.
    var isUnavailable: Bool { availability == .unavailable }

    /// Records that the real audio device or a null device was opened.
    mutating func didOpen(isNullDevice: Bool) {
        if !isUnavailable { availability = isNullDevice ? .nullDevice : .open }
    }

    /// Records that the real device plays again.
    ///
    /// - Returns: Whether a null device has played until now because the real device could not be opened.
    mutating func didReturn(now: Int64) -> Bool {
        correctSlowly(now: now)
        guard isNullDevice else { return false }
        availability = .open
        return true
    }

    /// Starts the slow correction of the player's clock, because the device was lost, was switched, or does not play
    /// correctly.
    mutating func correctSlowly(now: Int64) { slowCorrectionEnd = now + Self.slowCorrectionDuration }

    /// Records that not even a null device can be opened.
    ///
    /// - Returns: false if the device was unavailable already.
    mutating func didBecomeUnavailable() -> Bool {
        defer { availability = .unavailable }
        return !isUnavailable
    }
}
