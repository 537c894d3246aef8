import CFFmpeg

/// What an audio decoder gives, in order.
package enum AudioItem: Sendable {
    case block(PCMBlock)
    case end
}

/// Decodes one audio track and resamples it. The body of the thread "audio decode".
struct AudioDecoder: ~Copyable {
    private let context: CodecContext
    private let frame: DecodedFrame
    private let timeBase: TimeBase
    let origin: Int64
    /// nil: nothing is given, everything is measured.
    let format: PCMFormat?
    var resampler: Resampler?
    private var measure = SoundMeasure()
    private let tap: (@Sendable (SoundChecksum) -> Void)?
    /// Something came out, or there was a seek: then silence proves nothing.
    private var isProven = false
    /// Something was refused.
    private var isDamaged = false
    /// Refusals in a row.
    private var failures = 0
    var generation: UInt32 = 0
    /// Sound before this is decoded and not given.
    var target: Int64?
    var nextTime: Int64 = 0
    /// Packets have said how many samples they stand for, and said it right.
    private var durationsAreExact = false

    /// - Parameters:
    ///   - format: what blocks are given in; nil: none are given.
    ///   - tap: sees the sound as it was decoded.
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

    /// As ``VideoDecoder/decode(_:deliver:)``.
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
        // A decoder that was drained takes packets again only after this.
        defer { avcodec_flush_buffers(context.pointer) }
        guard isProven || !isDamaged else { throw MediaError(.corrupt, "not a moment of its sound can be decoded") }
        guard try finishResampler(deliver) else { return }
        _ = deliver(.end, generation)
    }

    /// Gives what is left of a format that another one follows; without an end, for the track goes on.
    mutating func finish(deliver: (AudioItem, UInt32) -> Bool) throws(MediaError) {
        try decode(nil) { item, generation in if case .end = item { true } else { deliver(item, generation) } }
    }

    /// Gives what the resampler still holds.
    private mutating func finishResampler(_ deliver: (AudioItem, UInt32) -> Bool) throws(MediaError) -> Bool {
        guard let format, let rest = resampler?.drain(), !rest.isEmpty else { return true }
        return deliver(.block(block(rest, format)), generation)
    }

    /// Sound on the way to a seek's target need not be decoded but for the last of it: overlapping windows and bit
    /// reservoirs reach back a quarter of a second at most (MP3 at its lowest rates).
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

    /// The last packet of a track (of AAC in MP4) says that it is shorter than what its codec makes of it: the rest is
    /// padding. Only where time is counted in samples and packets have been exact before.
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
            // A damaged packet; what follows it may be sound. In one that is damaged for ever there is an end to
            // patience.
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
        // What the resampler still holds belongs before this frame.
        if let start { nextTime = start - (resampler?.delay ?? 0) }
        guard let converted = resampler?.convert(frame.pointer), !converted.isEmpty else { return true }
        var made = block(converted, format)
        if let target {
            let early = target - made.presentationTime
            if early > 0 {
                // Compared as times first: a target days away must not overflow.
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
