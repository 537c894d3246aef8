/// The free space that a transfer needs before it starts.
package enum DiskPolicy {
    /// The least space that stays free on the disk.
    package static let smallestMargin: Int64 = 64 * 1024 * 1024
    /// The time between two checks of a full disk.
    package static let checkInterval = Duration.seconds(30)

    /// What a disk permits.
    package enum Decision: Hashable, Sendable {
        case start
        /// The disk has too little free space now.
        case wait
        /// The file is larger than the whole disk.
        case refuse
    }

    /// Returns the space that stays free: 64 MiB, or 2 % of the whole file if that is more.
    package static func margin(total: Int64?) -> Int64 { max(smallestMargin, max(0, total ?? 0) / 50) }

    /// Returns whether a transfer can start.
    /// - Parameters:
    ///   - total: the length of the whole file, or nil if it is unknown.
    ///   - durableLength: the bytes that the part file holds already.
    ///   - freeBytes: the space that the user may fill (`f_bavail`).
    ///   - capacity: the size of the file system.
    package static func decision(total: Int64?, durableLength: Int64, freeBytes: Int64, capacity: Int64) -> Decision {
        if let total, total > capacity { return .refuse }
        let remaining = max(0, (total ?? 0) - max(0, durableLength))
        if total != nil, remaining == 0 { return .start }
        let (needed, overflow) = remaining.addingReportingOverflow(margin(total: total))
        return !overflow && freeBytes >= needed ? .start : .wait
    }
}
