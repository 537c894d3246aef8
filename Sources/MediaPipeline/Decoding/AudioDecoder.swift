import CFFmpeg

/// An output of an audio decoder, in order.
package enum AudioItem: Sendable {
    case block(PCMBlock)
    case end
}

/// Decodes one audio track and resamples it. Runs on the thread "audio decode".
struct AudioDecoder: ~Copyable {
    private let context: CodecContext
    private let frame: DecodedFrame
    private let timeBase: TimeBase
    let origin: Int64
    /// The output format; nil only measures the audio and delivers no blocks.
    let format: PCMFormat?
    var resampler: Resampler?
    private var measure = SoundMeasure()
    private let tap: (@Sendable (SoundChecksum) -> Void)?
    /// Whether audio was decoded or a seek happened; without either, a track without any output is an error.
    private var isProven = false
    /// Whether the decoder rejected a packet.
    private var isDamaged = false
    /// The number of consecutive decoding errors.
    private var failures = 0
    var generation: UInt32 = 0
    /// The seek target: audio before it is decoded but not delivered.
    var target: Int64?
    var nextTime: Int64 = 0
    /// Whether an earlier packet stated its number of samples correctly.
    private var durationsAreExact = false

    /// - Parameters:
    ///   - format: The output format of blocks; nil delivers no blocks.
    ///   - tap: Receives checksums of the decoded audio.
    init(
        parameters: CodecParameters, origin: Int64, format: PCMFormat?, tap: (@Sendable (SoundChecksum) -> Void)? = nil
    ) throws(MediaError) {
        guard let frame = DecodedFrame() else { throw MediaError(.outOfMemory, "no memory for a frame") }
        let base = parameters.timeBase
        context = try CodecContext(parameters: parameters) { context in
            context.pointee.pkt_timebase = AVRational(num: base.numerator, den: base.denominator)
            context.pointee.thread_count = 1
        }
        self.frame = frame
        timeBase = base
        self.origin = origin
        self.format = format
        self.tap = tap
    }

    mutating func restart(_ request: SeekRequest) {
        avcodec_flush_buffers(context.pointer)
        resampler = nil
        isProven = true
        generation = request.generation
        target = request.time
        nextTime = request.time
    }

    /// Decodes `packet` (nil: the end) and passes the results to `deliver`, which returns false to stop.
    mutating func decode(_ packet: Packet?, deliver: (AudioItem, UInt32) -> Bool) throws(MediaError) {
        if isLongBeforeTarget(packet) { return }
        var code = avcodec_send_packet(context.pointer, packet?.pointer)
        while code == cffmpeg_error(EAGAIN) {
            guard try receive(deliver) else { return }
            code = avcodec_send_packet(context.pointer, packet?.pointer)
        }
        if code < 0, code != cffmpeg_error_eof { isDamaged = true }
        while try receive(deliver) {}
        guard packet == nil else { return }
        // FFmpeg requires a flush before a drained decoder accepts packets again.
        defer { avcodec_flush_buffers(context.pointer) }
        guard isProven || !isDamaged else { throw MediaError(.corrupt, "not a moment of its sound can be decoded") }
        guard try finishResampler(deliver) else { return }
        _ = deliver(.end, generation)
    }

    /// Delivers the remaining audio of a format that another format follows. Sends no end item, because the track
    /// continues.
    mutating func finish(deliver: (AudioItem, UInt32) -> Bool) throws(MediaError) {
        try decode(nil) { item, generation in if case .end = item { true } else { deliver(item, generation) } }
    }

    /// Delivers the audio that the resampler still holds.
    private mutating func finishResampler(_ deliver: (AudioItem, UInt32) -> Bool) throws(MediaError) -> Bool {
        guard let format, let rest = resampler?.drain(), !rest.isEmpty else { return true }
        return deliver(.block(block(rest, format)), generation)
    }

    /// Returns whether a packet lies so far before a seek's target that it need not be decoded. Overlapping windows and
    /// bit reservoirs reach back at most a quarter of a second (MP3 at its lowest rates).
    private func isLongBeforeTarget(_ packet: Packet?) -> Bool {
        guard let target, let packet, let start = timeBase.nanoseconds(packet.pointer.pointee.pts) else { return false }
        guard let length = timeBase.nanoseconds(packet.pointer.pointee.duration), (1...1_000_000_000).contains(length)
        else { return false }
        return start - origin + length < target - 400_000_000
    }

    mutating func block(_ samples: [Float], _ format: PCMFormat) -> PCMBlock {
        let made = PCMBlock(
            samples: samples, channels: format.channels, rate: format.rate, presentationTime: nextTime,
            generation: generation)
        nextTime += Int64(made.frameCount) * 1_000_000_000 / Int64(max(format.rate, 1))
        return made
    }

    /// Removes the padding from the last packet of a track (AAC in MP4), whose stated duration is shorter than the
    /// decoded audio. Applies only if the time base counts samples and earlier packets were exact.
    private mutating func cutPadding() {
        let stated = cffmpeg_frame_duration(frame.pointer), samples = Int64(frame.pointer.pointee.nb_samples)
        guard timeBase.numerator == 1, timeBase.denominator == frame.pointer.pointee.sample_rate else { return }
        if stated == samples { durationsAreExact = true }
        if durationsAreExact, stated > 0, stated < samples {
            frame.pointer.pointee.nb_samples = Int32(clamping: stated)
        }
    }

    private mutating func receive(_ deliver: (AudioItem, UInt32) -> Bool) throws(MediaError) -> Bool {
        let code = avcodec_receive_frame(context.pointer, frame.pointer)
        if code == cffmpeg_error(EAGAIN) || code == cffmpeg_error_eof { return false }
        guard code >= 0 else {
            // A damaged packet; the next packet may be valid. Stop after 1000 consecutive errors.
            failures += 1
            isDamaged = true
            return failures < 1000
        }
        failures = 0
        defer { av_frame_unref(frame.pointer) }
        let samples = Int(frame.pointer.pointee.nb_samples), rate = Int(frame.pointer.pointee.sample_rate)
        guard samples > 0, rate > 0 else { return true }
        isProven = true
        if let tap { tap(try measure.measure(frame.pointer)) }
        guard let format else { return true }
        cutPadding()
        let start = timeBase.nanoseconds(frame.pointer.pointee.best_effort_timestamp).map { $0 - origin }
        if resampler?.takes(frame.pointer) != true {
            guard try finishResampler(deliver) else { return false }
            resampler = try Resampler(like: frame.pointer, to: format)
        }
        // The audio that the resampler still holds precedes this frame.
        if let start { nextTime = start - (resampler?.delay ?? 0) }
        guard let converted = resampler?.convert(frame.pointer), !converted.isEmpty else { return true }
        var made = block(converted, format)
        if let target {
            let early = target - made.presentationTime
            if early > 0 {
                // Compare times first: a target that is days away must not overflow.
                guard early < Int64(made.frameCount) * 1_000_000_000 / Int64(format.rate) else { return true }
                let drop = Int(early * Int64(format.rate) / 1_000_000_000)
                guard drop < made.frameCount else { return true }
                made.samples.removeFirst(drop * format.channels)
                made.presentationTime += Int64(drop) * 1_000_000_000 / Int64(format.rate)
            }
            self.target = nil
        }
        return deliver(.block(made), generation)
    }
}
