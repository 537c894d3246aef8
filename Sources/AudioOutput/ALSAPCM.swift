import CALSA
import Glibc
import SystemCalls

/// An ALSA playback device in non-blocking mode, and the owner of its `snd_pcm_t`.
///
/// `@unchecked Sendable`: passed to the render thread before it starts, then used only by that thread.
package final class ALSAPCM: PCMDevice, @unchecked Sendable {
    /// ALSA's name of the device: `default`, `hw:0`.
    package let name: String
    /// The rate and channels that the device accepted.
    package let format: AudioFormat
    /// The used part of the device's buffer in frames: at most 60 ms, or three periods if those are longer. Queued
    /// frames delay changes of volume.
    package let bufferFrames: Int
    /// The number of frames after which the device wakes the render thread.
    package let periodFrames: Int
    /// Whether the device can be paused without losing its queue.
    package let canPause: Bool
    /// The number of frames at the end of the device's buffer that stay empty, because queued frames delay changes of
    /// volume.
    private let unusedFrames: Int
    /// The sample format of the device, to which samples are converted.
    package let sampleFormat: SampleFormat

    /// ALSA's handle of the device.
    private let handle: OpaquePointer
    /// Whether ``close()`` has not been called yet.
    private var isOpen = true
    /// The memory into which ALSA writes the device's state.
    private let status: OpaquePointer
    /// One period of samples, converted to the device's sample format.
    private let conversionBuffer: UnsafeMutableRawPointer
    /// The device's poll descriptors, as the `pollfd` structures that ALSA fills in.
    private let descriptors: UnsafeMutablePointer<pollfd>
    private let descriptorCount: Int
    /// The entries that ``wait(forSpace:wake:until:)`` polls: the wake descriptor, then the device's descriptors. The
    /// entries are changed in place, so that waiting does not allocate.
    private var pollEntries: [Poll.Entry] = []

    /// Opens and configures the device, which may take about 100 ms.
    package init(
        device: String, requested: AudioFormat, channels: ChannelChoice = .automaticSafe, period: Int64? = nil
    ) throws(AudioOutputError) {
        do throws(PCMFailure) {
            let openedDevice = try Self.open(device, requested, channels, period: period)
            handle = openedDevice.handle
            sampleFormat = openedDevice.sampleFormat
            format = openedDevice.format
            bufferFrames = Self.usedFrames(
                of: openedDevice.bufferFrames, periodFrames: openedDevice.periodFrames, openedDevice.format)
            unusedFrames = openedDevice.bufferFrames - bufferFrames
            periodFrames = openedDevice.periodFrames
            canPause = openedDevice.canPause
            status = openedDevice.status
        } catch {
            throw AudioOutputError(device: device, failure: error)
        }
        name = device
        conversionBuffer = .allocate(byteCount: periodFrames * format.channels * sampleFormat.byteCount, alignment: 16)
        descriptorCount = max(0, Int(snd_pcm_poll_descriptors_count(handle)))
        descriptors = .allocate(capacity: max(descriptorCount, 1))
        descriptors.initialize(repeating: pollfd(), count: max(descriptorCount, 1))
    }

    /// Returns how many of the `frames` of a device's buffer are used (``bufferFrames``).
    static func usedFrames(of frames: Int, periodFrames: Int, _ format: AudioFormat) -> Int {
        min(frames, max(format.frames(in: 60_000_000), periodFrames * 3))
    }

    deinit {
        close()
        snd_pcm_status_free(status)
        conversionBuffer.deallocate()
        descriptors.deallocate()
    }

    /// Closes the device. Idempotent.
    package func close() {
        guard isOpen else { return }
        isOpen = false
        snd_pcm_close(handle)
    }

    /// Throws a failure of `operation` if ALSA returned an error code.
    private func check(_ operation: PCMFailure.Operation, _ code: Int32) throws(PCMFailure) {
        if code < 0 { throw PCMFailure(operation, code) }
    }

    /// Prepares the device: empties its queue, so that samples can be written and the device can be started.
    package func prepare() throws(PCMFailure) {
        // Some plug-ins open new descriptors when they are prepared, so the poll entries must be built again.
        pollEntries.removeAll(keepingCapacity: true)
        try check(.prepare, snd_pcm_prepare(handle))
    }

    /// Starts to play the queued samples.
    package func start() throws(PCMFailure) { try check(.start, snd_pcm_start(handle)) }
    /// Pauses or continues the device. Queued samples are kept.
    package func setPaused(_ paused: Bool) throws(PCMFailure) {
        try check(.pause, snd_pcm_pause(handle, paused ? 1 : 0))
    }
    /// Stops the device at once and discards the queued samples.
    package func drop() throws(PCMFailure) { try check(.drop, snd_pcm_drop(handle)) }
    /// Resumes the device after the machine was asleep.
    package func resume() throws(PCMFailure) { try check(.resume, snd_pcm_resume(handle)) }

    /// Queues at most one period. Returns the number of accepted frames; 0 if there is no room.
    package func write(_ samples: UnsafePointer<Float>, frames: Int) throws(PCMFailure) -> Int {
        let frameCount = min(frames, periodFrames)
        sampleFormat.convert(samples, count: frameCount * format.channels, into: conversionBuffer)
        let result = snd_pcm_writei(handle, conversionBuffer, snd_pcm_uframes_t(frameCount))
        if result == -Int(EAGAIN) || result == -Int(EINTR) { return 0 }
        if result < 0 { throw PCMFailure(.write, Int32(truncatingIfNeeded: result)) }
        return result
    }

    /// Returns the free space in the device's queue, and the delay until a new frame is heard. Throws if the device has
    /// stopped.
    package func timing() throws(PCMFailure) -> PCMTiming {
        try check(.timing, snd_pcm_status(handle, status))
        let state = snd_pcm_status_get_state(status)
        switch state {
        case SND_PCM_STATE_XRUN: throw PCMFailure(.timing, EPIPE)
        case SND_PCM_STATE_SUSPENDED: throw PCMFailure(.timing, ESTRPIPE)
        case SND_PCM_STATE_DISCONNECTED: throw PCMFailure(.timing, ENODEV)
        case SND_PCM_STATE_OPEN, SND_PCM_STATE_SETUP: throw PCMFailure(.timing, EBADFD)
        default: break
        }
        var timeStamp = timespec()
        snd_pcm_status_get_htstamp(status, &timeStamp)
        let now = MonotonicTime.now
        var hostTime = Int64(timeStamp.tv_sec) * MonotonicTime.nanosecondsPerSecond + Int64(timeStamp.tv_nsec)
        // If ALSA has no time stamp of the host's clock, use the current time.
        if state != SND_PCM_STATE_RUNNING || abs(now - hostTime) > 200_000_000 { hostTime = now }
        let available = min(max(Int(clamping: snd_pcm_status_get_avail(status)) - unusedFrames, 0), bufferFrames)
        // Frames that are still queued have not been heard, even if the sound server reports less delay: ALSA's pulse
        // plug-in reports a delay of 0 for the first half second.
        let delay = max(Int(snd_pcm_status_get_delay(status)), bufferFrames - available)
        return PCMTiming(available: available, delay: delay, hostTime: hostTime)
    }

    /// Waits until the device has room (only if `needsSpace`), `wake` is signalled or `deadline` has passed.
    package func wait(forSpace needsSpace: Bool, wake: EventDescriptor, until deadline: Int64?) throws(PCMFailure) {
        guard needsSpace, unusedFrames == 0 else {
            // The device's buffer never becomes full, because its end stays unused. ALSA therefore always reports room:
            // check again after half a period whether the used part has room.
            let nextCheck = MonotonicTime.now + format.nanoseconds(of: periodFrames) / 2
            let wakeTime = needsSpace ? min(nextCheck, deadline ?? nextCheck) : deadline
            do { _ = try Poll.waitReadable(wake.raw, until: wakeTime) } catch { throw PCMFailure(.wait, error.number) }
            return
        }
        if pollEntries.first?.descriptor != wake.raw || pollEntries.count != descriptorCount + 1 {
            let count = snd_pcm_poll_descriptors(handle, descriptors, UInt32(descriptorCount))
            if count < 0 { throw PCMFailure(.wait, count) }
            pollEntries.removeAll(keepingCapacity: true)
            pollEntries.append(Poll.Entry(wake.raw))
            for i in 0..<descriptorCount {
                pollEntries.append(Poll.Entry(descriptors[i].fd, Poll.Events(rawValue: descriptors[i].events)))
            }
        }
        do {
            guard try Poll.wait(&pollEntries, until: deadline) else { return }
        } catch { throw PCMFailure(.wait, error.number) }
        for i in 0..<descriptorCount { descriptors[i].revents = pollEntries[i + 1].ready.rawValue }
        var ready: UInt16 = 0
        try check(.wait, snd_pcm_poll_descriptors_revents(handle, descriptors, UInt32(descriptorCount), &ready))
        let events = Poll.Events(rawValue: Int16(bitPattern: ready))
        guard events.contains(.failed) || events.contains(.invalid) || events.contains(.hungUp) else { return }
        // `timing()` throws the error that explains the failed wait, if the device's state reveals one. Otherwise the
        // ALSA plug-in has lost its sound server.
        _ = try timing()
        throw PCMFailure(.wait, EIO)
    }
}
