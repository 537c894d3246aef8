import BackgroundProtocol
import FoundationEssentials

/// The download of a whole stream into a package: a folder that `PlayerItem` and `swiftplay` play without a network.
///
/// The folder exists while the stream is downloaded, and can be played as far as the download has come.
public final class AssetDownloadTask: BackgroundSessionTask, @unchecked Sendable {
    // `@unchecked Sendable` repeats what the superclass states: this class adds no state.

    /// The folder of the package; nil before it exists.
    public var location: URL? {
        record.withLock { record in
            guard let snapshot = record.snapshot, let package = snapshot.package, package.finishedParts > 0 else {
                return nil
            }
            return URL(filePath: snapshot.file.directory + "/" + snapshot.file.name)
        }
    }

    /// The parts of the stream that have arrived, from its start.
    public var loadedTimeRanges: [Range<Duration>] {
        let loaded = record.withLock { $0.snapshot?.package?.loaded ?? 0 }
        return loaded > 0 ? [.zero..<Duration.nanoseconds(loaded)] : []
    }

    /// The time range of the whole stream; empty before the stream's playlists have arrived.
    public var timeRangeExpectedToLoad: Range<Duration> {
        .zero..<Duration.nanoseconds(record.withLock { $0.snapshot?.package?.total ?? 0 })
    }

    /// The share of the stream's duration that has arrived, 0 to 1.
    public var fractionCompleted: Double {
        record.withLock { record in
            guard let package = record.snapshot?.package, package.total > 0 else { return 0 }
            return min(1, Double(package.loaded) / Double(package.total))
        }
    }
}

/// The delegate of a session that downloads streams. All methods are optional and are called on the session's delegate
/// queue. ``BackgroundURLSessionDelegate`` describes when an event counts as delivered.
public protocol AssetDownloadDelegate: BackgroundURLSessionDelegate {
    /// The folder of a package exists. Store its location: the package stays there. Called again after a start of the
    /// program.
    func urlSession(
        _ session: BackgroundURLSession, assetDownloadTask: AssetDownloadTask, willDownloadTo location: URL)
    /// A part of a stream has arrived.
    ///
    /// - Parameters:
    ///   - session: The session of the download.
    ///   - assetDownloadTask: The download.
    ///   - timeRange: The time range that has arrived since the last call.
    ///   - totalTimeRangesLoaded: All time ranges that have arrived.
    ///   - timeRangeExpectedToLoad: The time range of the whole stream.
    func urlSession(
        _ session: BackgroundURLSession, assetDownloadTask: AssetDownloadTask, didLoad timeRange: Range<Duration>,
        totalTimeRangesLoaded: [Range<Duration>], timeRangeExpectedToLoad: Range<Duration>)
    /// A package is complete. The folder stays where it is; remove it when it is not needed any more.
    func urlSession(
        _ session: BackgroundURLSession, assetDownloadTask: AssetDownloadTask, didFinishDownloadingTo location: URL)
}

extension AssetDownloadDelegate {
    /// Does nothing.
    public func urlSession(
        _ session: BackgroundURLSession, assetDownloadTask: AssetDownloadTask, willDownloadTo location: URL
    ) {}
    /// Does nothing.
    public func urlSession(
        _ session: BackgroundURLSession, assetDownloadTask: AssetDownloadTask, didLoad timeRange: Range<Duration>,
        totalTimeRangesLoaded: [Range<Duration>], timeRangeExpectedToLoad: Range<Duration>
    ) {}
    /// Does nothing.
    public func urlSession(
        _ session: BackgroundURLSession, assetDownloadTask: AssetDownloadTask, didFinishDownloadingTo location: URL
    ) {}
}
