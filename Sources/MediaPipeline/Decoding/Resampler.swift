import CFFmpeg

/// The one owner of a resampler: any layout, rate and sample format into interleaved floats. One thread.
struct Resampler: ~Copyable {
    private let pointer: OpaquePointer
    private let target: PCMFormat
    private let rate: Int32
    private let sampleFormat: Int32
    private let channels: Int32

    init(like frame: UnsafeMutablePointer<AVFrame>, to target: PCMFormat) throws(MediaError) {
        var source = AVChannelLayout(), wanted = AVChannelLayout()
        defer {
            av_channel_layout_uninit(&source)
            av_channel_layout_uninit(&wanted)
        }
        let count = frame.pointee.ch_layout.nb_channels
        guard count > 0, count <= 64 else { throw MediaError(.unsupportedFormat, "sound with \(count) channels cannot be played") }
        if frame.pointee.ch_layout.order == AV_CHANNEL_ORDER_UNSPEC {
            av_channel_layout_default(&source, count)
        } else if av_channel_layout_copy(&source, &frame.pointee.ch_layout) < 0 {
            throw MediaError(.outOfMemory, "no memory for a resampler")
        }
        av_channel_layout_default(&wanted, Int32(target.channels))
        var made: OpaquePointer?
        let code = swr_alloc_set_opts2(
            &made, &wanted, AV_SAMPLE_FMT_FLT, Int32(target.rate), &source, AVSampleFormat(frame.pointee.format),
            frame.pointee.sample_rate, 0, nil)
        guard code >= 0, let made else { throw MediaError(ffmpeg: code, doing: "cannot resample") }
        let opened = swr_init(made)
        guard opened >= 0 else {
            var pointer: OpaquePointer? = made
            swr_free(&pointer)
            throw MediaError(ffmpeg: opened, doing: "cannot resample")
        }
        pointer = made
        self.target = target
        rate = frame.pointee.sample_rate
        sampleFormat = frame.pointee.format
        channels = count
    }

    deinit {
        var pointer: OpaquePointer? = pointer
        swr_free(&pointer)
    }

    /// False when the frame is of another kind than the resampler was made for.
    func takes(_ frame: UnsafeMutablePointer<AVFrame>) -> Bool {
        frame.pointee.sample_rate == rate && frame.pointee.format == sampleFormat && frame.pointee.ch_layout.nb_channels == channels
    }

    /// Nanoseconds of sound inside it.
    var delay: Int64 { swr_get_delay(pointer, 1_000_000_000) }

    func convert(_ frame: UnsafeMutablePointer<AVFrame>) -> [Float] {
        run(input: UnsafeMutableRawPointer(frame.pointee.extended_data), count: frame.pointee.nb_samples)
    }

    /// What is left inside at the end.
    func drain() -> [Float] { run(input: nil, count: 0) }

    private func run(input: UnsafeMutableRawPointer?, count: Int32) -> [Float] {
        let room = max(0, swr_get_out_samples(pointer, count))
        guard room > 0 else { return [] }
        return [Float](unsafeUninitializedCapacity: Int(room) * target.channels) { samples, used in
            var output: UnsafeMutablePointer<UInt8>? = UnsafeMutableRawPointer(samples.baseAddress)?.assumingMemoryBound(to: UInt8.self)
            let made = swr_convert(pointer, &output, room, input?.assumingMemoryBound(to: UnsafePointer<UInt8>?.self), count)
            used = max(0, Int(made)) * target.channels
        }
    }
}
