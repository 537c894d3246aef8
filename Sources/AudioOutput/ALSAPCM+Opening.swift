import CALSA
import Glibc

extension ALSAPCM {
    /// A configured device. The code that receives this value must release `handle` and `status`.
    struct OpenedDevice {
        /// ALSA's handle of the device.
        let handle: OpaquePointer
        /// The memory into which ALSA writes the device's state.
        let status: OpaquePointer
        /// The sample format that the device accepts.
        let sampleFormat: SampleFormat
        /// The rate and channels that the device accepted.
        let format: AudioFormat
        /// The size of the device's whole buffer in frames.
        let bufferFrames: Int
        /// The number of frames after which the device wakes the render thread.
        let periodFrames: Int
        /// Whether the device can be paused without losing its queue.
        let canPause: Bool
    }

    /// The default duration of the device's buffer in microseconds: three periods. A longer buffer delays changes of
    /// volume; shorter periods wake the threads of this process and of a sound server more often.
    private static let bufferMicroseconds: UInt32 = 60_000
    /// The default period in microseconds, after which the device wakes the render thread.
    private static let periodMicroseconds: UInt32 = 20_000
    /// The permitted range of a preferred period in nanoseconds, the same as on iOS.
    package static let periodRange: ClosedRange<Int64> = 5_000_000...93_000_000

    /// Loads ALSA's configuration, which every device needs, and the libraries that it names, such as those of a sound
    /// server. Waits for the sound server. ``open(_:_:_:period:)`` does the same if it has not been done.
    package static func loadConfiguration() {
        calsa_discard_messages()
        // An error is repeated, and reported, when a device is opened.
        _ = snd_config_update()
    }

    /// Opens a device and configures it as close to `requested` as possible. Throws at once if another program uses the
    /// device.
    ///
    /// - Parameter period: The preferred period in nanoseconds; nil for the default.
    static func open(_ device: String, _ requested: AudioFormat, _ channelChoice: ChannelChoice, period: Int64? = nil)
        throws(PCMFailure) -> OpenedDevice
    {
        var openedHandle: OpaquePointer?
        calsa_discard_messages()
        let code = snd_pcm_open(&openedHandle, device, SND_PCM_STREAM_PLAYBACK, Int32(SND_PCM_NONBLOCK))
        guard code >= 0, let handle = openedHandle else { throw PCMFailure(.open, code < 0 ? code : ENODEV) }
        do throws(PCMFailure) {
            return try configure(handle, requested, channelChoice, period)
        } catch {
            snd_pcm_close(handle)
            throw error
        }
    }

