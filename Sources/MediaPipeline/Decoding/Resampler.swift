import CFFmpeg

/// A libswresample resampler, which converts any channel layout, rate and sample format to interleaved floats. Used by
/// one thread.
///
/// Downmixes with the coefficients of ITU-R BS.775, scaled so that the result does not clip. Mono plays on both front
/// speakers at full level.
struct Resampler: ~Copyable {
    /// libswresample's context; owned by this value.
    private let pointer: OpaquePointer
    /// The number of output channels.
    private let channels: Int
    /// The sample rate of the input in Hz.
    private let inputRate: Int32
    /// The sample format of the input (`AVSampleFormat`).
    private let sampleFormat: Int32
    // The channel layout of the input. Owned by this value: uninitialised in `deinit`.
    private let inputLayout: AVChannelLayout
    /// For each channel of the device, the index of that channel in libswresample's output; empty if both use the same
    /// order.
    private let channelIndices: [Int]

    /// Creates a resampler for audio in the format of `frame`.
    ///
    /// - Parameter target: The output format; nil keeps the frame's rate and channels, as interleaved floats.
    init(like frame: UnsafeMutablePointer<AVFrame>, to target: PCMFormat?) throws(MediaError) {
        let count = frame.pointee.ch_layout.nb_channels
        guard count > 0, count <= 64 else {
            throw MediaError(.unsupportedFormat, "audio with \(count) channels cannot be played")
        }
        guard ReadingLimits.sampleRateRange.contains(frame.pointee.sample_rate) else {
            throw MediaError(
                .unsupportedFormat, "audio at \(frame.pointee.sample_rate) samples per second cannot be played")
        }
        var sourceLayout = AVChannelLayout(), outputLayout = AVChannelLayout(), inputLayoutCopy = AVChannelLayout()
        defer {
            av_channel_layout_uninit(&sourceLayout)
            av_channel_layout_uninit(&outputLayout)
        }
        // Channels without names get the default layout for the number of channels.
        if frame.pointee.ch_layout.order == AV_CHANNEL_ORDER_NATIVE {
            _ = av_channel_layout_from_mask(&sourceLayout, frame.pointee.ch_layout.u.mask)
        } else {
            av_channel_layout_default(&sourceLayout, count)
        }
        if let target, !target.speakers.isEmpty {
            _ = av_channel_layout_from_mask(&outputLayout, target.speakers.reduce(0) { $0 | 1 << UInt64($1) })
        } else {
            av_channel_layout_default(&outputLayout, Int32(clamping: target?.channels ?? 0))
            if target == nil { _ = av_channel_layout_copy(&outputLayout, &sourceLayout) }
        }
        guard outputLayout.nb_channels > 0 else { throw MediaError(.outOfMemory, "no memory for a resampler") }
        pointer = try Self.makeContext(
            from: &sourceLayout, to: &outputLayout,
            rate: Int32(clamping: target?.rate ?? Int(frame.pointee.sample_rate)), frame)
        channels = Int(outputLayout.nb_channels)
        inputRate = frame.pointee.sample_rate
        sampleFormat = frame.pointee.format
        // If copying fails, the layout stays empty and the next frame creates a new resampler.
        _ = av_channel_layout_copy(&inputLayoutCopy, &frame.pointee.ch_layout)
        inputLayout = inputLayoutCopy
        let sortedSpeakers = target?.speakers.sorted() ?? []
        let indices = (target?.speakers ?? []).map { speaker in sortedSpeakers.firstIndex(of: speaker) ?? 0 }
        channelIndices = indices == Array(indices.indices) ? [] : indices
    }

    /// Creates libswresample's context with a mixing matrix for the layouts.
    private static func makeContext(
        from source: inout AVChannelLayout, to outputLayout: inout AVChannelLayout, rate: Int32,
        _ frame: UnsafeMutablePointer<AVFrame>
    ) throws(MediaError) -> OpaquePointer {
        var context: OpaquePointer?
        var code = swr_alloc_set_opts2(
            &context, &outputLayout, AV_SAMPLE_FMT_FLT, rate, &source, AVSampleFormat(frame.pointee.format),
            frame.pointee.sample_rate, 0, nil)
        if code >= 0, let context {
            let options = UnsafeMutableRawPointer(context)
            // Scale the mixing matrix, so that the downmix is never louder than the loudest sample.
            av_opt_set_double(options, "rematrix_maxval", 1, 0)
            if source.nb_channels == 1, outputLayout.nb_channels > 1 {
                // FFmpeg attenuates mono by 3 dB on two speakers; keep the full level.
                setMonoMatrix(context, outputLayout.nb_channels, for: &outputLayout)
            } else if source.order != AV_CHANNEL_ORDER_NATIVE || outputLayout.order != AV_CHANNEL_ORDER_NATIVE,
                source.nb_channels != outputLayout.nb_channels
            {
                setUnnamedChannelsMatrix(context, from: source.nb_channels, to: outputLayout.nb_channels)
            }
            code = swr_init(context)
            if code >= 0 { return context }
        }
        swr_free(&context)
        throw MediaError(ffmpeg: code, doing: "cannot resample")
    }

