/// The form in which a player's device is open. Times are seconds.
struct AudioDeviceState: Sendable, Equatable {
    var sampleRate: Double
    var channels: Int
    var period: Double
    /// What the device adds to the sound that is queued in it.
    var latency: Double
}
