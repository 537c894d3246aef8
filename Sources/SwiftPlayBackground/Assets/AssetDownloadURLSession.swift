import BackgroundProtocol
import Dispatch
import FoundationEssentials
import SystemCalls

/// A session that downloads whole streams (HLS) for playing without a network, as `AVAssetDownloadURLSession` on
/// Apple's systems. The downloads go on when the program has ended.
public final class AssetDownloadURLSession: BackgroundURLSession, @unchecked Sendable {
    // `@unchecked Sendable` repeats what the superclass states: this class adds no state.

    /// Creates a session and attaches it to the service, which is started if necessary.
    ///
    /// - Parameters:
    ///   - configuration: The configuration with the identifier of the session.
    ///   - assetDownloadDelegate: The delegate, which receives all events.
    ///   - delegateQueue: A serial queue for calls of the delegate; nil for a new one.
    public init(
        configuration: BackgroundURLSessionConfiguration, assetDownloadDelegate: (any AssetDownloadDelegate)?,
        delegateQueue: DispatchQueue? = nil
    ) {
        super.init(
            configuration: configuration, delegate: assetDownloadDelegate, delegateQueue: delegateQueue,
            link: BackgroundConnection.shared.link)
        start()
    }

    /// Creates a download of a stream, which is suspended.
    ///
    /// - Parameters:
    ///   - downloadConfiguration: The stream, and the parts of it that are downloaded.
    ///   - description: A text that survives a restart of the program, such as a key of the program's own.
    public func makeAssetDownloadTask(
        downloadConfiguration: AssetDownloadConfiguration, description: String = ""
    ) -> AssetDownloadTask {
        let request = downloadConfiguration.request
        let task = AssetDownloadTask(
            uuid: Self.makeUUID(), request: request, snapshot: nil, description: description, link: link)
        create(task, request, upload: nil, earliestBegin: nil, package: downloadConfiguration)
        return task
    }

    /// Downloads a stream and waits for its end.
    ///
    /// If the program exits before the end of the download, the download continues, and the delegate receives its
    /// events after the next start of the program. If the calling task is cancelled, the download is cancelled.
    ///
    /// - Returns: The folder of the package.
    /// - Throws: ``BackgroundURLError`` if the download fails.
    public func download(_ configuration: AssetDownloadConfiguration, description: String = "") async throws -> URL {
        let request = configuration.request
        let task = AssetDownloadTask(
            uuid: Self.makeUUID(), request: request, snapshot: nil, description: description, link: link)
        return try await withTaskCancellationHandler {
            _ = try await withCheckedThrowingContinuation { continuation in
                let waiter = AsyncDownload(destination: nil, continuation: continuation)
                task.record.withLock { $0.waiter = waiter }
                create(task, request, upload: nil, earliestBegin: nil, package: configuration)
                task.resume()
            }
            guard let location = task.location else {
                throw BackgroundURLError(code: -3000, "the folder of the package is unknown")
            }
            return location
        } onCancel: {
            task.cancel()
        }
    }
}

extension BackgroundURLSession {
    /// Reports the location and the progress of a package to the delegate. Called on the link's thread.
    func reportPackage(_ task: AssetDownloadTask) {
        delegateQueue.async { [self] in
            guard let delegate = delegate as? any AssetDownloadDelegate, let location = task.location,
                !task.record.withLock({ $0.isCompleted })
            else { return }
            let (isNewLocation, oldLoaded, loaded) = task.record.withLock { record in
                let loaded = record.snapshot?.package?.loaded ?? 0
                defer { record.reportedPackage = ReportedPackage(loaded: loaded, hasLocation: true) }
                return (!record.reportedPackage.hasLocation, record.reportedPackage.loaded, loaded)
            }
            if isNewLocation { delegate.urlSession(self, assetDownloadTask: task, willDownloadTo: location) }
            guard loaded > oldLoaded else { return }
            delegate.urlSession(
                self, assetDownloadTask: task, didLoad: .nanoseconds(oldLoaded)..<Duration.nanoseconds(loaded),
                totalTimeRangesLoaded: task.loadedTimeRanges, timeRangeExpectedToLoad: task.timeRangeExpectedToLoad)
        }
    }

    /// Reports that a package is complete. Called on the delegate queue.
    func reportEnd(of task: AssetDownloadTask) {
        guard let location = task.location, task.record.withLock({ $0.waiter }) == nil else { return }
        (delegate as? any AssetDownloadDelegate)?.urlSession(
            self, assetDownloadTask: task, didFinishDownloadingTo: location)
    }
}
