import Dispatch
import SharedFrames
import SystemCalls
import VideoOutput

/// A layer that shows pictures of the program at their presentation times (AVSampleBufferDisplayLayer).
/// Safe to use from any thread.
///
/// The pictures come from a ``PixelBufferPool`` or from a ``PlayerItemVideoOutput``. A layer has a thread ("sample
/// layer"), which ends with the last reference.
public final class SampleBufferDisplayLayer: Sendable {
    /// Whether the layer shows pictures (AVQueuedSampleBufferRenderingStatus).
    public enum Status: Sendable {
        /// No picture was shown yet.
        case unknown
        /// A picture was shown.
        case rendering
        /// Too many pictures were waiting. The layer refuses pictures until ``SampleBufferDisplayLayer/flush()``; see
        /// ``SampleBufferDisplayLayer/error``.
        case failed
    }

    /// The presenter that the layer's thread runs: it waits for the times of the pictures and shows them.
    private let presenter: SamplePresenter
    private let thread: NamedThread
    /// The router that sends the pictures to the layer's output or to the compositor.
    package var router: FrameRouter { presenter.router }

    /// The maximum number of pictures that wait for their time. The layer fails if more are enqueued.
    public static let maximumPendingPictures = 32

    /// Creates a layer that uses the host's clock.
    ///
    /// - Throws: ``PlaybackError`` with the code `resources` if no thread can be started.
    public init() throws {
        let presenter = SamplePresenter()
        self.presenter = presenter
        do {
            thread = try NamedThread("sample layer") { presenter.run() }
        } catch { throw PlaybackError(.resources, "cannot start a thread: \(error)", underlying: error) }
    }

    deinit {
        presenter.end()
        thread.join()
    }

    // MARK: Pictures

    /// Shows a picture when the layer's clock reaches its time, or at once if that time has passed. If the time
    /// of the next picture has also passed, the picture is dropped.
    ///
    /// - Parameters:
    ///   - picture: The picture. Its presentation time must be later than the presentation time of the picture before
    ///     it.
    ///   - immediately: Whether the picture is shown at once, whatever its time.
    public func enqueue(_ picture: PixelBuffer, immediately: Bool = false) {
        presenter.enqueue(picture.frame, immediately: immediately)
    }

    /// Whether the layer's queue has room for another picture. A program that draws pictures ahead of their time checks
    /// this first.
    public var isReadyForMoreMediaData: Bool { presenter.state.withLock { $0.queue.needsMoreFrames } }

    /// Calls a block now and whenever the layer's queue has room for pictures again, until
    /// ``stopRequestingMediaData()``.
    ///
    /// - Parameters:
    ///   - queue: The queue on which the block is called.
    ///   - block: A block that enqueues pictures while ``isReadyForMoreMediaData`` is true. A block that enqueues none
    ///     is called again only after another picture was enqueued, or after a flush.
    public func requestMediaDataWhenReady(on queue: DispatchQueue, using block: @escaping @Sendable () -> Void) {
        presenter.state.update { $0.request = .init(requestData: { queue.async(execute: block) }) }
        presenter.requestData()
    }

    /// Stops calling the block that was given to ``requestMediaDataWhenReady(on:using:)``.
    public func stopRequestingMediaData() { presenter.state.withLock { $0.request = .init() } }

    /// Discards the waiting pictures (AVSampleBufferDisplayLayer.flush()). The picture on screen stays. A failed layer
    /// can be used again.
    public func flush() { presenter.flush(removesImage: false) }

    /// Discards the waiting pictures and the picture on screen (AVSampleBufferDisplayLayer.flushAndRemoveImage()).
    public func flushAndRemoveImage() { presenter.flush(removesImage: true) }

    // MARK: Clock

    /// The clock for the times of pictures (AVSampleBufferDisplayLayer.controlTimebase); nil, the default, for the
    /// host's clock (``Timebase/hostTime``).
    public var controlTimebase: Timebase? {
        get { presenter.state.withLock { $0.clock.timebase } }
        set { presenter.setTimebase(newValue) }
    }

    /// The current time of the layer's clock.
    public var currentTime: MediaTime { controlTimebase?.time ?? Timebase.hostTime }

    // MARK: State

    /// Whether the layer shows pictures.
    public var status: Status { presenter.state.withLock { $0.queue.status } }
    /// The reason of the failure; nil unless ``status`` is `.failed`.
    public var error: PlaybackError? { presenter.state.withLock { $0.queue.error } }
    /// Whether a picture is shown: true from the first picture until ``flushAndRemoveImage()``.
    public var isReadyForDisplay: Bool { presenter.state.withLock { $0.queue.isReady } }

    /// The scaling of a picture whose shape differs from the shape of the layer.
    public var videoGravity: PlayerLayer.Gravity {
        get { PlayerLayer.Gravity(router.gravity) }
        set { router.gravity = newValue.gravity }
    }

    /// Observes ``isReadyForDisplay`` and ``status``.
    ///
    /// - Parameter observer: Called after a change, on the layer's thread or the caller's thread.
    /// - Returns: The registration. Keep it as long as the observer must be called.
    package func observe(_ observer: @escaping @Sendable () -> Void) -> Observation {
        Observation(presenter: presenter, observerNumber: presenter.state.withLock { $0.observers.add(observer) })
    }

    /// The registration of an observer. It ends when this object is released.
    package final class Observation: Sendable {
        private let presenter: SamplePresenter
        /// The registration number of the observer in `presenter`.
        private let observerNumber: UInt64
        fileprivate init(presenter: SamplePresenter, observerNumber: UInt64) {
            (self.presenter, self.observerNumber) = (presenter, observerNumber)
        }
        deinit { presenter.state.withLock { $0.observers.remove(observerNumber) } }
    }
}
