import MediaPipeline
import SharedFrames
import SystemCalls
import VideoOutput

/// The source of the pictures of an image generator: opens the file, seeks, decodes and scales. Used by one thread.
final class ThumbnailSource {
    /// The asset whose pictures are generated.
    private let asset: Asset
    /// The policy for opening the asset.
    private let policy: OpenPolicy
    /// The video track whose pictures are generated.
    private let track: TrackChoice.Selection
    /// The pictures to deinterlace.
    private let deinterlacing: Deinterlacing
    /// Reads and decodes the file; nil until the first request.
    private var source: (any MediaSource)?
    /// The properties of the file; nil until it is open.
    private var info: MediaInfo?
    /// The error with which opening failed. Later requests fail with the same error.
    private var openingError: PlaybackError?
    /// The number of the newest seek. Frames that are decoded after the seek carry this number.
    private var generation: UInt32 = 0
    /// The pool of memory for decoded frames.
    private let framePool = FramePool(limit: FramePool.Limit(frameCount: 48))
    /// Scales and converts a frame to the generated picture.
    private let scaler = PictureScaler()

    init(
        asset: Asset, policy: OpenPolicy, track: TrackChoice.Selection = .automatic,
        deinterlacing: Deinterlacing = .automatic
    ) {
        (self.asset, self.policy) = (asset, policy)
        (self.track, self.deinterlacing) = (track, deinterlacing)
    }

    /// The time between checks whether a waiting request was cancelled, in nanoseconds.
    private static let cancellationInterval: Int64 = 50_000_000

    /// Returns the picture at a time. Blocks until the picture is decoded, the request fails or `isWanted` returns
    /// false.
    func picture(at time: MediaTime, _ settings: ThumbnailWorker.Settings, while isWanted: () -> Bool) -> Result<
        PixelBuffer, PlaybackError
    > {
        do {
            let (source, info) = try openIfNeeded(while: isWanted)
            guard info.video != nil else {
                throw PlaybackError(.unsupported, "\(asset.displayedLocation): the file has no video")
            }
            guard let targetTime = time.nanoseconds, targetTime >= 0, targetTime <= info.duration ?? .max else {
                throw PlaybackError(
                    .notFound, "\(asset.displayedLocation): the video has no picture at \(time)")
            }
            generation &+= 1
            // An invalid or negative tolerance means zero.
            let precision = SeekRequest.Precision(
                at: targetTime, toleranceBefore: settings.toleranceBefore, toleranceAfter: settings.toleranceAfter)
            source.seek(SeekRequest(time: targetTime, precision: precision ?? .exact, generation: generation))
            return .success(try makePixelBuffer(try frame(of: source, at: time, while: isWanted), settings))
        } catch let error as PlaybackError {
            return .failure(error)
        } catch { return .failure(PlaybackError(.resources, "\(error)", underlying: error)) }
    }

    /// Returns the frame at a time, with all its samples. Blocks until the frame is decoded, the request fails or
    /// `isWanted` returns false.
    func frame(at time: MediaTime, while isWanted: () -> Bool) throws -> VideoFrame {
        let (source, _) = try openIfNeeded(while: isWanted)
        generation &+= 1
        source.seek(SeekRequest(time: time.nanoseconds ?? 0, precision: .exact, generation: generation))
        return try frame(of: source, at: time, while: isWanted)
    }

    /// Closes the file.
    func close() {
        source?.close()
        source = nil
    }

