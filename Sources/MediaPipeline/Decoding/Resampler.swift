import CFFmpeg

/// The one owner of a resampler: any layout, rate and sample format into interleaved floats. One thread.
///
/// More channels become fewer by the coefficients of ITU-R BS.775, scaled so that nothing clips; mono goes to both
/// sides as loud as it is.
struct Resampler: ~Copyable {
    private let pointer: OpaquePointer
    private let channels: Int
    private let rate: Int32
    private let sampleFormat: Int32
    // Owned: uninitialised in `deinit`.
    private let source: AVChannelLayout
    /// Where each sample of a frame comes from in FFmpeg's order; empty when it is the same.
    private let order: [Int]

    /// - Parameter target: nil: as the frame is, but interleaved floats.
    init(like frame: UnsafeMutablePointer<AVFrame>, to target: PCMFormat?) throws(MediaError) {
        let count = frame.pointee.ch_layout.nb_channels
        guard count > 0, count <= 64 else {
            throw MediaError(.unsupportedFormat, "sound with \(count) channels cannot be played")
        }
        guard ReadingLimits.rates.contains(frame.pointee.sample_rate) else {
            throw MediaError(
                .unsupportedFormat, "sound at \(frame.pointee.sample_rate) samples per second cannot be played")
        }
        var named = AVChannelLayout(), wanted = AVChannelLayout(), known = AVChannelLayout()
        defer {
            av_channel_layout_uninit(&named)
            av_channel_layout_uninit(&wanted)
        }
        // Channels without names are taken for what is usual with so many.
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
        // Without memory it stays empty, and the next frame gets a resampler of its own.
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
            // No sum of channels is louder than the loudest sample.
            av_opt_set_double(options, "rematrix_maxval", 1, 0)
            if source.nb_channels == 1, wanted.nb_channels > 1 {
                // One channel on two speakers of a pair: FFmpeg takes 3 dB off, which nobody expects of a voice.
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

    /// Mono: to front left and right, or to the centre where there is one.
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

    /// Channels of which nobody knows what they are: dealt out in turn.
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

    /// False when the frame is of another kind than the resampler was made for.
    func takes(_ frame: UnsafeMutablePointer<AVFrame>) -> Bool {
        guard frame.pointee.sample_rate == rate, frame.pointee.format == sampleFormat else { return false }
        var layout = source
        return av_channel_layout_compare(&layout, &frame.pointee.ch_layout) == 0
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
        // A block of more than a minute is no block; a damaged file may claim one.
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

    /// From FFmpeg's order of channels into the device's.
    private func arranged(_ samples: [Float]) -> [Float] {
        [Float](unsafeUninitializedCapacity: samples.count) { target, used in
            for start in stride(from: 0, to: samples.count, by: channels) {
                for channel in 0..<channels { target[start + channel] = samples[start + order[channel]] }
            }
            used = samples.count
        }
    }
}
