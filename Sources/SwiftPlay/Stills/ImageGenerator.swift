import MediaPipeline
import SharedFrames
import SystemCalls

/// Takes still pictures out of a file (AVAssetImageGenerator), with a decoder of its own: nothing that plays is
/// disturbed. Any thread. Its threads end with ``cancelAllImageGeneration()``'s requests gone and the last reference
/// let go.
public final class ImageGenerator: Sendable {
    /// One picture, or why there is none.
    public struct Image: Sendable {
        /// The time that was requested.
        public let requestedTime: MediaTime
        /// The picture, or the error.
        public let result: Result<PixelBuffer, PlaybackError>
        /// When the picture is to be seen in the file; invalid where there is none.
        public var actualTime: MediaTime { (try? result.get())?.presentationTime ?? .invalid }
    }

    /// The asset whose pictures are generated. `asset.load(.duration)` says at which times there are pictures.
    public let asset: Asset
    private let worker: StillWorker

    /// Makes a generator for an asset, whose file is opened with the first request.
    public init(asset: Asset) {
        self.asset = asset
        worker = StillWorker(asset: asset, policy: asset.policy(default: OpenPolicy()))
    }

    /// Makes a generator for a file, which is opened with the first request.
    ///
    /// - Parameters:
    ///   - location: a path, or an http or https address.
    ///   - tlsVerification: which certificates of https servers are accepted.
    public convenience init(location: String, tlsVerification: TLSVerification = .systemRoots) {
        self.init(asset: Asset(location: location, tlsVerification: tlsVerification))
    }

    /// Makes a generator for an item's file, with the settings for opening of the player that the item belongs to, if
    /// there is one.
    public init(item: PlayerItem) {
        let owner = item.state.withLock { $0.owner }
        asset = item.asset
        worker = StillWorker(asset: item.asset, policy: item.asset.policy(default: owner?.openPolicy ?? OpenPolicy()))
    }

    deinit { worker.close() }

    /// How far before the requested time the picture may lie: a keyframe in there is taken, which is fastest.
    /// `.positiveInfinity`, the initial value: the keyframe before the requested time. `.zero`: the very frame.
    public var requestedTimeToleranceBefore: MediaTime {
        get { worker.settings.withLock { $0.before } }
        set { worker.settings.withLock { $0.before = newValue } }
    }

    /// How far after it. A picture after the requested time is never taken.
    public var requestedTimeToleranceAfter: MediaTime {
        get { worker.settings.withLock { $0.after } }
        set { worker.settings.withLock { $0.after = newValue } }
    }

    /// Pictures are made smaller to fit into this, in their own shape; zero = as large as they are. They are never made
    /// larger.
    public var maximumSize: VideoSize {
        get { worker.settings.withLock { VideoSize(width: $0.maximum.width, height: $0.maximum.height) } }
        set {
            worker.settings.withLock {
                $0.maximum = PixelSize(width: max(0, newValue.width), height: max(0, newValue.height))
            }
        }
    }

    /// Whether pictures that the file says are to be turned are turned. False at first.
    public var appliesPreferredTrackTransform: Bool {
        get { worker.settings.withLock { $0.appliesTransform } }
        set { worker.settings.withLock { $0.appliesTransform = newValue } }
    }

    /// The picture at `time`, as `bgr0` in square pixels, and the time it has in the file. Each picture has memory of
    /// its own, which a program may keep as long as it likes.
    ///
    /// - Throws: ``PlaybackError``; `CancellationError` when it was cancelled.
    public func image(at time: MediaTime) async throws -> (image: PixelBuffer, actualTime: MediaTime) {
        let number = worker.nextNumber()
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                worker.request(number, time) { continuation.resume(returning: $0) }
            }
        } onCancel: {
            worker.cancel(number)
        }
        guard let result else { throw CancellationError() }
        let image = try result.get()
        return (image, image.presentationTime)
    }

    /// The pictures at `times`, in that order, as they come. Letting go of the stream cancels the rest.
    public func images(for times: [MediaTime]) -> AsyncStream<Image> {
        let worker = worker
        return AsyncStream { continuation in
            let numbers = times.map { _ in worker.nextNumber() }
            let left = Monitor(times.count)
            continuation.onTermination = { _ in worker.cancel { numbers.contains($0) } }
            if times.isEmpty { continuation.finish() }
            for (number, time) in zip(numbers, times) {
                worker.request(number, time) { result in
                    if let result { continuation.yield(Image(requestedTime: time, result: result)) }
                    let isLast = left.withLock { left in
                        left -= 1
                        return left == 0
                    }
                    if isLast { continuation.finish() }
                }
            }
        }
    }

    /// What was requested and is not done is over: `image(at:)` throws, streams end.
    public func cancelAllImageGeneration() { worker.cancel { _ in true } }
}
