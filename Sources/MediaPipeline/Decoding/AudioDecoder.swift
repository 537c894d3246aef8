import CFFmpeg

/// One output of an audio decoder: a block of audio, or the end of the track.
package enum DecodedAudio: Sendable {
    /// Decoded audio.
    case block(PCMBlock)
    /// The end of the audio track; a later seek continues the track.
    case end
}

/// Decodes one audio track and resamples it. Runs on the audio decoding thread.
struct AudioDecoder: ~Copyable {
    /// FFmpeg's decoder.
    private let context: CodecContext
    /// The decoder's output, reused for each frame.
    private let frame: DecodedFrame
    /// The time base of the track's timestamps.
    private let timeBase: TimeBase
    /// The time on the container's clock at which the media item starts, in nanoseconds.
    let itemOrigin: Int64
    /// The output format; nil delivers no blocks and only computes checksums.
    let format: PCMFormat?
    /// Converts decoded audio to ``format``; nil until audio is decoded after a start or a seek.
    var resampler: Resampler?
    private var checksumCalculator: AudioChecksumCalculator
    /// Receives the checksum of each decoded block; nil computes no checksums.
    private let checksumHandler: (@Sendable (AudioChecksum) -> Void)?
    /// Whether audio was decoded or a seek has happened since the decoder was opened. If neither happened and the
    /// decoder rejected a packet, the end of the track is reported as an error.
    private var hasDecodedOrSought = false
    /// Whether the decoder rejected a packet.
    private var hasRejectedPacket = false
    /// The number of consecutive decoding errors.
    private var failureCount = 0
    /// The number of the last seek, with which every delivered block is marked.
    var generation: UInt32 = 0
    /// The time of a seek, in nanoseconds on the item's timeline: earlier audio is decoded but not delivered. Nil after
    /// the first delivered block.
    var seekTarget: Int64?
    /// The presentation time of the next block, in nanoseconds on the item's timeline.
    var nextTime: Int64 = 0
    /// Whether the durations of earlier packets equalled the number of decoded samples.
    private var durationsAreExact = false

    /// Opens a decoder for an audio track.
    ///
    /// - Parameters:
    ///   - format: The output format of blocks; nil delivers no blocks.
    ///   - checksumHash: The hash of the checksums.
    ///   - checksumHandler: Receives checksums of the decoded audio; nil computes no checksums.
    init(
        parameters: CodecParameters, origin: Int64, format: PCMFormat?,
        checksumHash: ChecksumHash = .md5, checksumHandler: (@Sendable (AudioChecksum) -> Void)? = nil
    ) throws(MediaError) {
        guard let frame = DecodedFrame() else { throw MediaError(.outOfMemory, "no memory for a frame") }
        let streamTimeBase = parameters.timeBase
        context = try CodecContext(parameters: parameters) { context in
            context.pointee.pkt_timebase = AVRational(num: streamTimeBase.numerator, den: streamTimeBase.denominator)
            context.pointee.thread_count = 1
        }
        self.frame = frame
        timeBase = streamTimeBase
        itemOrigin = origin
        self.format = format
        checksumCalculator = AudioChecksumCalculator(checksumHash)
        self.checksumHandler = checksumHandler
    }

    /// Resets the decoder for a seek, and then drops decoded audio before the sought time.
    mutating func restart(_ request: SeekRequest) {
        avcodec_flush_buffers(context.pointer)
        resampler = nil
        hasDecodedOrSought = true
        generation = request.generation
        seekTarget = request.time
        nextTime = request.time
    }

    /// Decodes `packet` (nil: the end of the track) and passes the results to `deliver`, which returns false to stop.
    mutating func decode(_ packet: Packet?, deliver: (DecodedAudio, UInt32) -> Bool) throws(MediaError) {
        if isLongBeforeTarget(packet) { return }
        var code = avcodec_send_packet(context.pointer, packet?.pointer)
        while code == cffmpeg_error(EAGAIN) {
            guard try receiveFrame(deliver) else { return }
            code = avcodec_send_packet(context.pointer, packet?.pointer)
        }
        if code < 0, code != cffmpeg_error_eof { hasRejectedPacket = true }
        while try receiveFrame(deliver) {}
        guard packet == nil else { return }
        // FFmpeg requires a flush before a drained decoder accepts packets again.
        defer { avcodec_flush_buffers(context.pointer) }
        guard hasDecodedOrSought || !hasRejectedPacket else {
            throw MediaError(.corrupt, "no part of the audio can be decoded")
        }
        guard try drainResampler(deliver) else { return }
        _ = deliver(.end, generation)
    }

    /// Delivers the decoder's remaining audio before a change of the track's format. Sends no end item, because the
    /// track continues.
    mutating func drain(deliver: (DecodedAudio, UInt32) -> Bool) throws(MediaError) {
        try decode(nil) { item, generation in if case .end = item { true } else { deliver(item, generation) } }
    }

