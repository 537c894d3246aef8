import CALSA
import Glibc
import SystemCalls

/// An ALSA playback device in non-blocking mode, and the owner of its `snd_pcm_t`.
///
/// `@unchecked Sendable`: passed to the render thread before it starts, then used only by that thread.
package final class ALSAPCM: PCMDevice, @unchecked Sendable {
    package let name: String
    package let format: AudioFormat
    /// The used part of the device's buffer in frames: 60 ms, or three periods if those are longer. It delays changes
    /// of volume.
    package let bufferFrames: Int
    package let periodFrames: Int
    package let canPause: Bool
    /// The frames of the buffer that stay empty.
    private let surplus: Int
    /// The sample format of the device, to which samples are converted.
    package let sampleFormat: SampleFormat

    private let handle: OpaquePointer
    private var isOpen = true
    private let status: OpaquePointer
    /// A period in the device's format.
    private let converted: UnsafeMutableRawPointer
    private let descriptors: UnsafeMutablePointer<pollfd>
    private let descriptorCount: Int
    /// The wake descriptor, then the device's. Changed in place, so that waiting does not allocate.
    private var entries: [Poll.Entry] = []

    /// Opens and configures the device, which may take about 100 ms.
    package init(
        device: String, wanted: AudioFormat, channels: ChannelChoice = .automaticSafe, period: Int64? = nil
    ) throws(AudioOutputError) {
        do throws(PCMFailure) {
            let opened = try Self.open(device, wanted, channels, period: period)
            handle = opened.handle
            sampleFormat = opened.sampleFormat
            format = opened.format
            bufferFrames = Self.used(of: opened.bufferFrames, periodFrames: opened.periodFrames, opened.format)
            surplus = opened.bufferFrames - bufferFrames
            periodFrames = opened.periodFrames
            canPause = opened.canPause
            status = opened.status
        } catch {
            throw AudioOutputError(device: device, failure: error)
        }
        name = device
        converted = .allocate(byteCount: periodFrames * format.channels * sampleFormat.bytes, alignment: 16)
        descriptorCount = max(0, Int(snd_pcm_poll_descriptors_count(handle)))
        descriptors = .allocate(capacity: max(descriptorCount, 1))
        descriptors.initialize(repeating: pollfd(), count: max(descriptorCount, 1))
    }

    static func used(of frames: Int, periodFrames: Int, _ format: AudioFormat) -> Int {
        min(frames, max(format.frames(in: 60_000_000), periodFrames * 3))
    }

    deinit {
        close()
        snd_pcm_status_free(status)
        converted.deallocate()
        descriptors.deallocate()
    }

    package func close() {
        guard isOpen else { return }
        isOpen = false
        snd_pcm_close(handle)
    }

    private func check(_ step: PCMFailure.Step, _ code: Int32) throws(PCMFailure) {
        if code < 0 { throw PCMFailure(step, code) }
    }

    package func prepare() throws(PCMFailure) {
        // Some plug-ins open new descriptors when they are prepared.
        entries.removeAll(keepingCapacity: true)
        try check(.prepare, snd_pcm_prepare(handle))
    }

    package func start() throws(PCMFailure) { try check(.start, snd_pcm_start(handle)) }
    package func setPaused(_ paused: Bool) throws(PCMFailure) {
        try check(.pause, snd_pcm_pause(handle, paused ? 1 : 0))
    }
    package func drop() throws(PCMFailure) { try check(.drop, snd_pcm_drop(handle)) }
    package func resume() throws(PCMFailure) { try check(.resume, snd_pcm_resume(handle)) }

    package func write(_ samples: UnsafePointer<Float>, frames: Int) throws(PCMFailure) -> Int {
        let count = min(frames, periodFrames)
        sampleFormat.convert(samples, count: count * format.channels, into: converted)
        let result = snd_pcm_writei(handle, converted, snd_pcm_uframes_t(count))
        if result == -Int(EAGAIN) || result == -Int(EINTR) { return 0 }
        if result < 0 { throw PCMFailure(.write, Int32(truncatingIfNeeded: result)) }
        return result
    }

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
        var stamp = timespec()
        snd_pcm_status_get_htstamp(status, &stamp)
        let now = MonotonicTime.now
        var time = Int64(stamp.tv_sec) * MonotonicTime.nanosecondsPerSecond + Int64(stamp.tv_nsec)
        // Without a stamp of the host's clock, the current time is used.
        if state != SND_PCM_STATE_RUNNING || abs(now - time) > 200_000_000 { time = now }
        let available = min(max(Int(clamping: snd_pcm_status_get_avail(status)) - surplus, 0), bufferFrames)
        // The queued frames cannot have been heard, whatever the sound server reports: the pulse plug-in reports a
        // delay of 0 for the first half second.
        let delay = max(Int(snd_pcm_status_get_delay(status)), bufferFrames - available)
        return PCMTiming(available: available, delay: delay, hostTime: time)
    }

    package func wait(forSpace space: Bool, wake: EventDescriptor, until deadline: Int64?) throws(PCMFailure) {
        guard space, surplus == 0 else {
            // Because a part of the buffer stays empty, the device always has room. It is checked again after half a
            // period.
            let look = MonotonicTime.now + format.nanoseconds(of: periodFrames) / 2
            let end = space ? min(look, deadline ?? look) : deadline
            do { _ = try Poll.waitReadable(wake.raw, until: end) } catch { throw PCMFailure(.wait, error.number) }
            return
        }
        if entries.first?.descriptor != wake.raw || entries.count != descriptorCount + 1 {
            let count = snd_pcm_poll_descriptors(handle, descriptors, UInt32(descriptorCount))
            if count < 0 { throw PCMFailure(.wait, count) }
            entries.removeAll(keepingCapacity: true)
            entries.append(Poll.Entry(wake.raw))
            for i in 0..<descriptorCount {
                entries.append(Poll.Entry(descriptors[i].fd, Poll.Events(rawValue: descriptors[i].events)))
            }
        }
        do {
            guard try Poll.wait(&entries, until: deadline) else { return }
        } catch { throw PCMFailure(.wait, error.number) }
        for i in 0..<descriptorCount { descriptors[i].revents = entries[i + 1].ready.rawValue }
        var ready: UInt16 = 0
        try check(.wait, snd_pcm_poll_descriptors_revents(handle, descriptors, UInt32(descriptorCount), &ready))
        let events = Poll.Events(rawValue: Int16(bitPattern: ready))
        guard events.contains(.failed) || events.contains(.invalid) || events.contains(.hungUp) else { return }
        // The state gives the reason. If it reports no problem, the plug-in has lost its server.
        _ = try timing()
        throw PCMFailure(.wait, EIO)
    }
}
