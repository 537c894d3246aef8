import HTTPTransfer
import MediaPipeline

/// The limits on how much of an item is read ahead, and on how much played data is kept for seeking back.
package struct CacheConfiguration: Sendable, Equatable {
    /// Whether the large read-ahead buffer is used; nil uses it for network addresses only.
    package var isEnabled: Bool?
    /// The time to read ahead in nanoseconds; nil for the default.
    package var readAheadDuration: Int64?
    /// The number of bytes to read ahead at most; nil for the default.
    package var readAheadByteLimit: Int?
    /// The maximum number of played bytes that are kept for seeking back; nil for the default.
    package var keptByteLimit: Int?

    package init() {}

    /// The maximum number of played bytes that are kept for seeking back if ``keptByteLimit`` is nil.
    package static let defaultKeptByteLimit = HTTPFile.defaultCacheLimit

    /// Applies these limits to the configuration of the media source for a path or network address.
    func apply(to configuration: inout MediaSourceConfiguration, for location: String) {
        configuration.keptByteLimit = keptByteLimit
        guard isEnabled != nil || readAheadDuration != nil || readAheadByteLimit != nil else { return }
        let isRemote = if case .network? = try? configuration.policy.locate(location) { true } else { false }
        var limit = isEnabled ?? isRemote ? PacketBuffer.Limit.network : PacketBuffer.Limit()
        if isEnabled ?? isRemote {
            if let readAheadDuration { limit.time = readAheadDuration }
            if let readAheadByteLimit {
                (limit.bytes, limit.absoluteMaximumBytes) = (readAheadByteLimit, readAheadByteLimit)
            }
        }
        configuration.packetLimit = limit
    }
}
