import CALSA
import Glibc

extension ALSAPCM {
    /// A configured device without an owner.
    struct Opened {
        let handle: OpaquePointer
        let status: OpaquePointer
        let sampleFormat: SampleFormat
        let format: AudioFormat
        let bufferFrames: Int
        let periodFrames: Int
        let canPause: Bool
    }

    /// The buffer: 60 ms in periods of 15 ms, of which 45 to 60 ms are queued. The queue delays every change of volume,
    /// and each period wakes three threads, here and in a sound server.
    private static let bufferMicroseconds: UInt32 = 60_000
    private static let periodMicroseconds: UInt32 = 15_000
    /// The range of preferred periods in nanoseconds, the same as on iOS.
    package static let periodRange: ClosedRange<Int64> = 5_000_000...93_000_000

    /// Opens a device without waiting until it is free, and configures it as close to `wanted` as possible.
    ///
    /// - Parameter period: The preferred period in nanoseconds; nil for the default.
    static func open(_ device: String, _ wanted: AudioFormat, _ choice: ChannelChoice, period: Int64? = nil)
        throws(PCMFailure) -> Opened
    {
        var opened: OpaquePointer?
        calsa_silence()
        let code = snd_pcm_open(&opened, device, SND_PCM_STREAM_PLAYBACK, Int32(SND_PCM_NONBLOCK))
        guard code >= 0, let handle = opened else { throw PCMFailure(.open, code < 0 ? code : ENODEV) }
        do throws(PCMFailure) {
            return try configure(handle, wanted, choice, period)
        } catch {
            snd_pcm_close(handle)
            throw error
        }
    }

    private static func configure(
        _ handle: OpaquePointer, _ wanted: AudioFormat, _ choice: ChannelChoice, _ preferredPeriod: Int64?
    ) throws(PCMFailure) -> Opened {
        var allocated: OpaquePointer?
        guard snd_pcm_hw_params_malloc(&allocated) >= 0, let hardware = allocated else {
            throw PCMFailure(.configure, ENOMEM)
        }
        defer { snd_pcm_hw_params_free(hardware) }
        try check(snd_pcm_hw_params_any(handle, hardware))
        // The pipeline resamples itself, because ALSA's resampler reports wrong delays.
        _ = snd_pcm_hw_params_set_rate_resample(handle, hardware, 0)
        try check(snd_pcm_hw_params_set_access(handle, hardware, SND_PCM_ACCESS_RW_INTERLEAVED))
        guard
            let format = SampleFormat.allCases.first(where: {
                snd_pcm_hw_params_set_format(handle, hardware, $0.alsa) >= 0
            })
        else { throw PCMFailure(.configure, EINVAL) }
        let source = wanted.speakers.isEmpty ? Speaker.usual(min(max(wanted.channels, 1), 2)) ?? [] : wanted.speakers
        let candidates = choice.candidates(for: source, stated: statedLayouts(handle))
        let layout =
            candidates.first { snd_pcm_hw_params_test_channels(handle, hardware, UInt32($0.count)) >= 0 } ?? candidates
            .last ?? []
        var channels = UInt32(clamping: max(layout.count, 1))
        try check(snd_pcm_hw_params_set_channels_near(handle, hardware, &channels))
        var rate = UInt32(clamping: max(wanted.rate, 1))
        try check(snd_pcm_hw_params_set_rate_near(handle, hardware, &rate, nil))
        var period =
            preferredPeriod.map {
                UInt32(clamping: min(max($0, periodRange.lowerBound), periodRange.upperBound) / 1000)
            } ?? periodMicroseconds
        var buffer = period == periodMicroseconds ? bufferMicroseconds : period * 4
        // These are preferences; the actual values are read back below.
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
        return Opened(
            handle: handle, status: status, sampleFormat: format,
            format: AudioFormat(
                rate: Int(rate), order(handle, layout, channels: Int(channels)), channels: Int(channels)),
            bufferFrames: Int(bufferFrames), periodFrames: Int(periodFrames),
            canPause: snd_pcm_hw_params_can_pause(hardware) == 1)
    }

    /// Starts only on request, stops when empty, wakes for each period, and uses time stamps of the host's clock.
    private static func configureSoftware(
        _ handle: OpaquePointer, bufferFrames: snd_pcm_uframes_t, periodFrames: snd_pcm_uframes_t
    ) throws(PCMFailure) {
        var allocated: OpaquePointer?
        guard snd_pcm_sw_params_malloc(&allocated) >= 0, let software = allocated else {
            throw PCMFailure(.configure, ENOMEM)
        }
        defer { snd_pcm_sw_params_free(software) }
        try check(snd_pcm_sw_params_current(handle, software))
        var boundary: snd_pcm_uframes_t = 0
        try check(snd_pcm_sw_params_get_boundary(software, &boundary))
        try check(snd_pcm_sw_params_set_start_threshold(handle, software, boundary))
        try check(snd_pcm_sw_params_set_stop_threshold(handle, software, bufferFrames))
        try check(snd_pcm_sw_params_set_avail_min(handle, software, periodFrames))
        // Without these there is no time stamp, which `timing()` detects.
        _ = snd_pcm_sw_params_set_tstamp_mode(handle, software, SND_PCM_TSTAMP_ENABLE)
        _ = snd_pcm_sw_params_set_tstamp_type(handle, software, SND_PCM_TSTAMP_TYPE_MONOTONIC)
        try check(snd_pcm_sw_params(handle, software))
    }

    private static func check(_ code: Int32) throws(PCMFailure) {
        if code < 0 { throw PCMFailure(.configure, code) }
    }
}