    /// Negotiates format, channels, rate and buffer with the opened device.
    private static func configure(
        _ handle: OpaquePointer, _ requested: AudioFormat, _ channelChoice: ChannelChoice, _ preferredPeriod: Int64?
    ) throws(PCMFailure) -> OpenedDevice {
        var allocatedParameters: OpaquePointer?
        guard snd_pcm_hw_params_malloc(&allocatedParameters) >= 0, let hardware = allocatedParameters else {
            throw PCMFailure(.configure, ENOMEM)
        }
        defer { snd_pcm_hw_params_free(hardware) }
        try check(snd_pcm_hw_params_any(handle, hardware))
        // Disable ALSA's resampler, which reports wrong delays. `MediaPipeline` resamples instead.
        _ = snd_pcm_hw_params_set_rate_resample(handle, hardware, 0)
        try check(snd_pcm_hw_params_set_access(handle, hardware, SND_PCM_ACCESS_RW_INTERLEAVED))
        guard
            let format = SampleFormat.allCases.first(where: {
                snd_pcm_hw_params_set_format(handle, hardware, $0.alsaFormat) >= 0
            })
        else { throw PCMFailure(.configure, EINVAL) }
        let sourceSpeakers =
            requested.speakers.isEmpty
            ? Speaker.defaultLayout(channels: min(max(requested.channels, 1), 2)) ?? [] : requested.speakers
        let candidates = channelChoice.candidates(for: sourceSpeakers, reported: reportedLayouts(handle))
        let layout =
            candidates.first { snd_pcm_hw_params_test_channels(handle, hardware, UInt32($0.count)) >= 0 } ?? candidates
            .last ?? []
        var channels = UInt32(clamping: max(layout.count, 1))
        try check(snd_pcm_hw_params_set_channels_near(handle, hardware, &channels))
        var rate = UInt32(clamping: max(requested.rate, 1))
        try check(snd_pcm_hw_params_set_rate_near(handle, hardware, &rate, nil))
        var period =
            preferredPeriod.map {
                UInt32(clamping: min(max($0, periodRange.lowerBound), periodRange.upperBound) / 1000)
            } ?? periodMicroseconds
        var buffer = period == periodMicroseconds ? bufferMicroseconds : period * 4
        // Ignore failures: period and buffer size are only preferences. The code reads the actual sizes afterwards.
        _ = snd_pcm_hw_params_set_period_time_near(handle, hardware, &period, nil)
        _ = snd_pcm_hw_params_set_buffer_time_near(handle, hardware, &buffer, nil)
        try check(snd_pcm_hw_params(handle, hardware))
        var bufferFrames: snd_pcm_uframes_t = 0, periodFrames: snd_pcm_uframes_t = 0
        try check(snd_pcm_hw_params_get_buffer_size(hardware, &bufferFrames))
        try check(snd_pcm_hw_params_get_period_size(hardware, &periodFrames, nil))
        guard bufferFrames > 0, periodFrames > 0, rate > 0 else { throw PCMFailure(.configure, EINVAL) }
        try configureSoftware(handle, bufferFrames: bufferFrames, periodFrames: periodFrames)
        var status: OpaquePointer?
        guard snd_pcm_status_malloc(&status) >= 0, let status else { throw PCMFailure(.configure, ENOMEM) }
        return OpenedDevice(
            handle: handle, status: status, sampleFormat: format,
            format: AudioFormat(
                rate: Int(rate), speakerOrder(handle, layout, channels: Int(channels)), channels: Int(channels)),
            bufferFrames: Int(bufferFrames), periodFrames: Int(periodFrames),
            canPause: snd_pcm_hw_params_can_pause(hardware) == 1)
    }

    /// Configures the device to start only on request, to stop when it is empty, to wake the render thread after each
    /// period, and to use time stamps of the host's clock.
    private static func configureSoftware(
        _ handle: OpaquePointer, bufferFrames: snd_pcm_uframes_t, periodFrames: snd_pcm_uframes_t
    ) throws(PCMFailure) {
        var allocatedParameters: OpaquePointer?
        guard snd_pcm_sw_params_malloc(&allocatedParameters) >= 0, let software = allocatedParameters else {
            throw PCMFailure(.configure, ENOMEM)
        }
        defer { snd_pcm_sw_params_free(software) }
        try check(snd_pcm_sw_params_current(handle, software))
        var boundary: snd_pcm_uframes_t = 0
        try check(snd_pcm_sw_params_get_boundary(software, &boundary))
        try check(snd_pcm_sw_params_set_start_threshold(handle, software, boundary))
        try check(snd_pcm_sw_params_set_stop_threshold(handle, software, bufferFrames))
        try check(snd_pcm_sw_params_set_avail_min(handle, software, periodFrames))
        // Ignore a failure to enable time stamps: `timing()` then uses the current time.
        _ = snd_pcm_sw_params_set_tstamp_mode(handle, software, SND_PCM_TSTAMP_ENABLE)
        _ = snd_pcm_sw_params_set_tstamp_type(handle, software, SND_PCM_TSTAMP_TYPE_MONOTONIC)
        try check(snd_pcm_sw_params(handle, software))
    }

    /// Throws a ``PCMFailure`` of the operation `configure` if ALSA returned an error code.
    private static func check(_ code: Int32) throws(PCMFailure) {
        if code < 0 { throw PCMFailure(.configure, code) }
    }
}
