import Glibc
import Synchronization
import SystemCalls

/// A renderer that plays PCM on a device: one producer writes, a thread of its own renders, and any thread controls it
/// and reads the clock.
///
/// Frames are counted from the last flush. The renderer owns the device and its thread until ``close()`` or its last
/// reference.
package final class AudioRenderer: Sendable {
    /// The format of the device, in which samples must be written.
    package let format: AudioFormat
    /// The event that is readable when there is new room in the ring. Drain it before reading ``freeFrames``.
    package var spaceAvailable: EventDescriptor { channel.spaceAvailable }
    /// The event that is readable when ``takeEvents()`` has events.
    package var eventsAvailable: EventDescriptor { channel.events.descriptor }

    /// The period of the device in frames.
    package let periodFrames: Int
    private let deviceName: String
    private let channel: RenderChannel
    private let tuning: RenderTuning
    private let thread: NamedThread
    private let ending = Ending()
    /// The lock of controlling threads. The render thread never uses it.
    private let flushing = Monitor(())
    private let closing = Monitor(false)

    /// The number of threads that were left in device calls that have not returned.
    private static let leftBehind = Atomic<Int>(0)
    package static let leftBehindLimit = 4

    /// Which came first: the end of the thread, or its owner's decision not to wait any longer.
    private final class Ending: Sendable {
        private let state = Atomic<Int>(0)
        func threadEnds() {
            if state.exchange(1, ordering: .acquiringAndReleasing) == 2 {
                AudioRenderer.leftBehind.subtract(1, ordering: .relaxed)
            }
        }
        /// Leaves the thread behind.
        ///
        /// - Returns: False if the thread has ended after all.
        func leave() -> Bool {
            guard state.compareExchange(expected: 0, desired: 2, ordering: .acquiringAndReleasing).exchanged else {
                return false
            }
            AudioRenderer.leftBehind.add(1, ordering: .relaxed)
            return true
        }
    }

    /// Opens a device with a format as close to `wanted` as possible. May block for about 100 ms, so do not call it on
    /// the main thread.
    ///
    /// - Parameters:
    ///   - period: The preferred period in nanoseconds.
    ///   - name: The name of the media, for the thread's name.
    /// - Throws: ``AudioOutputError``, or `SystemCallError` if no descriptors or threads are left.
    package convenience init(
        backend: AudioBackend, wanted: AudioFormat, channels: ChannelChoice = .automaticSafe, period: Int64? = nil,
        name: String,
        session: SessionGain? = nil
    ) throws {
        switch backend {
        case .alsa(let device):
            guard Self.leftBehind.load(ordering: .relaxed) < Self.leftBehindLimit else {
                throw AudioOutputError(device: device, failure: PCMFailure(.open, ETIMEDOUT))
            }
            try self.init(
                device: ALSAPCM(device: device, wanted: wanted, channels: channels, period: period), name: name,
                session: session)
        case .null:
            var tuning = RenderTuning()
            // Its end is not audible.
            tuning.lastSound = 0
            try self.init(device: NullPCM(format: wanted), name: name, tuning: tuning, session: session)
        }
    }

    /// Creates a renderer for a prepared device.
    package init(
        device: any PCMDevice, name: String, tuning: RenderTuning = RenderTuning(), session: SessionGain? = nil
    ) throws {
        let format = device.format
        let ring = SampleRing(
            channels: format.channels, lead: format.frames(in: tuning.ringLength), retained: RenderLoop.retained(device)
        )
        let channel = try RenderChannel(ring: ring)
        self.format = format
        self.channel = channel
        self.tuning = tuning
        deviceName = device.name
        periodFrames = device.periodFrames
        let ending = ending
        thread = try NamedThread("audio \(name)") {
            var loop = RenderLoop(device: device, channel: channel, tuning: tuning, session: session)
            loop.run()
            ending.threadEnds()
            channel.control.ended.signal()
        }
    }

    deinit { close() }

    // MARK: Producer

    /// The number of frames that ``write(_:)`` accepts now. Any thread.
    package var freeFrames: Int { channel.ring.freeFrames }

    /// The number of frames that were written and not rendered yet. Any thread.
    package var queuedFrames: Int { channel.ring.lead - channel.ring.freeFrames }

    /// Queues interleaved samples in ``format``. One thread at a time; never blocks.
    ///
    /// - Returns: The number of accepted frames.
    package func write(_ samples: UnsafeBufferPointer<Float>) -> Int {
        let count = channel.ring.write(samples)
        if count > 0 {
            channel.control.endIndex.store(-1, ordering: .releasing)
            channel.control.samplesArrived()
        }
        return count
    }

    /// Returns the samples that were written and not rendered, for another device. Call it after ``close()``.
    package var rest: [Float] { channel.ring.rest }

    /// Marks the end of the stream: ``AudioEvent/drained`` follows when it has been heard. Later writes and flushes
    /// cancel the mark. Producer's thread only.
    package func markEndOfStream() {
        channel.control.endIndex.store(channel.ring.writeIndex, ordering: .releasing)
        channel.control.wake.signal()
    }

    // MARK: Control, from any thread

    /// Plays as soon as the ring contains 50 ms or the end of the stream.
    package func start() { setPlaying(true) }

    /// Fades out and stops, without losing samples. Audible after the device's queue, about 70 ms.
    package func pause() { setPlaying(false) }

    private func setPlaying(_ on: Bool) {
        channel.control.isPlaying.store(on, ordering: .releasing)
        channel.control.wake.signal()
    }

    /// Discards all samples that were written before this call, and counts positions from 0. Returns at once: later
    /// samples follow the device's queue. The clock reads 0 at once.
    package func requestFlush() {
        _ = flushing.withLock { _ in wantFlush() }
    }

    /// Discards all samples, and waits until no old ones are audible: 0 ms in a pause, otherwise about 70 ms.
    ///
    /// - Returns: False if the device did not answer within ``RenderTuning/flushLimit``.
    @discardableResult
    package func flush() -> Bool {
        flushing.withLock { _ in
            channel.control.flushed.drain()
            let number = wantFlush()
            let deadline = MonotonicTime.now + tuning.flushLimit
            while channel.control.flushesDone.load(ordering: .acquiring) < number {
                guard (try? Poll.waitReadable(channel.control.flushed.raw, until: deadline)) == true else { break }
                channel.control.flushed.drain()
            }
            return channel.control.flushesDone.load(ordering: .acquiring) >= number
        }
    }

    private func wantFlush() -> Int {
        channel.control.endIndex.store(-1, ordering: .releasing)
        channel.control.flushIndex.store(channel.ring.writeIndex, ordering: .releasing)
        let number = channel.control.flushesWanted.add(1, ordering: .acquiringAndReleasing).newValue
        channel.control.wake.signal()
        return number
    }

    /// Changes the volume, linearly in dB.
    ///
    /// - Parameters:
    ///   - linear: The factor of the amplitude, 0 to 2.
    ///   - ramp: The duration in nanoseconds, at least 5 ms.
    package func setVolume(_ linear: Float, muted: Bool, ramp: Int64) {
        channel.control.setGain(muted ? 0 : linear, ramp: max(ramp, 0))
    }

    // MARK: Reports, on any thread

    /// Returns the audible position; nil if the device is lost. Never locks.
    package var reading: AudioClock.Reading? {
        let wanted = channel.control.flushesWanted.load(ordering: .acquiring)
        return channel.clock.reading(at: MonotonicTime.now, flush: wanted)
    }

    /// Whether the device has failed or stands still, and has not played since.
    package var isFaltering: Bool { channel.control.isFaltering.load(ordering: .relaxed) }

    /// The measured latency beyond the device's queue, in frames. Any thread.
    package var extraDelay: Int { channel.control.extraDelay.load(ordering: .relaxed) }

    /// The number of underruns.
    package var underruns: Int { channel.events.underruns }
    /// The number of recoveries of the device.
    package var recoveries: Int { channel.events.recoveries }

    /// Returns the events since the last call.
    package func takeEvents() -> [AudioEvent] {
        channel.events.take(flush: channel.control.flushesWanted.load(ordering: .acquiring), device: deviceName)
    }

    /// The host time after which the device counts as hanging in a call (``RenderTuning/hangLimit``); `.max` while
    /// there is no call.
    package var due: Int64 { channel.control.due.load(ordering: .relaxed) }

    /// Lets the thread end without waiting for it. ``close()`` must follow.
    package func beginClosing() {
        channel.control.isClosing.store(true, ordering: .releasing)
        channel.control.wake.signal()
    }

    /// Fades out, within ``RenderTuning/lastSound``, joins the thread and releases the device. Idempotent.
    ///
    /// A device call that hangs in a stopped sound server cannot be cancelled. After ``RenderTuning/closeLimit`` its
    /// thread is left behind with its device. With ``leftBehindLimit`` such threads, no more devices are opened.
    ///
    /// - Returns: False if the thread was left behind.
    @discardableResult
    package func close() -> Bool {
        closing.withLock { isClosed in
            guard !isClosed else { return true }
            isClosed = true
            beginClosing()
            let hasEnded =
                (try? Poll.waitReadable(channel.control.ended.raw, until: MonotonicTime.now + tuning.closeLimit))
                == true
            guard hasEnded || !ending.leave() else {
                thread.leaveBehind()
                return false
            }
            thread.join()
            return true
        }
    }
}
