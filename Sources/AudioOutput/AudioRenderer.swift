import Glibc
import Synchronization
import SystemCalls

/// A renderer that plays PCM samples on a device: one producer thread writes samples, a dedicated thread renders them,
/// and any thread controls playback and reads the clock.
///
/// Frames are counted from the last flush. The renderer owns the device and its thread until ``close()`` or
/// its deinitialization.
package final class AudioRenderer: Sendable {
    /// The format of the device, in which samples must be written.
    package let format: AudioFormat
    /// The event descriptor that is readable when there is new room in the ring buffer. Drain the event before reading
    /// ``freeFrames``.
    package var spaceAvailable: EventDescriptor { sharedState.spaceAvailable }
    /// The event descriptor that is readable when ``takeEvents()`` has events.
    package var eventsAvailable: EventDescriptor { sharedState.events.descriptor }

    /// The number of frames after which the device wakes the render thread.
    package let periodFrames: Int
    private let deviceName: String
    /// The samples, commands, clock and events shared with the render thread.
    private let sharedState: SharedRenderState
    /// The durations and limits of the render thread.
    private let tuning: RenderTuning
    private let thread: NamedThread
    /// Records whether the render thread ended by itself or ``close()`` detached it first.
    private let threadExit = ThreadExit()
    /// The lock that serializes flush requests of several threads. The render thread never uses this lock.
    private let flushLock = Monitor(false)
    /// Whether ``close()`` was called. The monitor's lock serializes calls of ``close()``.
    private let closeLock = Monitor(false)

    /// The number of detached render threads whose device operations have not returned.
    private static let detachedThreads = Atomic<Int>(0)
    /// The number of detached render threads at which no more devices are opened.
    package static let detachedThreadLimit = 4

    /// Records which came first: the end of the render thread, or the decision of ``close()`` not to wait for the
    /// thread any longer.
    private final class ThreadExit: Sendable {
        /// The values of ``state``: the thread runs, the thread ended first, or ``close()`` detached it first.
        private enum Value { static let running = 0, ended = 1, detached = 2 }

        /// The state of the render thread, one of ``Value``.
        private let state = Atomic<Int>(Value.running)
        /// Records that the render thread is about to end. A detached thread that ends no longer counts as hanging.
        func threadWillExit() {
            if state.exchange(Value.ended, ordering: .acquiringAndReleasing) == Value.detached {
                AudioRenderer.detachedThreads.subtract(1, ordering: .relaxed)
            }
        }
        /// Marks the render thread as detached.
        ///
        /// - Returns: False if the thread has already ended.
        func detach() -> Bool {
            let exchange = state.compareExchange(
                expected: Value.running, desired: Value.detached, ordering: .acquiringAndReleasing)
            guard exchange.exchanged else { return false }
            AudioRenderer.detachedThreads.add(1, ordering: .relaxed)
            return true
        }
    }

    /// Opens a device with a format as close to `requested` as possible. May block for about 100 ms, so do not call it
    /// on the main thread.
    ///
    /// - Parameters:
    ///   - period: The preferred period in nanoseconds.
    ///   - name: The name of the media, for the thread's name.
    /// - Throws: ``AudioOutputError``, or `SystemCallError` if no descriptors or threads are left.
    package convenience init(
        backend: AudioBackend, requested: AudioFormat, channels: ChannelChoice = .automaticSafe, period: Int64? = nil,
        name: String,
        session: SharedGainPage? = nil
    ) throws {
        switch backend {
        case .alsa(let device):
            guard Self.detachedThreads.load(ordering: .relaxed) < Self.detachedThreadLimit else {
                throw AudioOutputError(device: device, failure: PCMFailure(.open, ETIMEDOUT))
            }
            try self.init(
                device: ALSAPCM(device: device, requested: requested, channels: channels, period: period), name: name,
                session: session)
        case .null:
            var tuning = RenderTuning()
            // The null device is silent, so ``close()`` need not wait for a fade.
            tuning.closeFadeLimit = 0
            try self.init(device: NullPCM(format: requested), name: name, tuning: tuning, session: session)
        }
    }

    /// Creates a renderer for an open device.
    package init(
        device: any PCMDevice, name: String, tuning: RenderTuning = RenderTuning(), session: SharedGainPage? = nil
    ) throws {
        let format = device.format
        let ring = SampleRing(
            channels: format.channels, lead: format.frames(in: tuning.ringDuration),
            retained: RenderLoop.retainedFrames(device))
        let sharedState = try SharedRenderState(ring: ring)
        self.format = format
        self.sharedState = sharedState
        self.tuning = tuning
        deviceName = device.name
        periodFrames = device.periodFrames
        let threadExit = threadExit
        thread = try NamedThread("audio \(name)") {
            var loop = RenderLoop(device: device, sharedState: sharedState, tuning: tuning, session: session)
            loop.run()
            threadExit.threadWillExit()
            sharedState.control.endEvent.signal()
        }
    }

    deinit { close() }

    /// Returns the kernel's ID of the render thread; nil if the thread has not started by `deadline` (host
    /// nanoseconds).
    package func threadID(until deadline: Int64) -> Int32? { thread.threadID(until: deadline) }

    // MARK: Producer

    /// The number of frames that ``write(_:)`` accepts now. Safe to use from any thread.
    package var freeFrames: Int { sharedState.ring.freeFrames }

    /// The number of frames that were written and not rendered yet. Safe to use from any thread.
    package var queuedFrames: Int { sharedState.ring.maximumLead - sharedState.ring.freeFrames }

    /// Queues interleaved samples in ``format``. One thread at a time; never blocks.
    ///
    /// - Returns: The number of frames that were accepted; fewer than passed if the ring buffer is full.
    package func write(_ samples: UnsafeBufferPointer<Float>) -> Int {
        let count = sharedState.ring.write(samples)
        if count > 0 {
            sharedState.control.endIndex.store(-1, ordering: .releasing)
            sharedState.control.wakeIfStarved()
        }
        return count
    }

    /// The samples that were written and not rendered, to be written to another device. Read this property after
    /// ``close()``.
    package var remainingSamples: [Float] { sharedState.ring.remainingSamples }

    /// Marks the end of the stream. ``AudioEvent/drained`` follows when the last written frame has been heard. Later
    /// writes and flushes cancel the mark. Producer's thread only.
    package func markEndOfStream() {
        sharedState.control.endIndex.store(sharedState.ring.writeIndex, ordering: .releasing)
        sharedState.control.wakeEvent.signal()
    }

    // MARK: Control, from any thread

    /// Starts playback as soon as the ring buffer contains enough frames to start (about 45 ms) or the end of the
    /// stream.
    package func start() { setPlaying(true) }

    /// Fades out and stops, without losing samples. The fade is heard about 70 ms later, because the device first plays
    /// its queue.
    package func pause() { setPlaying(false) }

    /// Stores whether audio should play, and wakes the render thread.
    private func setPlaying(_ isPlaying: Bool) {
        sharedState.control.isPlaying.store(isPlaying, ordering: .releasing)
        sharedState.control.wakeEvent.signal()
    }

    /// Discards all samples that were written before this call, and counts positions from 0. Returns at once, and the
    /// clock reads 0 at once. Samples that are written later are heard after the device has played its queue.
    package func requestFlush() {
        _ = flushLock.withLock { _ in issueFlushRequest() }
    }

    /// Discards all samples, and waits until no discarded sample is audible any longer: 0 ms in a pause, otherwise
    /// about 70 ms.
    ///
    /// - Returns: False if the flush was not complete within ``RenderTuning/flushTimeout``.
    @discardableResult
    package func flush() -> Bool {
        flushLock.withLock { _ in
            sharedState.control.flushEvent.drain()
            let flushNumber = issueFlushRequest()
            let deadline = MonotonicTime.now + tuning.flushTimeout
            while sharedState.control.completedFlushes.load(ordering: .acquiring) < flushNumber {
                let flushEvent = sharedState.control.flushEvent
                guard (try? Poll.waitReadable(flushEvent.raw, until: deadline)) == true else { break }
                flushEvent.drain()
            }
            return sharedState.control.completedFlushes.load(ordering: .acquiring) >= flushNumber
        }
    }

    /// Requests a flush of all samples written so far, and returns the flush's sequence number.
    private func issueFlushRequest() -> Int {
        sharedState.control.endIndex.store(-1, ordering: .releasing)
        sharedState.control.flushIndex.store(sharedState.ring.writeIndex, ordering: .releasing)
        let flushNumber = sharedState.control.requestedFlushes.add(1, ordering: .acquiringAndReleasing).newValue
        sharedState.control.wakeEvent.signal()
        return flushNumber
    }

    /// Changes the volume, linearly in dB.
    ///
    /// - Parameters:
    ///   - linear: The factor of the amplitude, 0 to ``GainRamp/maximumGain``.
    ///   - ramp: The duration in nanoseconds, at least 5 ms.
    package func setVolume(_ linear: Float, muted: Bool, ramp: Int64) {
        sharedState.control.setGain(muted ? 0 : linear, ramp: max(ramp, 0))
    }

    // MARK: Reports, on any thread

    /// Returns the audible position; nil if the device is lost. Never locks.
    package var reading: AudioClock.Reading? {
        let requestedFlushCount = sharedState.control.requestedFlushes.load(ordering: .acquiring)
        return sharedState.clock.reading(at: MonotonicTime.now, flush: requestedFlushCount)
    }

    /// Whether the device has failed or stopped consuming frames, and has not played since then.
    package var isUnreliable: Bool { sharedState.control.isUnreliable.load(ordering: .relaxed) }

    /// The measured latency after the device's queue, for example in a sound server, in frames.
    /// Safe to use from any thread.
    package var latencyAfterQueue: Int { sharedState.control.latencyAfterQueue.load(ordering: .relaxed) }

    /// The number of underruns of the device.
    package var underruns: Int { sharedState.events.underruns }
    /// The number of failures from which the device has recovered.
    package var recoveries: Int { sharedState.events.recoveries }

    /// Returns the events since the last call of this method.
    package func takeEvents() -> [AudioEvent] {
        let requestedFlushes = sharedState.control.requestedFlushes.load(ordering: .acquiring)
        return sharedState.events.take(flush: requestedFlushes, device: deviceName)
    }

    /// The host time after which the render thread counts as hanging in an operation of the device
    /// (``RenderTuning/hangTimeout``); `.max` while the render thread waits for a command without a deadline.
    package var hangDeadline: Int64 { sharedState.control.hangDeadline.load(ordering: .relaxed) }

    /// Requests that the render thread end, and returns at once. Call ``close()`` afterwards.
    package func requestClose() {
        sharedState.control.isClosing.store(true, ordering: .releasing)
        sharedState.control.wakeEvent.signal()
    }

    /// Fades out within ``RenderTuning/closeFadeLimit``, waits for the render thread to end, and releases the device.
    /// Idempotent.
    ///
    /// An ALSA function that hangs because of a stopped sound server cannot be cancelled. After
    /// ``RenderTuning/closeTimeout`` the thread is detached and keeps its device. While ``detachedThreadLimit`` such
    /// threads exist, no more devices are opened.
    ///
    /// - Returns: False if the thread was detached.
    @discardableResult
    package func close() -> Bool {
        closeLock.withLock { isClosed in
            guard !isClosed else { return true }
            isClosed = true
            requestClose()
            let deadline = MonotonicTime.now + tuning.closeTimeout
            let hasEnded = (try? Poll.waitReadable(sharedState.control.endEvent.raw, until: deadline)) == true
            guard hasEnded || !threadExit.detach() else {
                thread.detach()
                return false
            }
            thread.join()
            return true
        }
    }
}
