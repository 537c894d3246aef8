import Dispatch
import SharedFrames
import SystemCalls
import VideoOutput

/// The place where pictures that a program makes itself are seen, each at its time (AVSampleBufferDisplayLayer). Any
/// thread.
///
/// The pictures come from a ``PixelBufferPool``, or from a player's ``PlayerItemVideoOutput``. A layer has a thread
/// ("sample layer"), which is gone with the last reference.
public final class SampleBufferDisplayLayer: Sendable {
    /// Whether the layer shows pictures (AVQueuedSampleBufferRenderingStatus).
    public enum Status: Sendable {
        /// Nothing was shown yet.
        case unknown
        /// A picture was shown.
        case rendering
        /// Nothing is taken any more until ``SampleBufferDisplayLayer/flush()``; see
        /// ``SampleBufferDisplayLayer/error``.
        case failed
    }

    private let presenter: SamplePresenter
    private let thread: NamedThread
    package var router: FrameRouter { presenter.router }

    /// Pictures that wait for their time at most. Beyond that the layer fails.
    public static let mostWaiting = 32

    /// - Throws: ``PlaybackError`` `resources` when no thread can be started.
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

    // MARK: pictures

    /// Shows a picture when the layer's clock reaches its time, or at once if that time has passed. A picture whose
    /// successor's time has also passed is dropped.
    ///
    /// - Parameters:
    ///   - picture: The picture. Its presentation time must be later than that of the picture before it.
    ///   - immediately: Whether the picture is shown at once, whatever its time.
    public func enqueue(_ picture: PixelBuffer, immediately: Bool = false) {
        presenter.enqueue(picture.frame, immediately: immediately)
    }

    /// There is room for another picture that has time to wait. A program that makes pictures ahead of their time asks
    /// this first.
    public var isReadyForMoreMediaData: Bool { presenter.state.withLock { $0.queue.wantsMore } }

    /// Calls `block` on `queue` now and whenever there is room again, until ``stopRequestingMediaData()``: enqueue
    /// there until ``isReadyForMoreMediaData`` says no.
    public func requestMediaDataWhenReady(on queue: DispatchQueue, using block: @escaping @Sendable () -> Void) {
        presenter.state.update { $0.request.ask = { queue.async(execute: block) } }
        presenter.ask()
    }

    /// Ends the calls of the block that was given to ``requestMediaDataWhenReady(on:using:)``.
    public func stopRequestingMediaData() { presenter.state.withLock { $0.request.ask = nil } }

    /// Forgets the pictures that wait. The one that is seen stays, a layer that failed can be used again.
    public func flush() { presenter.flush(removesImage: false) }

    /// As ``flush()``, and what is seen goes, too.
    public func flushAndRemoveImage() { presenter.flush(removesImage: true) }

    // MARK: clock

    /// The clock that pictures' times are compared with. nil, as it is at first: the host's (``Timebase/hostTime``).
    public var controlTimebase: Timebase? {
        get { presenter.state.withLock { $0.clock.timebase } }
        set { presenter.setTimebase(newValue) }
    }

    /// Now, by the layer's clock.
    public var currentTime: MediaTime { controlTimebase?.time ?? Timebase.hostTime }

    // MARK: state

    /// Whether the layer shows pictures.
    public var status: Status { presenter.state.withLock { $0.queue.status } }
    /// Why the layer failed; nil unless it has.
    public var error: PlaybackError? { presenter.state.withLock { $0.queue.error } }
    /// True from the first picture shown on, until ``flushAndRemoveImage()``.
    public var isReadyForDisplay: Bool { presenter.state.withLock { $0.queue.isReady } }

    /// What becomes of a picture of another shape than its place.
    public var videoGravity: PlayerLayer.Gravity {
        get { PlayerLayer.Gravity(router.gravity) }
        set { router.gravity = newValue.gravity }
    }

    /// Calls `observer` whenever ``isReadyForDisplay`` or ``status`` changed, on a thread of ours or the caller's, for
    /// as long as the result is kept.
    package func observe(_ observer: @escaping @Sendable () -> Void) -> Observation {
        Observation(presenter: presenter, number: presenter.state.withLock { $0.observers.add(observer) })
    }

    /// Keeps an observer of the layer registered as long as it lives.
    package final class Observation: Sendable {
        private let presenter: SamplePresenter
        private let number: UInt64
        fileprivate init(presenter: SamplePresenter, number: UInt64) {
            (self.presenter, self.number) = (presenter, number)
        }
        deinit { presenter.state.withLock { $0.observers.remove(number) } }
    }
}