    /// Delivers the audio that the resampler still holds.
    ///
    /// - Returns: false if `deliver` returned false.
    private mutating func drainResampler(_ deliver: (DecodedAudio, UInt32) -> Bool) throws(MediaError) -> Bool {
        guard let format, let remainingSamples = resampler?.drain(), !remainingSamples.isEmpty else { return true }
        return deliver(.block(makeBlock(remainingSamples, format)), generation)
    }

    /// Returns whether a packet lies so far before a seek's target that it need not be decoded. Overlapping windows and
    /// bit reservoirs make a packet depend on at most the quarter of a second before it (MP3 at its lowest rates).
    private func isLongBeforeTarget(_ packet: Packet?) -> Bool {
        guard let seekTarget, let packet, let start = timeBase.nanoseconds(packet.pointer.pointee.pts) else {
            return false
        }
        guard let length = timeBase.nanoseconds(packet.pointer.pointee.duration), (1...1_000_000_000).contains(length)
        else { return false }
        return start - itemOrigin + length < seekTarget - 400_000_000
    }

    /// Returns the samples as a block at ``nextTime``, and advances that time.
    mutating func makeBlock(_ samples: [Float], _ format: PCMFormat) -> PCMBlock {
        let block = PCMBlock(
            samples: samples, channels: format.channels, rate: format.rate, presentationTime: nextTime,
            generation: generation)
        nextTime += Int64(block.frameCount) * 1_000_000_000 / Int64(max(format.rate, 1))
        return block
    }

    /// Removes the padding from the last packet of a track (AAC in MP4), whose stated duration is shorter than the
    /// decoded audio. Applies only if the time base counts samples and the durations of earlier packets were exact.
    private mutating func cutPadding() {
        let statedDuration = cffmpeg_frame_duration(frame.pointer), samples = Int64(frame.pointer.pointee.nb_samples)
        guard timeBase.numerator == 1, timeBase.denominator == frame.pointer.pointee.sample_rate else { return }
        if statedDuration == samples { durationsAreExact = true }
        if durationsAreExact, statedDuration > 0, statedDuration < samples {
            frame.pointer.pointee.nb_samples = Int32(clamping: statedDuration)
        }
    }

    /// Delivers the audio of one decoded frame.
    ///
    /// - Returns: false if the decoder needs more packets, or if decoding must stop.
    private mutating func receiveFrame(_ deliver: (DecodedAudio, UInt32) -> Bool) throws(MediaError) -> Bool {
        let code = avcodec_receive_frame(context.pointer, frame.pointer)
        if code == cffmpeg_error(EAGAIN) || code == cffmpeg_error_eof { return false }
        guard code >= 0 else {
            // The packet is damaged, but the next one may be valid: continue, up to 1000 consecutive errors.
            failureCount += 1
            hasRejectedPacket = true
            return failureCount < 1000
        }
        failureCount = 0
        defer { av_frame_unref(frame.pointer) }
        let sampleCount = Int(frame.pointer.pointee.nb_samples), rate = Int(frame.pointer.pointee.sample_rate)
        guard sampleCount > 0, rate > 0 else { return true }
        hasDecodedOrSought = true
        if let checksumHandler { checksumHandler(try checksumCalculator.checksum(frame.pointer)) }
        guard let format else { return true }
        cutPadding()
        let start = timeBase.nanoseconds(frame.pointer.pointee.best_effort_timestamp).map { $0 - itemOrigin }
        if resampler?.accepts(frame.pointer) != true {
            guard try drainResampler(deliver) else { return false }
            resampler = try Resampler(like: frame.pointer, to: format)
        }
        // The audio that the resampler still holds precedes this frame.
        if let start { nextTime = start - (resampler?.delay ?? 0) }
        guard let convertedSamples = resampler?.convert(frame.pointer), !convertedSamples.isEmpty else { return true }
        var block = makeBlock(convertedSamples, format)
        if let seekTarget {
            let earlyDuration = seekTarget - block.presentationTime
            if earlyDuration > 0 {
                // Compare the times before multiplying: with a seek target that is days away, the product would
                // overflow.
                guard earlyDuration < Int64(block.frameCount) * 1_000_000_000 / Int64(format.rate) else { return true }
                let droppedFrameCount = Int(earlyDuration * Int64(format.rate) / 1_000_000_000)
                guard droppedFrameCount < block.frameCount else { return true }
                block.samples.removeFirst(droppedFrameCount * format.channels)
                block.presentationTime += Int64(droppedFrameCount) * 1_000_000_000 / Int64(format.rate)
            }
            self.seekTarget = nil
        }
        return deliver(.block(block), generation)
    }
}
