/// The last measured throughput from a host, with which a later item from the same host starts.
package struct RememberedThroughput: Sendable, Equatable {
    /// The measured throughput in bits per second.
    package let bitsPerSecond: Double
    /// The host time of the measurement, in nanoseconds.
    package let time: Int64

    package init(bitsPerSecond: Double, time: Int64) {
        self.bitsPerSecond = bitsPerSecond
        self.time = time
    }
}
