import Glibc
import Synchronization
import SystemCalls

/// Plays PCM on a device: one producer writes, one thread of its own renders, anyone controls and reads the clock.
///
/// Frames are counted from the last flush on. Owns the device and its thread; ``close()`` gives both back, and so does
/// the last reference.
package final class AudioRenderer: Sendable {
    /// The device's format, which is what must be written.
    package let format: AudioFormat
    /// Readable when the render thread made room in the ring. Drain it before looking at ``freeFrames``.
    package var spaceAvailable: EventDescriptor { channel.spaceAvailable }
    /// Readable when ``takeEvents()`` has something.
    package var eventsAvailable: EventDescriptor { channel.events.descriptor }

    /// How many frames the device takes at a time.
    package let periodFrames: Int
    private let deviceName: String
    private let channel: RenderChannel
    private let tuning: RenderTuning
    private let thread: NamedThread
    private let ending = Ending()
    /// Among those who control; the render thread never comes here.
    private let flushing = Monitor(())
    private let closing = Monitor(false)

    /// Threads of this process that were left in calls that have not returned.
    private static let leftBehind = Atomic<Int>(0)
    package static let leftBehindLimit = 4

    /// Who comes first: the thread's end, or the owner who does not wait for it any longer.
    private final class Ending: Sendable {
        private let state = Atomic<Int>(0)
        func threadEnds() {
            if state.exchange(1, ordering: .acquiringAndReleasing) == 2 {
                AudioRenderer.leftBehind.subtract(1, ordering: .relaxed)
            }
        }
        /// - Returns: false when the thread has ended after all.
        func leave() -> Bool {
            guard state.compareExchange(expected: 0, desired: 2, ordering: .acquiringAndReleasing).exchanged else {
                return false
            }
            AudioRenderer.leftBehind.add(1, ordering: .relaxed)
            return true
        }
    }

    /// Opens the device for a format as near to `wanted` as it takes. May block for some 100 ms: not on the main
    /// thread.
    ///
    /// - Parameters:
    ///   - period: the length of a period that is preferred, nanoseconds.
    ///   - name: what is played, for the thread's name.
    /// - Throws: ``AudioOutputError``, or `SystemCallError` when descriptors or threads run out.
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
            // Nobody hears its end.
            tuning.lastSound = 0
            try self.init(device: NullPCM(format: wanted), name: name, tuning: tuning, session: session)
        }
    }

    /// Takes over a prepared device.
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

    /// Frames that ``write(_:)`` takes now. Any thread.
    package var freeFrames: Int { channel.ring.freeFrames }

    /// Frames that were written and not rendered yet. Any thread.
    package var queuedFrames: Int { channel.ring.lead - channel.ring.freeFrames }

    /// Queues interleaved samples in ``format``. One thread at a time; never blocks.
    ///
    /// - Returns: how many frames there was room for.
    package func write(_ samples: UnsafeBufferPointer<Float>) -> Int {
        let count = channel.ring.write(samples)
        if count > 0 {
            channel.control.endIndex.store(-1, ordering: .releasing)
            channel.control.samplesArrived()
        }
        return count
    }

    /// What was written and not rendered, interleaved in ``format``: for another device, after ``close()`` has joined
    /// the thread.
    package var rest: [Float] { channel.ring.rest }

    /// Says that what was written is all: once it has been heard, ``AudioEvent/drained`` comes. Writing more takes it
    /// back, and so does a flush. Producer's thread.
    package func markEndOfStream() {
        channel.control.endIndex.store(channel.ring.writeIndex, ordering: .releasing)
        channel.control.wake.signal()
    }

    // MARK: Control, from any thread

    /// Plays, as soon as there are 50 ms or the end in the ring.
    package func start() { setPlaying(true) }

    /// Fades out and stops; nothing that was written is lost. It is heard after what the device has queued, some 70 ms.
    package func pause() { setPlaying(false) }

    private func setPlaying(_ on: Bool) {
        channel.control.isPlaying.store(on, ordering: .releasing)
        channel.control.wake.signal()
    }

    /// Drops everything that was written before this call and counts positions from 0 again. Returns at once: what is
    /// written from now on is played right after what the device still has queued. Readings are 0 at once.
    package func requestFlush() {
        _ = flushing.withLock { _ in wantFlush() }
    }

    /// As ``requestFlush()``, and waits until nothing old can be heard any more: 0 ms in a pause, else some 70 ms.
    ///
    /// - Returns: false when the device did not answer within ``RenderTuning/flushLimit``.
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

    /// Changes the volume over `ramp` nanoseconds (5 ms at least), in equal steps of decibels.
    ///
    /// - Parameter linear: amplitude factor, 0...2.
    package func setVolume(_ linear: Float, muted: Bool, ramp: Int64) {
        channel.control.setGain(muted ? 0 : linear, ramp: max(ramp, 0))
    }

    // MARK: Reports, on any thread

    /// What is being heard now; nil once the device is lost. Never locks.
    package var reading: AudioClock.Reading? {
        let wanted = channel.control.flushesWanted.load(ordering: .acquiring)
        return channel.clock.reading(at: MonotonicTime.now, flush: wanted)
    }

    /// The device has failed, or takes nothing though it runs, and has not played since.
    package var isFaltering: Bool { channel.control.isFaltering.load(ordering: .relaxed) }

    /// Frames of delay behind the device's own queue, as far as that has been seen. Any thread.
    package var extraDelay: Int { channel.control.extraDelay.load(ordering: .relaxed) }

    /// How often the sound was interrupted because samples came too late.
    package var underruns: Int { channel.events.underruns }
    /// How often the device worked again after a failure.
    package var recoveries: Int { channel.events.recoveries }

    /// What happened since the last call.
    package func takeEvents() -> [AudioEvent] {
        channel.events.take(flush: channel.control.flushesWanted.load(ordering: .acquiring), device: deviceName)
    }

    /// Host time after which the device hangs in a call: it took longer than ``RenderTuning/hangLimit``. `.max` while
    /// nothing is asked of it.
    package var due: Int64 { channel.control.due.load(ordering: .relaxed) }

    /// Lets the thread stop, without waiting for it: ``close()`` is still to come.
    package func beginClosing() {
        channel.control.isClosing.store(true, ordering: .releasing)
        channel.control.wake.signal()
    }

    /// Fades out what sounds, which takes ``RenderTuning/lastSound`` at most, joins the thread and gives the device
    /// back. Further calls do nothing.
    ///
    /// A device call that hangs in a frozen sound server cannot be called off: after ``RenderTuning/closeLimit`` its
    /// thread is left behind, with the device it holds. Of ``leftBehindLimit`` such threads on no further device is
    /// opened.
    ///
    /// - Returns: false when its thread was left behind.
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
