import CFFmpeg

/// The owner of a resampler that converts any channel layout, rate and sample format to interleaved floats. One thread.
///
/// Downmixes with the coefficients of ITU-R BS.775, scaled so that the result does not clip. Mono plays on both sides
/// at full level.
struct Resampler: ~Copyable {
    private let pointer: OpaquePointer
    private let channels: Int
    private let rate: Int32
    private let sampleFormat: Int32
    // Owned: uninitialised in `deinit`.
    private let source: AVChannelLayout
    /// The source channel, in FFmpeg's order, of each output channel; empty if the order is the same.
    private let order: [Int]

    /// - Parameter target: The output format; nil keeps the frame's rate and channels, as interleaved floats.
    init(like frame: UnsafeMutablePointer<AVFrame>, to target: PCMFormat?) throws(MediaError) {
        let count = frame.pointee.ch_layout.nb_channels
        guard count > 0, count <= 64 else {
            throw MediaError(.unsupportedFormat, "audio with \(count) channels cannot be played")
        }
        guard ReadingLimits.rates.contains(frame.pointee.sample_rate) else {
            throw MediaError(
                .unsupportedFormat, "audio at \(frame.pointee.sample_rate) samples per second cannot be played")
        }
        var named = AVChannelLayout(), wanted = AVChannelLayout(), known = AVChannelLayout()
        defer {
            av_channel_layout_uninit(&named)
            av_channel_layout_uninit(&wanted)
        }
        // Channels without names get the default layout for their number.
        if frame.pointee.ch_layout.order == AV_CHANNEL_ORDER_NATIVE {
            _ = av_channel_layout_from_mask(&named, frame.pointee.ch_layout.u.mask)
        } else {
            av_channel_layout_default(&named, count)
        }
        if let target, !target.speakers.isEmpty {
            _ = av_channel_layout_from_mask(&wanted, target.speakers.reduce(0) { $0 | 1 << UInt64($1) })
        } else {
            av_channel_layout_default(&wanted, Int32(clamping: target?.channels ?? 0))
            if target == nil { _ = av_channel_layout_copy(&wanted, &named) }
        }
        guard wanted.nb_channels > 0 else { throw MediaError(.outOfMemory, "no memory for a resampler") }
        pointer = try Self.open(
            from: &named, to: &wanted, rate: Int32(clamping: target?.rate ?? Int(frame.pointee.sample_rate)), frame)
        channels = Int(wanted.nb_channels)
        rate = frame.pointee.sample_rate
        sampleFormat = frame.pointee.format
        // If this fails, the layout stays empty and the next frame creates a new resampler.
        _ = av_channel_layout_copy(&known, &frame.pointee.ch_layout)
        source = known
        let sorted = target?.speakers.sorted() ?? []
        let places = (target?.speakers ?? []).map { speaker in sorted.firstIndex(of: speaker) ?? 0 }
        order = places == Array(places.indices) ? [] : places
    }

    private static func open(
        from source: inout AVChannelLayout, to wanted: inout AVChannelLayout, rate: Int32,
        _ frame: UnsafeMutablePointer<AVFrame>
    ) throws(MediaError) -> OpaquePointer {
        var made: OpaquePointer?
        var code = swr_alloc_set_opts2(
            &made, &wanted, AV_SAMPLE_FMT_FLT, rate, &source, AVSampleFormat(frame.pointee.format),
            frame.pointee.sample_rate, 0, nil)
        if code >= 0, let made {
            let options = UnsafeMutableRawPointer(made)
            // Scale the matrix, so that the downmix is never louder than the loudest sample.
            av_opt_set_double(options, "rematrix_maxval", 1, 0)
            if source.nb_channels == 1, wanted.nb_channels > 1 {
                // FFmpeg attenuates mono by 3 dB on two speakers; keep the full level.
                spread(made, wanted.nb_channels, sides: &wanted)
            } else if source.order != AV_CHANNEL_ORDER_NATIVE || wanted.order != AV_CHANNEL_ORDER_NATIVE,
                source.nb_channels != wanted.nb_channels
            {
                deal(made, from: source.nb_channels, to: wanted.nb_channels)
            }
            code = swr_init(made)
            if code >= 0 { return made }
        }
        swr_free(&made)
        throw MediaError(ffmpeg: code, doing: "cannot resample")
    }

