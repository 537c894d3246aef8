/// How much memory a program's players use, by its role and by how short memory is. A pure value.
///
/// The time that is read ahead does not depend on the role: a stream in a small variant needs few bytes for it, and
/// stalls if it is read ahead less.
struct MemoryBudget: Equatable, Sendable {
    /// The largest number of bytes of a network item that are read ahead.
    var readAheadByteLimit: Int
    /// The largest number of played bytes of a stream that are kept for seeking back.
    var keptByteLimit: Int
    /// The largest number of frames that are kept for reuse while no decoder or display needs them; nil for no limit.
    var spareFrameLimit: Int?

    /// - Parameters:
    ///   - role: The program's role.
    ///   - pressure: How short memory is: a warning reduces the budget to that of the next less important role, and a
    ///     critical shortage to that of the least important one.
    init(role: Application.Role, pressure: Application.MemoryPressure) {
        let level =
            switch pressure {
            case .normal: max(role.rawValue, Application.Role.backgroundMedia.rawValue)
            case .warning: max(role.rawValue - 1, Application.Role.backgroundMedia.rawValue)
            case .critical: Application.Role.backgroundMedia.rawValue
            }
        switch level {
        case Application.Role.primary.rawValue:
            (readAheadByteLimit, keptByteLimit, spareFrameLimit) = (64 << 20, 24 << 20, nil)
        case Application.Role.secondary.rawValue:
            (readAheadByteLimit, keptByteLimit, spareFrameLimit) = (24 << 20, 8 << 20, 4)
        default:
            (readAheadByteLimit, keptByteLimit, spareFrameLimit) = (8 << 20, 0, 2)
        }
    }
}
