import CFFmpeg

/// What an audio decoder gives, in order.
package enum AudioItem: Sendable {
    case block(PCMBlock)
    case end
}

/// The form that sound is brought into: what the device takes.
package struct PCMFormat: Sendable, Equatable {
    /// Frames per second.
    package var rate: Int
    package var channels: Int
    package init(rate: Int, channels: Int) {
        self.rate = rate
        self.channels = channels
    }
}

/// Decodes one audio track and resamples it. The body of the thread "audio decode".
struct AudioDecoder: ~Copyable {
    private let context: CodecContext
    private let frame: DecodedFrame
    private let timeBase: TimeBase
    private let origin: Int64
    private let format: PCMFormat
    private var resampler: Resampler?
    private var generation: UInt32 = 0
    /// Sound before this is decoded and not given.
    private var target: Int64?
    private var nextTime: Int64 = 0

    init(parameters: CodecParameters, origin: Int64, format: PCMFormat) throws(MediaError) {
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
    }

    mutating func restart(_ request: SeekRequest) {
        avcodec_flush_buffers(context.pointer)
        resampler = nil
        generation = request.generation
        target = request.time
        nextTime = request.time
    }

    /// As ``VideoDecoder/decode(_:deliver:)``.
    mutating func decode(_ packet: Packet?, deliver: (AudioItem, UInt32) -> Bool) throws(MediaError) {
        var code = avcodec_send_packet(context.pointer, packet?.pointer)
        while code == cffmpeg_error(EAGAIN) {
            guard try receive(deliver) else { return }
            code = avcodec_send_packet(context.pointer, packet?.pointer)
        }
        while try receive(deliver) {}
        if packet == nil {
            if let rest = resampler?.drain(), !rest.isEmpty {
                guard deliver(.block(block(rest)), generation) else { return }
            }
            _ = deliver(.end, generation)
            avcodec_flush_buffers(context.pointer)
        }
    }

    private mutating func block(_ samples: [Float]) -> PCMBlock {
        let made = PCMBlock(
            samples: samples, channels: format.channels, rate: format.rate, presentationTime: nextTime, generation: generation)
        nextTime += Int64(made.frameCount) * 1_000_000_000 / Int64(format.rate)
        return made
    }

    private mutating func receive(_ deliver: (AudioItem, UInt32) -> Bool) throws(MediaError) -> Bool {
        guard avcodec_receive_frame(context.pointer, frame.pointer) >= 0 else { return false }
        defer { av_frame_unref(frame.pointer) }
        let samples = Int(frame.pointer.pointee.nb_samples), rate = Int(frame.pointer.pointee.sample_rate)
        guard samples > 0, rate > 0 else { return true }
        let start = timeBase.nanoseconds(frame.pointer.pointee.best_effort_timestamp).map { $0 - origin } ?? nextTime
        if resampler?.takes(frame.pointer) != true { resampler = try Resampler(like: frame.pointer, to: format) }
        // What the resampler still holds belongs before this frame.
        nextTime = start - (resampler?.delay ?? 0)
        guard let converted = resampler?.convert(frame.pointer), !converted.isEmpty else { return true }
        var made = block(converted)
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
