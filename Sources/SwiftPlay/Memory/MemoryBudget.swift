/// How much memory a program's players use, by its role and by how short memory is. A pure value.
///
/// The time that is read ahead does not depend on the role: a stream in a small variant needs few bytes for it, and
/// stalls if it is read ahead less.
struct MemoryBudget: Equatable, Sendable {
    /// The largest number of bytes of a network item that are read ahead.
    var readAheadByteLimit: Int
    /// The largest number of played bytes of a stream that are kept for seeking back.
    var keptByteLimit: Int
    /// The largest number of received bytes of a single file from the network that are kept.
    var cacheByteLimit: Int
    /// The largest number of video decoding threads; nil for no limit.
    var decoderThreadLimit: Int?
    /// The largest number of frames that are kept for reuse while no decoder or display needs them; nil for no limit.
    var spareFrameLimit: Int?

    /// - Parameters:
    ///   - role: The program's role.
    ///   - pressure: How short memory is.
    init(role: ApplicationRole, pressure: MemoryPressure) {
        switch Self.effectiveRole(role, pressure) {
        case .primary:
            (readAheadByteLimit, keptByteLimit, cacheByteLimit) = (64 << 20, 24 << 20, 114 << 20)
        case .secondary:
            (readAheadByteLimit, keptByteLimit, cacheByteLimit) = (24 << 20, 8 << 20, 32 << 20)
            spareFrameLimit = 4
        case .backgroundMedia, .none:
            (readAheadByteLimit, keptByteLimit, cacheByteLimit) = (8 << 20, 0, 4 << 20)
            (spareFrameLimit, decoderThreadLimit) = (2, 2)
        }
    }

    /// The role whose limits apply: a warning reduces them to those of the next less important role, and a critical
    /// shortage to those of background media.
    static func effectiveRole(_ role: ApplicationRole, _ pressure: MemoryPressure) -> ApplicationRole {
        switch (pressure, role) {
        case (_, .none), (_, .backgroundMedia), (.critical, _), (.warning, .secondary): .backgroundMedia
        case (.warning, .primary): .secondary
        case (.normal, _): role
        }
    }
}
