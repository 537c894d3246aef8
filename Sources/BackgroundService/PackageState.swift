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

    /// The progress for programs. The whole duration is 0 before the stream was planned.
    var progress: PackageProgress {
        PackageProgress(
            loaded: sums.finishedDuration, total: sums.duration, finishedParts: UInt32(clamping: sums.finishedCount),
            parts: UInt32(clamping: sums.count))
    }
}
