import MediaPipeline

/// How much of an item is read ahead and kept.
package struct CacheConfiguration: Sendable, Equatable {
    /// Whether much is read ahead; nil for addresses only.
    package var isEnabled: Bool?
    /// The time to read ahead in nanoseconds; nil for the default.
    package var time: Int64?
    /// The number of bytes to read ahead at most; nil for the default.
    package var bytes: Int?
    /// The number of bytes that were played and are kept for seeking back; nil for the default.
    package var keptBytes: Int?

    package init() {}

    /// Applies the settings to the configuration of the source of a location.
    func apply(to configuration: inout MediaSourceConfiguration, for location: String) {
        configuration.keptByteLimit = keptBytes
        guard isEnabled != nil || time != nil || bytes != nil else { return }
        let isRemote = if case .network? = try? configuration.policy.locate(location) { true } else { false }
        var limit = isEnabled ?? isRemote ? PacketBuffer.Limit.network : PacketBuffer.Limit()
        if isEnabled ?? isRemote {
            if let time { limit.time = time }
            if let bytes { (limit.bytes, limit.starvedBytes) = (bytes, bytes) }
        }
        configuration.packetLimit = limit
    }
}
