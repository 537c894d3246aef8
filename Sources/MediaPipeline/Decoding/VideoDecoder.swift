import CFFmpeg
import SharedFrames

/// What a video decoder gives, in order.
package enum VideoItem: Sendable {
    case frame(VideoFrame)
    /// No more of this generation.
    case end
}

/// Decodes one video track: packets in, frames out. The body of the thread "video decode".
///
/// Damaged packets are passed over; what can be decoded is.
struct VideoDecoder: ~Copyable {
    private let context: CodecContext
    private let frame: DecodedFrame
    private let maker: FrameMaker
    private let allocator: FrameAllocator
    private let timeBase: TimeBase
    private let origin: Int64
    /// Nanoseconds a frame by the container's average; where a frame does not say itself.
    private let usualDuration: Int64
    private let aspect: AVRational
    private var generation: UInt32 = 0
    /// Frames that end at or before this are decoded and not given; nil = all are given.
    private var target: Int64?
    private var nextTime: Int64 = 0
    /// The newest of the frames that were not given: the last picture, when a seek went past the end.
    private var passedOver: VideoFrame?

    init(parameters: CodecParameters, origin: Int64, pool: FramePool, threads: Int) throws(MediaError) {
        let allocator = FrameAllocator(pool: pool)
        self.allocator = allocator
        maker = FrameMaker(pool: pool, allocator: allocator)
        guard let frame = DecodedFrame() else { throw MediaError(.outOfMemory, "no memory for a frame") }
        let base = parameters.timeBase
        // Small pictures decode faster than threads hand them round.
        let pixels = Int(parameters.pointer.pointee.width) * Int(parameters.pointer.pointee.height)
        let count = pixels > 0 && pixels <= 352 * 288 ? 1 : max(1, threads)
        context = try CodecContext(parameters: parameters) { context in
            context.pointee.pkt_timebase = AVRational(num: base.numerator, den: base.denominator)
            context.pointee.thread_count = Int32(count)
            allocator.serve(context)
        }
        self.frame = frame
        timeBase = base
        self.origin = origin
        aspect = parameters.aspect
        let rate = parameters.frameRate
        usualDuration = rate > 0 && rate < 1000 ? Int64(1e9 / rate) : 40_000_000
    }

    /// Goes on after a seek.
    mutating func restart(_ request: SeekRequest) {
        avcodec_flush_buffers(context.pointer)
        generation = request.generation
        target = request.time
        nextTime = request.time
        passedOver = nil
    }

    /// Decodes `packet` (nil: the end) and gives what comes of it to `deliver`, which answers false when nobody wants more.
    mutating func decode(_ packet: Packet?, deliver: (VideoItem, UInt32) -> Bool) throws(MediaError) {
        var code = avcodec_send_packet(context.pointer, packet?.pointer)
        while code == cffmpeg_error(EAGAIN) {
            guard try receive(deliver) else { return }
            code = avcodec_send_packet(context.pointer, packet?.pointer)
        }
        if code == cffmpeg_error(ENOMEM) { throw MediaError(.outOfMemory, "no memory for another picture") }
        // Other refusals mean a damaged packet: the next one may be sound.
        while try receive(deliver) {}
        if packet == nil {
            if let last = passedOver.take() { guard deliver(.frame(last), generation) else { return } }
            _ = deliver(.end, generation)
            // A decoder that was drained takes packets again only after this.
            avcodec_flush_buffers(context.pointer)
        }
    }

    /// - Returns: false when there is nothing more for now, or nobody wants it.
    private mutating func receive(_ deliver: (VideoItem, UInt32) -> Bool) throws(MediaError) -> Bool {
        let code = avcodec_receive_frame(context.pointer, frame.pointer)
        if code < 0 { return false }
        defer { av_frame_unref(frame.pointer) }
        if frame.pointer.pointee.sample_aspect_ratio.num <= 0 { frame.pointer.pointee.sample_aspect_ratio = aspect }
        let (buffer, format) = try maker.picture(of: frame.pointer)
        let stamp = frame.pointer.pointee.best_effort_timestamp
        let time = timeBase.nanoseconds(stamp).map { $0 - origin } ?? nextTime
        let stated = timeBase.nanoseconds(cffmpeg_frame_duration(frame.pointer)) ?? 0
        let duration = (1...(1 << 50)).contains(stated) ? stated : usualDuration
        nextTime = time + duration
        let made = VideoFrame(
            id: FrameMaker.nextFrameID(), buffer: buffer, format: format, presentationTime: time, duration: duration,
            streamTime: stamp == cffmpeg_no_pts ? nil : stamp, generation: generation)
        // Half a millisecond: stamps of millisecond containers are rounded.
        if let target, time + duration - 500_000 <= target {
            passedOver = made
            return true
        }
        target = nil
        passedOver = nil
        return deliver(.frame(made), generation)
    }
}
