import MediaPipeline
import SharedFrames
import SystemCalls
import VideoOutput

/// Takes still pictures out of a file (AVAssetImageGenerator), with a decoder of its own: nothing that plays is disturbed. Any thread.
/// Its threads end with ``cancelAllImageGeneration()``'s requests gone and the last reference let go.
public final class ImageGenerator: Sendable {
    /// One picture, or why there is none.
    public struct Image: Sendable {
        public let requestedTime: MediaTime
        public let result: Result<PixelBuffer, PlaybackError>
        /// When the picture is to be seen in the file; invalid where there is none.
        public var actualTime: MediaTime { (try? result.get())?.presentationTime ?? .invalid }
    }

    private let worker: StillWorker

    /// - Parameter location: a path, or an http or https address. It is opened with the first request.
    public init(location: String) { worker = StillWorker(location: location) }
    public convenience init(item: PlayerItem) { self.init(location: item.location) }

    deinit { worker.close() }

    /// How far before the requested time the picture may lie. `.positiveInfinity`, which it is at first: the keyframe before it will do,
    /// which is fastest; `.zero`: the very frame.
    public var requestedTimeToleranceBefore: MediaTime {
        get { worker.settings.withLock { $0.before } }
        set { worker.settings.withLock { $0.before = newValue } }
    }

    /// How far after it. A picture after the requested time is never taken.
    public var requestedTimeToleranceAfter: MediaTime {
        get { worker.settings.withLock { $0.after } }
        set { worker.settings.withLock { $0.after = newValue } }
    }

    /// Pictures are made smaller to fit into this, in their own shape; zero = as large as they are. They are never made larger.
    public var maximumSize: (width: Int, height: Int) {
        get { worker.settings.withLock { ($0.maximum.width, $0.maximum.height) } }
        set { worker.settings.withLock { $0.maximum = PixelSize(width: max(0, newValue.width), height: max(0, newValue.height)) } }
    }

    /// Whether pictures that the file says are to be turned are turned. False at first.
    public var appliesPreferredTrackTransform: Bool {
        get { worker.settings.withLock { $0.appliesTransform } }
        set { worker.settings.withLock { $0.appliesTransform = newValue } }
    }