    /// Plays mono on the front left and right speakers, or on the centre speaker if there is one.
    private static func spread(_ made: OpaquePointer, _ count: Int32, sides wanted: inout AVChannelLayout) {
        let centre = av_channel_layout_index_from_channel(&wanted, AV_CHAN_FRONT_CENTER)
        let left = av_channel_layout_index_from_channel(&wanted, AV_CHAN_FRONT_LEFT)
        let right = av_channel_layout_index_from_channel(&wanted, AV_CHAN_FRONT_RIGHT)
        let matrix = (0..<count).map { row -> Double in
            if centre >= 0 { return row == centre ? 1 : 0 }
            return left < 0 || row == left || row == right ? 1 : 0
        }
        // One column: the stride is 1.
        _ = matrix.withUnsafeBufferPointer { swr_set_matrix(made, $0.baseAddress, 1) }
    }

    /// Distributes unnamed channels in turn to the output channels.
    private static func deal(_ made: OpaquePointer, from source: Int32, to wanted: Int32) {
        let share = 1 / Double((source + wanted - 1) / wanted)
        var matrix = [Double](repeating: 0, count: Int(source * wanted))
        for channel in 0..<source { matrix[Int((channel % wanted) * source + channel)] = share }
        _ = matrix.withUnsafeBufferPointer { swr_set_matrix(made, $0.baseAddress, source) }
    }

    deinit {
        var pointer: OpaquePointer? = pointer
        swr_free(&pointer)
        var layout = source
        av_channel_layout_uninit(&layout)
    }

    /// Returns whether the resampler accepts the frame's rate, sample format and channel layout.
    func takes(_ frame: UnsafeMutablePointer<AVFrame>) -> Bool {
        guard frame.pointee.sample_rate == rate, frame.pointee.format == sampleFormat else { return false }
        var layout = source
        return av_channel_layout_compare(&layout, &frame.pointee.ch_layout) == 0
    }

    /// The amount of audio buffered in the resampler, in nanoseconds.
    var delay: Int64 { swr_get_delay(pointer, 1_000_000_000) }

    func convert(_ frame: UnsafeMutablePointer<AVFrame>) -> [Float] {
        run(input: UnsafeMutableRawPointer(frame.pointee.extended_data), count: frame.pointee.nb_samples)
    }

    /// Returns the audio that is still buffered, at the end.
    func drain() -> [Float] { run(input: nil, count: 0) }

    private func run(input: UnsafeMutableRawPointer?, count: Int32) -> [Float] {
        let room = max(0, swr_get_out_samples(pointer, count))
        // A damaged file may claim a block longer than a minute; discard it.
        guard (1...ReadingLimits.resampledFrames).contains(room) else { return [] }
        let made = [Float](unsafeUninitializedCapacity: Int(room) * channels) { samples, used in
            var output: UnsafeMutablePointer<UInt8>? = UnsafeMutableRawPointer(samples.baseAddress)?
                .assumingMemoryBound(to: UInt8.self)
            let made = swr_convert(
                pointer, &output, room, input?.assumingMemoryBound(to: UnsafePointer<UInt8>?.self), count)
            used = max(0, Int(made)) * channels
        }
        return order.isEmpty ? made : arranged(made)
    }

    /// Reorders channels from FFmpeg's order to the device's order.
    private func arranged(_ samples: [Float]) -> [Float] {
        [Float](unsafeUninitializedCapacity: samples.count) { target, used in
            for start in stride(from: 0, to: samples.count, by: channels) {
                for channel in 0..<channels { target[start + channel] = samples[start + order[channel]] }
            }
            used = samples.count
        }
    }
}