    /// Sets a mixing matrix that plays mono on the front left and right speakers, or on the centre speaker if present.
    private static func setMonoMatrix(
        _ context: OpaquePointer, _ channelCount: Int32, for outputLayout: inout AVChannelLayout
    ) {
        let centre = av_channel_layout_index_from_channel(&outputLayout, AV_CHAN_FRONT_CENTER)
        let left = av_channel_layout_index_from_channel(&outputLayout, AV_CHAN_FRONT_LEFT)
        let right = av_channel_layout_index_from_channel(&outputLayout, AV_CHAN_FRONT_RIGHT)
        let matrix = (0..<channelCount).map { row -> Double in
            if centre >= 0 { return row == centre ? 1 : 0 }
            return left < 0 || row == left || row == right ? 1 : 0
        }
        // The matrix has one column, for the mono channel, so its stride is 1.
        _ = matrix.withUnsafeBufferPointer { swr_set_matrix(context, $0.baseAddress, 1) }
    }

    /// Sets a mixing matrix that distributes unnamed channels to the output channels, one after the other.
    private static func setUnnamedChannelsMatrix(
        _ context: OpaquePointer, from inputCount: Int32, to outputCount: Int32
    ) {
        let weight = 1 / Double((inputCount + outputCount - 1) / outputCount)
        var matrix = [Double](repeating: 0, count: Int(inputCount * outputCount))
        for channel in 0..<inputCount { matrix[Int((channel % outputCount) * inputCount + channel)] = weight }
        _ = matrix.withUnsafeBufferPointer { swr_set_matrix(context, $0.baseAddress, inputCount) }
    }

    deinit {
        var pointer: OpaquePointer? = pointer
        swr_free(&pointer)
        var layout = inputLayout
        av_channel_layout_uninit(&layout)
    }

    /// Returns whether the resampler accepts the frame's rate, sample format and channel layout.
    func accepts(_ frame: UnsafeMutablePointer<AVFrame>) -> Bool {
        guard frame.pointee.sample_rate == inputRate, frame.pointee.format == sampleFormat else { return false }
        var layout = inputLayout
        return av_channel_layout_compare(&layout, &frame.pointee.ch_layout) == 0
    }

    /// The amount of audio buffered in the resampler, in nanoseconds.
    var delay: Int64 { swr_get_delay(pointer, 1_000_000_000) }

    /// Converts a frame and returns the samples that are ready; some may stay buffered.
    func convert(_ frame: UnsafeMutablePointer<AVFrame>) -> [Float] {
        resample(input: UnsafeMutableRawPointer(frame.pointee.extended_data), count: frame.pointee.nb_samples)
    }

    /// Returns the audio that is still buffered at the end of the track.
    func drain() -> [Float] { resample(input: nil, count: 0) }

    /// Passes input (nil: the end of the track) to libswresample and returns the samples that are ready.
    private func resample(input: UnsafeMutableRawPointer?, count: Int32) -> [Float] {
        let maximumOutputCount = max(0, swr_get_out_samples(pointer, count))
        // A damaged file may state a block longer than a minute: discard such a block.
        guard (1...ReadingLimits.maximumResampledFrameCount).contains(maximumOutputCount) else { return [] }
        let resampledSamples = [Float](unsafeUninitializedCapacity: Int(maximumOutputCount) * channels) {
            samples, used in
            var output: UnsafeMutablePointer<UInt8>? = UnsafeMutableRawPointer(samples.baseAddress)?
                .assumingMemoryBound(to: UInt8.self)
            let convertedCount = swr_convert(
                pointer, &output, maximumOutputCount, input?.assumingMemoryBound(to: UnsafePointer<UInt8>?.self), count)
            used = max(0, Int(convertedCount)) * channels
        }
        return channelIndices.isEmpty ? resampledSamples : inDeviceOrder(resampledSamples)
    }

    /// Returns the samples with the channels in the device's order instead of FFmpeg's order.
    private func inDeviceOrder(_ samples: [Float]) -> [Float] {
        [Float](unsafeUninitializedCapacity: samples.count) { target, used in
            for start in stride(from: 0, to: samples.count, by: channels) {
                for channel in 0..<channels { target[start + channel] = samples[start + channelIndices[channel]] }
            }
            used = samples.count
        }
    }
}