    /// The picture at `time`, as `bgr0` in square pixels, and the time it has in the file.
    ///
    /// - Throws: ``PlaybackError``; `CancellationError` when it was cancelled.
    public func image(at time: MediaTime) async throws -> (image: PixelBuffer, actualTime: MediaTime) {
        let number = worker.nextNumber()
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in worker.request(number, time) { continuation.resume(returning: $0) } }
        } onCancel: {
            worker.cancel { $0 == number }
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

/// The thread "stills" and what it works on.
final class StillWorker: Sendable {
    struct Settings: Sendable {
        var before = MediaTime.positiveInfinity
        var after = MediaTime.positiveInfinity
        var maximum = PixelSize(width: 0, height: 0)
        var appliesTransform = false
    }

    typealias Answer = @Sendable (Result<PixelBuffer, PlaybackError>?) -> Void

    private struct Request: Sendable {
        var number: UInt64
        var time: MediaTime
        var settings: Settings
        var answer: Answer
    }

    private struct State {
        var waiting: [Request] = []
        /// What the thread is at; nil number: it was cancelled.
        var running: Request?
        var lastNumber: UInt64 = 0
        var isClosed = false
        /// Cancelled before it was even asked for.
        var cancelled: Set<UInt64> = []
    }

    let settings = Monitor(Settings())
    private let location: String
    private let state = Monitor(State())
    private let thread = Monitor<NamedThread?>(nil)

    init(location: String) { self.location = location }

    func nextNumber() -> UInt64 {
        state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
    }

    func request(_ number: UInt64, _ time: MediaTime, _ answer: @escaping Answer) {
        let settings = settings.withLock { $0 }
        let isTaken = state.update { state in
            guard !state.isClosed, state.cancelled.remove(number) == nil else { return false }
            state.waiting.append(Request(number: number, time: time, settings: settings, answer: answer))
            return true
        }
        guard isTaken else { return answer(nil) }
        do throws(SystemCallError) {
            try thread.withLock { thread throws(SystemCallError) in
                if thread == nil { thread = try NamedThread("stills") { self.run() } }
            }
        } catch { cancel { $0 == number } }
    }

    func cancel(_ isMeant: (UInt64) -> Bool) {
        let over = state.update { state -> [Request] in
            var over = state.waiting.filter { isMeant($0.number) }
            state.waiting.removeAll { isMeant($0.number) }
            if let running = state.running, isMeant(running.number) {
                over.append(running)
                state.running = nil
            }
            return over
        }
        for request in over { request.answer(nil) }
    }

    func close() {
        state.update { $0.isClosed = true }
        cancel { _ in true }
        thread.withLock { $0.take() }?.join()
    }

    // MARK: the thread "stills"

    private func run() {
        let stills = StillSource(location: location)
        defer { stills.close() }
        while true {
            let next: Request?? = state.wait { state in
                if state.isClosed { return .some(nil) }
                guard !state.waiting.isEmpty else { return nil }
                let request = state.waiting.removeFirst()
                state.running = request
                return .some(request)
            }
            guard let request = next ?? nil else { return }
            let result = stills.picture(at: request.time, request.settings) { [state] in
                state.withLock { $0.running?.number == request.number && !$0.isClosed }
            }
            let isWanted = state.withLock { state in
                guard state.running?.number == request.number else { return false }
                state.running = nil
                return true
            }
            if isWanted { request.answer(result) }
        }
    }
}

/// A file that stills are taken out of. One thread.
final class StillSource {
    private let location: String
    private var source: MediaSource?
    private var info: MediaInfo?
    private var failure: PlaybackError?
    private var generation: UInt32 = 0
    private let decoded = FramePool(limit: FramePool.Limit(frames: 48)), made = FramePool()
    private let scaler = PictureScaler()

    init(location: String) { self.location = location }

    /// How often somebody who waits looks whether he is still to wait, nanoseconds.
    private static let lookInterval: Int64 = 50_000_000

    func picture(at time: MediaTime, _ settings: StillWorker.Settings, while isWanted: () -> Bool) -> Result<PixelBuffer, PlaybackError> {
        do {
            let (source, info) = try opened(while: isWanted)
            guard info.video != nil else { throw PlaybackError(.unsupported, "there is no picture in it") }
            guard let target = time.nanoseconds, target >= 0, target <= info.duration ?? .max else {
                throw PlaybackError(.notFound, "there is no picture at \(time)")
            }
            generation &+= 1
            let before = settings.before.nanoseconds
            source.seek(SeekRequest(
                time: max(0, target - (before ?? 0)), precision: before == nil ? .keyframe : .exact, generation: generation))
            return .success(try shaped(try frame(of: source, at: time, while: isWanted), settings))
        } catch let error as PlaybackError {
            return .failure(error)
        } catch { return .failure(PlaybackError(.resources, "\(error)", underlying: error)) }
    }

    func close() {
        source?.close()
        source = nil
    }

    private func opened(while isWanted: () -> Bool) throws -> (MediaSource, MediaInfo) {
        if let failure { throw failure }
        if let source, let info { return (source, info) }
        var configuration = MediaSource.Configuration()
        configuration.tracks.audio = .off
        configuration.tracks.subtitle = .off
        configuration.readsOtherTracks = false
        let source = try self.source ?? MediaSource(
            location: location, configuration: configuration, pool: decoded, arrival: EventDescriptor(), soundArrival: EventDescriptor())
        if self.source == nil {
            self.source = source
            try source.start()
        }
        while isWanted() {
            switch source.events.pop(until: MonotonicTime.now + Self.lookInterval) {
            case .opened(let info):
                self.info = info
                return (source, info)
            case .failed(let error):
                let failure = PlaybackError(error)
                self.failure = failure
                throw failure
            default: continue
            }
        }
        throw PlaybackError(.input, "cancelled")
    }

    private func frame(of source: MediaSource, at time: MediaTime, while isWanted: () -> Bool) throws -> VideoFrame {
        while isWanted() {
            while let event = source.events.popIfAny() {
                switch event {
                case .failed(let error), .trackFailed(_, let error), .seekFailed(generation, let error): throw PlaybackError(error)
                default: continue
                }
            }
            switch source.video.pop(until: MonotonicTime.now + Self.lookInterval) {
            case .frame(let frame) where frame.generation == generation: return frame
            case .end: throw PlaybackError(.notFound, "there is no picture at \(time)")
            default: continue
            }
        }
        throw PlaybackError(.input, "cancelled")
    }

    /// The picture in square pixels, no larger than asked for.
    private func shaped(_ frame: VideoFrame, _ settings: StillWorker.Settings) throws -> PixelBuffer {
        var attributes = frame.format.attributes
        if !settings.appliesTransform { attributes.orientation = .upright }
        let source = FrameFormat(layout: frame.format.layout, attributes: attributes)
        let full = source.displaySize, maximum = settings.maximum
        let limit = PixelSize(
            width: maximum.width > 0 ? min(maximum.width, full.width) : full.width,
            height: maximum.height > 0 ? min(maximum.height, full.height) : full.height)
        let size = Placement(picture: source.orientedSize, displaySize: full, place: limit, gravity: .resizeAspect).destination.size
        let stride = (size.width * 4 + 63) & ~63
        guard let format = PixelFormat(name: "bgr0"),
            let shape = FrameLayout(
                pixelFormat: format, width: size.width, height: size.height, planes: [FrameLayout.Plane(offset: 0, stride: stride)])
        else { throw PlaybackError(.unsupported, "a picture of \(full.width)x\(full.height) cannot be made") }
        let buffer = try made.acquire(size: stride * size.height + FrameLayout.slack)
        let isDrawn = frame.withPicture { picture in
            scaler.draw(picture, format: source, source: source.visible, into: buffer.base, size: size, stride: stride)
        }
        guard isDrawn else { throw PlaybackError(.unsupported, "pictures of pixel format \(source.layout.pixelFormat) cannot be converted") }
        var drawn = PictureAttributes()
        drawn.isFullRange = true
        return PixelBuffer(VideoFrame(
            id: frame.id, buffer: buffer, format: FrameFormat(layout: shape, attributes: drawn),
            presentationTime: frame.presentationTime, duration: frame.duration, streamTime: frame.streamTime, generation: frame.generation))
    }
}
