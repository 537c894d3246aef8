import BackgroundProtocol
import LedgerStore

/// The state of a package: a stream that is downloaded resource by resource into a folder.
struct PackageState {
    /// The stored row.
    var row: PackageRow
    /// The parts of the stream.
    let preferences: StreamPreferences
    /// The resource that is received now, or next; nil if all have arrived.
    var resource: ResourceRow?
    /// The host and port of the resource.
    var host: String?
    /// The sums over all resources.
    var sums: ResourceSums

    /// The progress for programs; nil before the stream was planned.
    var progress: PackageProgress? {
        // The first playlist and its plan are known from the beginning.
        guard sums.finishedCount >= 2 else { return nil }
        return PackageProgress(
            loaded: sums.finishedDuration, total: sums.duration, finishedParts: UInt32(clamping: sums.finishedCount),
            parts: UInt32(clamping: sums.count))
    }
}
