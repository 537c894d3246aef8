/// The limits of the memory that a program's players use. They depend on the program's role and on the memory pressure.
/// A pure value.
///
/// The duration that is read ahead does not depend on the role. A stream in a small variant needs few bytes for this
/// duration, and would stall with a shorter one.
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

    /// Creates the limits for a role and a memory pressure.
    ///
    /// - Parameters:
    ///   - role: The program's role.
    ///   - pressure: The memory pressure.
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

    /// Returns the role whose limits apply. A memory warning applies the limits of the next less important role, and
    /// critical memory pressure applies the limits of background media.
    static func effectiveRole(_ role: ApplicationRole, _ pressure: MemoryPressure) -> ApplicationRole {
        switch (pressure, role) {
        case (_, .none), (_, .backgroundMedia), (.critical, _), (.warning, .secondary): .backgroundMedia
        case (.warning, .primary): .secondary
        case (.normal, _): role
        }
    }
}
