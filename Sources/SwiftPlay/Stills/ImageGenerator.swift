import MediaPipeline
import SharedFrames
import SystemCalls

/// A generator of still pictures of a file (AVAssetImageGenerator). Safe to use from any thread.
///
/// The generator uses its own decoder and does not affect players. Its threads end after the last reference is
/// released.
public final class ImageGenerator: Sendable {
    /// A generated picture, or the error of its request.
    public struct Image: Sendable {
        /// The time that was requested.
        public let requestedTime: MediaTime
        /// The picture, or the error.
        public let result: Result<PixelBuffer, PlaybackError>
        /// The time of the picture in the file; ``MediaTime/invalid`` if there is none.
        public var actualTime: MediaTime { (try? result.get())?.presentationTime ?? .invalid }
    }

    /// The asset whose pictures are generated. Its duration limits the times of pictures.
    public let asset: Asset
    /// The worker that serves the requests on its own thread.
    private let worker: ThumbnailWorker

    /// Creates a generator for an asset. The first request opens the file.
    ///
    /// - Parameter asset: The asset.
    public init(asset: Asset) {
        self.asset = asset
        worker = ThumbnailWorker(asset: asset, policy: asset.policy(default: OpenPolicy()))
    }

    /// Creates a generator for a file. The first request opens the file.
    ///
    /// - Parameters:
    ///   - location: A path, or an http or https address.
    ///   - tlsVerification: The certificates of https servers that are accepted.
    public convenience init(location: String, tlsVerification: TLSVerification = .systemRoots) {
        self.init(asset: Asset(location: location, tlsVerification: tlsVerification))
    }

    /// Creates a generator for an item's file, with the network settings of the item's player.
    ///
    /// - Parameter item: The item.
    public init(item: PlayerItem) {
        let owner = item.state.withLock { $0.owner }
        asset = item.asset
        worker = ThumbnailWorker(
            asset: item.asset, policy: item.asset.policy(default: owner?.openPolicy ?? OpenPolicy()))
    }

    deinit { worker.endAfterRequests() }

    /// The maximum time by which the picture may precede the requested time
    /// (AVAssetImageGenerator.requestedTimeToleranceBefore). ``MediaTime/positiveInfinity``, the default, returns the
    /// last keyframe at or before the requested time.
    ///
    /// A keyframe within the tolerances is used, because that is fastest: the last keyframe at or before the
    /// requested time, else the first keyframe after it. If there is no keyframe, or if both tolerances are
    /// ``MediaTime/zero``, the picture is the exact frame.
    public var requestedTimeToleranceBefore: MediaTime {
        get { worker.settings.withLock { $0.toleranceBefore } }
        set { worker.settings.withLock { $0.toleranceBefore = newValue } }
    }

    /// The maximum time by which the picture may follow the requested time
    /// (AVAssetImageGenerator.requestedTimeToleranceAfter); ``MediaTime/positiveInfinity`` by default. See
    /// ``requestedTimeToleranceBefore``.
    public var requestedTimeToleranceAfter: MediaTime {
        get { worker.settings.withLock { $0.toleranceAfter } }
        set { worker.settings.withLock { $0.toleranceAfter = newValue } }
    }

    /// The maximum size of pictures; larger ones are scaled down. ``VideoSize/zero``, the default, sets no limit.
    public var maximumSize: VideoSize {
        get { worker.settings.withLock { VideoSize(width: $0.maximumSize.width, height: $0.maximumSize.height) } }
        set {
            worker.settings.withLock {
                $0.maximumSize = PixelSize(width: max(0, newValue.width), height: max(0, newValue.height))
            }
        }
    }

    /// Whether the rotation that the file states is applied; false by default
    /// (AVAssetImageGenerator.appliesPreferredTrackTransform).
    public var appliesPreferredTrackTransform: Bool {
        get { worker.settings.withLock { $0.appliesTransform } }
        set { worker.settings.withLock { $0.appliesTransform = newValue } }
    }

    /// Returns the picture at a time, with the pixel format `.bgrx` and square pixels
    /// (AVAssetImageGenerator.image(at:)).
    ///
    /// - Parameter time: A time in the file.
    /// - Returns: The picture, which has memory of its own, and its time in the file.
    /// - Throws: ``PlaybackError``: with the code `notFound` if there is no picture at `time`, `unsupported` if the
    ///   file has no video, or the code of the failure to open or decode the file. `CancellationError` if the request
    ///   was cancelled.
    public func image(at time: MediaTime) async throws -> (image: PixelBuffer, actualTime: MediaTime) {
        let requestNumber = worker.reserveRequestNumber()
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                worker.request(requestNumber, time) { continuation.resume(returning: $0) }
            }
        } onCancel: {
            worker.cancel(requestNumber)
        }
        guard let result else { throw CancellationError() }
        let image = try result.get()
        return (image, image.presentationTime)
    }

    /// Returns the pictures at several times, in the given order (AVAssetImageGenerator.images(for:)). The stream goes
    /// on if the generator is released. Releasing the stream cancels its pending requests.
    ///
    /// - Parameter times: Times in the file.
    /// - Returns: The pictures and errors.
    public func images(for times: [MediaTime]) -> AsyncStream<Image> {
        let worker = worker
        return AsyncStream { continuation in
            let requestNumbers = times.map { _ in worker.reserveRequestNumber() }
            let pendingCount = Monitor(times.count)
            continuation.onTermination = { _ in worker.cancel { requestNumbers.contains($0) } }
            if times.isEmpty { continuation.finish() }
            for (requestNumber, time) in zip(requestNumbers, times) {
                worker.request(requestNumber, time) { result in
                    if let result { continuation.yield(Image(requestedTime: time, result: result)) }
                    let isLast = pendingCount.withLock { pendingCount in
                        pendingCount -= 1
                        return pendingCount == 0
                    }
                    if isLast { continuation.finish() }
                }
            }
        }
    }

    /// Cancels all pending requests (AVAssetImageGenerator.cancelAllCGImageGeneration()): ``image(at:)`` throws
    /// `CancellationError`, and streams end.
    public func cancelAllImageGeneration() { worker.cancel { _ in true } }
}
