import SharedFrames
import SystemCalls

/// Passes the frames of a ``SampleBufferDisplayLayer`` to its router on time, on the thread "sample layer".
final class SamplePresenter: Sendable {
    struct State {
        var queue = SampleQueue()
        var clock = Clock()
        var request = Request()
        var observers = Observers()
        var isOver = false
        /// Incremented by every change that the thread has to read.
        var changes: UInt64 = 0
    }

    /// The layer's clock.
    struct Clock {
        /// The timebase; nil for the host clock.
        var timebase: Timebase?
        /// The number of the timebase's watcher.
        var watch: UInt64?
    }

    /// The program's request for more frames.
    struct Request {
        /// Requests more frames from the program.
        var ask: (@Sendable () -> Void)?
        /// The program was called and has not added a frame since.
        var isAsked = false

        /// Returns the program's callback, unless it has been called since the last frame.
        mutating func take() -> (@Sendable () -> Void)? {
            guard !isAsked else { return nil }
            isAsked = ask != nil
            return ask
        }
    }

    /// Observers of the layer's status and readiness.
    struct Observers {
        private var all: [UInt64: @Sendable () -> Void] = [:]
        private var next: UInt64 = 0

        var calls: [@Sendable () -> Void] { Array(all.values) }

        mutating func add(_ observer: @escaping @Sendable () -> Void) -> UInt64 {
            defer { next += 1 }
            all[next] = observer
            return next
        }

        mutating func remove(_ number: UInt64) { all[number] = nil }
    }

    let router = FrameRouter()
    let state = Monitor(State())

    // MARK: Any thread

    func enqueue(_ frame: VideoFrame, immediately: Bool) {
        let observers = state.update { state -> [@Sendable () -> Void] in
            guard !state.isOver else { return [] }
            // Give each enqueued frame its own number: the same picture may be shown more than once.
            let own = VideoFrame(
                id: VideoFrame.makeID(), buffer: frame.buffer, format: frame.format,
                presentationTime: frame.presentationTime, duration: frame.duration, streamTime: nil, generation: 0)
            let (isTaken, hasFailed) = state.queue.enqueue(own, immediately: immediately)
            if isTaken {
                state.request.isAsked = false
                state.changes += 1
            }
            return hasFailed ? state.observers.calls : []
        }
        for observer in observers { observer() }
    }

    func flush(removesImage: Bool) {
        let observers = state.update { state -> [@Sendable () -> Void] in
            state.queue.flush(removesImage: removesImage)
            state.request.isAsked = false
            state.changes += 1
            return state.observers.calls
        }
        for observer in observers { observer() }
        ask()
    }

    func setTimebase(_ new: Timebase?) {
        let watch = new?.watch { [weak self] in self?.state.update { $0.changes += 1 } }
        let old = state.update { state in
            let old = state.clock
            state.clock = Clock(timebase: new, watch: watch)
            state.changes += 1
            return old
        }
        if let timebase = old.timebase, let watch = old.watch { timebase.removeWatcher(watch) }
    }

    /// Calls the program's callback if the queue has space.
    func ask() {
        let request = state.withLock { $0.queue.wantsMore ? $0.request.take() : nil }
        request?()
    }

    func end() {
        setTimebase(nil)
        state.update { $0.isOver = true }
    }

    // MARK: The thread

    func run() {
        var seen: UInt64 = 0, deadline: Int64?
        while true {
            let isOver =
                state.wait(until: deadline) { state in state.isOver ? true : state.changes != seen ? false : nil }
                ?? false
            if isOver { break }
            seen = state.withLock { $0.changes }
            if state.withLock({ $0.queue.takeRemoval() }) { router.removeImage() }
            deadline = advance()
        }
        router.clear()
    }

    /// Shows the frames that are due.
    ///
    /// - Returns: Host time of the next deadline; nil to wait for a change.
    private func advance() -> Int64? {
        var prepared: UInt64?
        while true {
            let now = MonotonicTime.now
            switch state.withLock({ $0.queue.next(now: now, clock: $0.clock.timebase?.clock) }) {
            case .nothing: return nil
            case .wait(let frame, let until):
                // Draw the frame, the expensive part of showing it, before its time.
                if prepared != frame.id { router.schedule(frame, due: nil) }
                prepared = frame.id
                if let until, until <= MonotonicTime.now { continue }
                return until
            case .show(let frame):
                prepared = nil
                router.show(frame, due: now)
                shown()
                ask()
            }
        }
    }

    private func shown() {
        let observers = state.withLock { $0.queue.shown() ? $0.observers.calls : [] }
        for observer in observers { observer() }
    }
}