    /// Returns the source and the properties of the open file. Opens the file first if necessary, and blocks until it
    /// is open.
    private func openIfNeeded(while isWanted: () -> Bool) throws -> (any MediaSource, MediaInfo) {
        if let openingError { throw openingError }
        if let source, let info { return (source, info) }
        var configuration = MediaSourceConfiguration()
        configuration.policy = policy
        configuration.deinterlacing = deinterlacing
        configuration.tracks.selections.video = track
        configuration.tracks.selections.audio = .off
        configuration.tracks.selections.subtitle = .off
        configuration.readsOtherTracks = false
        // Read little ahead, also from network addresses: a still picture needs little media beyond its own frame.
        configuration.packetLimit = PacketBuffer.Limit()
        let source: any MediaSource =
            try self.source
            ?? LocalMediaSource(
                location: asset.location, configuration: configuration, pool: framePool, arrival: EventDescriptor(),
                audioArrival: EventDescriptor())
        if self.source == nil {
            try source.start()
            self.source = source
        }
        while isWanted() {
            switch source.events.pop(until: MonotonicTime.now + Self.cancellationInterval) {
            case .opened(let info):
                self.info = info
                asset.provide(info)
                return (source, info)
            case .failed(let error):
                let openingError = PlaybackError(error)
                self.openingError = openingError
                throw openingError
            default: continue
            }
        }
        throw PlaybackError(.input, "cancelled")
    }

    /// Returns the frame that the newest seek has found. Blocks until the frame is decoded.
    private func frame(of source: any MediaSource, at time: MediaTime, while isWanted: () -> Bool) throws -> VideoFrame
    {
        while isWanted() {
            while let event = source.events.popIfAny() {
                switch event {
                case .failed(let error), .trackFailed(_, let error), .seekFailed(generation, let error):
                    throw PlaybackError(error)
                default: continue
                }
            }
            switch source.video.pop(until: MonotonicTime.now + Self.cancellationInterval) {
            case .frame(let frame) where frame.generation == generation: return frame
            case .end:
                throw PlaybackError(
                    .notFound, "\(asset.displayedLocation): the video has no picture at \(time)")
            default: continue
            }
        }
        throw PlaybackError(.input, "cancelled")
    }

    /// Returns the frame as a picture in square pixels, scaled down to the maximum size of the settings.
    private func makePixelBuffer(_ frame: VideoFrame, _ settings: ThumbnailWorker.Settings) throws -> PixelBuffer {
        var attributes = frame.format.attributes
        if !settings.appliesTransform { attributes.orientation = .upright }
        let sourceFormat = FrameFormat(layout: frame.format.layout, attributes: attributes)
        let fullSize = sourceFormat.displaySize, maximumSize = settings.maximumSize
        let sizeLimit = PixelSize(
            width: maximumSize.width > 0 ? min(maximumSize.width, fullSize.width) : fullSize.width,
            height: maximumSize.height > 0 ? min(maximumSize.height, fullSize.height) : fullSize.height)
        let placement = Placement(
            picture: sourceFormat.orientedSize, displaySize: fullSize, areaSize: sizeLimit, gravity: .resizeAspect)
        let size = placement.destination.size
        let stride = (size.width * 4 + 63) & ~63
        guard let format = PixelFormat(name: "bgr0"),
            let layout = FrameLayout(
                pixelFormat: format, width: size.width, height: size.height,
                planes: [FrameLayout.Plane(offset: 0, stride: stride)])
        else {
            throw PlaybackError(
                .unsupported,
                "\(asset.displayedLocation): a picture of \(fullSize.width)x\(fullSize.height) pixels cannot be created"
            )
        }
        let buffer = try FrameBuffer(unpooledSize: stride * size.height + FrameLayout.overreadPadding)
        let isDrawn = frame.withPicture { picture in
            scaler.draw(
                picture, format: sourceFormat, source: sourceFormat.visibleRect, into: buffer.base, size: size,
                stride: stride)
        }
        guard isDrawn else {
            throw PlaybackError(
                .unsupported, "pictures of pixel format \(sourceFormat.layout.pixelFormat) cannot be converted")
        }
        var pictureAttributes = PictureAttributes()
        pictureAttributes.isFullRange = true
        return PixelBuffer(
            VideoFrame(
                id: frame.id, buffer: buffer, format: FrameFormat(layout: layout, attributes: pictureAttributes),
                presentationTime: frame.presentationTime, duration: frame.duration, streamTime: frame.streamTime,
                generation: frame.generation))
    }
}
