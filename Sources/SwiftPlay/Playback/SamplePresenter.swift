import SharedFrames
import SystemCalls

/// Delivers each frame of a ``SampleBufferDisplayLayer`` at its presentation time to the layer's ``FrameRouter``, on a
/// thread of the layer.
final class SamplePresenter: Sendable {
    /// The state that the program's threads share with the layer's thread.
    struct State {
        /// The frames that wait for their time, and the layer's status.
        var queue = SampleQueue()
        /// The clock by which the times of the frames are measured.
        var clock = ClockSource()
        /// The program's callback for more frames, and whether it was called.
        var request = DataRequest()
        /// The observers of the layer.
        var observers = Observers()
        /// Whether the layer's thread must end.
        var mustEnd = false
        /// The number of changes of this state so far. The layer's thread compares it to detect a change.
        var changeCount: UInt64 = 0
    }

    /// The layer's clock.
    struct ClockSource {
        /// The timebase; nil for the host clock.
        var timebase: Timebase?
        /// The registration number of the presenter's callback in ``timebase``; nil without a timebase.
        var watcherNumber: UInt64?
    }

    /// The program's callback for more frames, and whether it was called.
    struct DataRequest {
        /// The program's callback, which enqueues more frames.
        var requestData: (@Sendable () -> Void)?
        /// Whether the callback was called and the program has not added a frame since.
        var isRequested = false

        /// Returns the program's callback for more frames, and marks it as called; nil if the callback was called and
        /// no frame has been added since.
        mutating func takeRequestCallback() -> (@Sendable () -> Void)? {
            guard !isRequested else { return nil }
            isRequested = requestData != nil
            return requestData
        }
    }

    /// Observers of the layer's status and readiness.
    struct Observers {
        /// The callbacks of the observers by their registration numbers.
        private var callbacksByNumber: [UInt64: @Sendable () -> Void] = [:]
        /// The registration number of the next observer.
        private var nextNumber: UInt64 = 0

        /// The callbacks of all observers.
        var callbacks: [@Sendable () -> Void] { Array(callbacksByNumber.values) }

        /// Adds an observer and returns its number.
        mutating func add(_ observer: @escaping @Sendable () -> Void) -> UInt64 {
            defer { nextNumber += 1 }
            callbacksByNumber[nextNumber] = observer
            return nextNumber
        }

        /// Removes the observer with a registration number.
        mutating func remove(_ number: UInt64) { callbacksByNumber[number] = nil }
    }

    /// The router that draws the frames.
    let router = FrameRouter()
    let state = Monitor(State())

    // MARK: Any thread

    /// Adds a frame to the queue. A layer whose queue is full fails.
    func enqueue(_ frame: VideoFrame, immediately: Bool) {
        let observers = state.update { state -> [@Sendable () -> Void] in
            guard !state.mustEnd else { return [] }
            // Give each enqueued frame its own number: the program may enqueue a picture twice, and the router ignores
            // a repeated number.
            let numberedFrame = VideoFrame(
                id: VideoFrame.makeID(), buffer: frame.buffer, format: frame.format,
                presentationTime: frame.presentationTime, duration: frame.duration, streamTime: nil, generation: 0)
            let (isAccepted, hasFailed) = state.queue.enqueue(numberedFrame, immediately: immediately)
            if isAccepted {
                state.request.isRequested = false
                state.changeCount += 1
            }
            return hasFailed ? state.observers.callbacks : []
        }
        for observer in observers { observer() }
    }

    /// Discards the waiting frames, and the visible frame if `removesImage` is true.
    func flush(removesImage: Bool) {
        let observers = state.update { state -> [@Sendable () -> Void] in
            state.queue.flush(removesImage: removesImage)
            state.request.isRequested = false
            state.changeCount += 1
            return state.observers.callbacks
        }
        for observer in observers { observer() }
        requestData()
    }

    /// Sets the layer's clock; nil for the host's clock.
    func setTimebase(_ timebase: Timebase?) {
        let watcherNumber = timebase?.watch { [weak self] in self?.state.update { $0.changeCount += 1 } }
        let oldSource = state.update { state in
            let oldSource = state.clock
            state.clock = ClockSource(timebase: timebase, watcherNumber: watcherNumber)
            state.changeCount += 1
            return oldSource
        }
        if let oldTimebase = oldSource.timebase, let oldNumber = oldSource.watcherNumber {
            oldTimebase.removeWatcher(oldNumber)
        }
    }

    /// Calls the program's callback for more frames if the queue is less than half full.
    func requestData() {
        let request = state.withLock { $0.queue.needsMoreFrames ? $0.request.takeRequestCallback() : nil }
        request?()
    }

    /// Ends the layer's thread.
    func end() {
        setTimebase(nil)
        state.update { $0.mustEnd = true }
    }

    // MARK: The layer's thread

    /// The body of the layer's thread.
    func run() {
        var handledChangeCount: UInt64 = 0, deadline: Int64?
        while true {
            let mustEnd =
                state.wait(until: deadline) { state in
                    state.mustEnd ? true : state.changeCount != handledChangeCount ? false : nil
                }
                ?? false
            if mustEnd { break }
            handledChangeCount = state.withLock { $0.changeCount }
            if state.withLock({ $0.queue.takeImageRemoval() }) { router.removeImage() }
            deadline = advance()
        }
        router.clear()
    }

    /// Shows the frames that are due.
    ///
    /// - Returns: The host time at which to call this method again; nil to wait for a change.
    private func advance() -> Int64? {
        var preparedFrameID: UInt64?
        while true {
            let now = MonotonicTime.now
            switch state.withLock({ $0.queue.nextAction(now: now, clock: $0.clock.timebase?.clock) }) {
            case .nothing: return nil
            case .wait(let frame, let showTime):
                // Draw the frame before it is due, because drawing is the slowest step of showing it.
                if preparedFrameID != frame.id { router.schedule(frame, due: nil) }
                preparedFrameID = frame.id
                if let showTime, showTime <= MonotonicTime.now { continue }
                return showTime
            case .show(let frame):
                preparedFrameID = nil
                router.show(frame, due: now)
                didShowFrame()
                requestData()
            }
        }
    }

    /// Updates the layer's status after a frame was sent for display, and notifies observers if the status has changed.
    private func didShowFrame() {
        let observers = state.withLock { $0.queue.didShowFrame() ? $0.observers.callbacks : [] }
        for observer in observers { observer() }
    }
}
