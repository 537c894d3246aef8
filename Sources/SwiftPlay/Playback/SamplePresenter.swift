import SharedFrames
import SystemCalls

/// Gives the pictures of a ``SampleBufferDisplayLayer`` to its router at their times, on the thread "sample layer".
final class SamplePresenter: Sendable {
    struct Waiting: Sendable {
        let frame: VideoFrame
        /// By the layer's clock, nanoseconds; nil: at once.
        let time: Int64?
    }

    struct State {
        var queue: [Waiting] = []
        var timebase: Timebase?
        var watch: UInt64?
        var status = SampleBufferDisplayLayer.Status.unknown
        var error: PlaybackError?
        var isReady = false
        var removesImage = false
        var isOver = false
        /// Grows with everything that the thread must look at.
        var changes: UInt64 = 0
        /// Asks the program for more; once each time that there is room.
        var request: (@Sendable () -> Void)?
        var isAsked = false
        var observers: [UInt64: @Sendable () -> Void] = [:]
        var nextObserver: UInt64 = 0
    }

    let router = FrameRouter()
    let state = Monitor(State())

    // MARK: any thread

    func enqueue(_ frame: VideoFrame, immediately: Bool) {
        let observers = state.update { state -> [@Sendable () -> Void] in
            guard !state.isOver, state.status != .failed else { return [] }
            guard state.queue.count < SampleBufferDisplayLayer.mostWaiting else {
                state.queue = []
                state.status = .failed
                state.error = PlaybackError(.resources, "more than \(SampleBufferDisplayLayer.mostWaiting) pictures wait for their time")
                return Array(state.observers.values)
            }
            // Under a number of its own: the same picture may be shown more than once.
            let own = VideoFrame(
                id: VideoFrame.makeID(), buffer: frame.buffer, format: frame.format, presentationTime: frame.presentationTime,
                duration: frame.duration, streamTime: nil, generation: 0)
            state.queue.append(Waiting(frame: own, time: immediately ? nil : frame.presentationTime))
            state.isAsked = false
            state.changes += 1
            return []
        }
        for observer in observers { observer() }
    }

    func flush(removesImage: Bool) {
        let observers = state.update { state -> [@Sendable () -> Void] in
            state.queue = []
            if state.status == .failed { state.status = .unknown }
            state.error = nil
            if removesImage { (state.removesImage, state.isReady) = (true, false) }
            state.isAsked = false
            state.changes += 1
            return Array(state.observers.values)
        }
        for observer in observers { observer() }
        ask()
    }

    func setTimebase(_ new: Timebase?) {
        let watch = new?.watch { [weak self] in self?.state.update { $0.changes += 1 } }
        let old = state.update { state in
            let old = (state.timebase, state.watch)
            (state.timebase, state.watch) = (new, watch)
            state.changes += 1
            return old
        }
        if let timebase = old.0, let watch = old.1 { timebase.removeWatcher(watch) }
    }

    /// Tells a program that waits for it that there is room.
    func ask() {
        let request = state.withLock { state -> (@Sendable () -> Void)? in
            guard !state.isAsked, state.status != .failed, state.queue.count < SampleBufferDisplayLayer.mostWaiting / 2 else { return nil }
            state.isAsked = state.request != nil
            return state.request
        }
        request?()
    }

    func end() {
        setTimebase(nil)
        state.update { $0.isOver = true }
    }

    // MARK: the thread

    func run() {
        var seen: UInt64 = 0, deadline: Int64?
        while true {
            let isOver = state.wait(until: deadline) { state in state.isOver ? true : state.changes != seen ? false : nil } ?? false
            if isOver { break }
            seen = state.withLock { $0.changes }
            if state.withLock({ state in state.removesImage.exchange(false) }) { router.removeImage() }
            deadline = advance()
        }
        router.clear()
    }

    /// Shows what is due.
    ///
    /// - Returns: host time at which something is due next; nil: when something changes.
    private func advance() -> Int64? {
        var prepared: UInt64?
        while true {
            let now = MonotonicTime.now
            switch state.withLock({ $0.next(now: now) }) {
            case .nothing: return nil
            case .wait(let frame, let until):
                // The costly half of showing it, before its time.
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
        let observers = state.withLock { state -> [@Sendable () -> Void] in
            guard !state.isReady || state.status == .unknown, !state.removesImage else { return [] }
            state.isReady = true
            if state.status == .unknown { state.status = .rendering }
            return Array(state.observers.values)
        }
        for observer in observers { observer() }
    }
}

extension SamplePresenter.State {
    enum Turn { case nothing, wait(VideoFrame, until: Int64?), show(VideoFrame) }

    /// Takes the picture that is to be seen now out of the queue, with those before it.
    mutating func next(now: Int64) -> Turn {
        let time = (timebase?.clock.time(at: now + FramePacing.lead)) ?? now + FramePacing.lead
        guard let first = queue.first else { return .nothing }
        let due = queue.lastIndex { $0.time.map { $0 <= time } ?? true }
        guard let due else {
            let at = first.time ?? 0
            let host = timebase.map { $0.clock.hostTime(of: at) } ?? at
            return .wait(first.frame, until: host.map { $0 - FramePacing.lead })
        }
        let frame = queue[due].frame
        queue.removeSubrange(...due)
        return .show(frame)
    }
}

extension Bool {
    /// Sets it, and says what it was.
    fileprivate mutating func exchange(_ new: Bool) -> Bool {
        defer { self = new }
        return self
    }
}
