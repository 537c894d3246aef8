import CFFmpeg
import SharedFrames

/// An output of a video decoder, in order.
package enum VideoItem: Sendable {
    case frame(VideoFrame)
    /// The end of the track, for this generation.
    case end
}

/// Decodes one video track: packets in, frames out. Runs on the thread "video decode".
///
/// Skips damaged packets and decodes the rest.
struct VideoDecoder: ~Copyable {
    private let context: CodecContext
    private let frame: DecodedFrame
    private let maker: FrameMaker
    private let allocator: FrameAllocator
    private let timeBase: TimeBase
    private let origin: Int64
    /// The average frame duration in nanoseconds, for frames without a duration.
    private let usualDuration: Int64
    /// The longest frame duration, in nanoseconds, that a file may state: 13 days.
    private static let longest: Int64 = 1 << 50
    private var generation: UInt32 = 0
    /// The seek target: frames that end at or before this time are decoded but not delivered; nil delivers all frames.
    private var target: Int64?
    private var nextTime: Int64 = 0
    /// Whether the track is a cover: one picture, shown from the sought time for the whole audio track.
    private let isStill: Bool
    var deinterlacing = Deinterlacing.automatic
    private let filtered: DecodedFrame
    private var filter: Deinterlacer?
    private var cannotFilter = false
    private let warn: @Sendable (MediaError) -> Void
    /// Whether frames are being dropped because memory is exhausted. The warning was already sent; cleared by the next
    /// delivered frame.
    private var leavesOut = false
    private let takesChecksums: Bool
    /// Checksums of decoded pictures that have not yet produced a frame.
    private var checksums: [DecodedPicture] = []
    /// The newest frame, and whether a frame was delivered since the last seek. After a seek beyond the end, the newest
    /// frame is the last picture.
    private var newest: VideoFrame?
    private var hasGiven = false
    private var trail = PacketTrail()
    private var effort = SeekEffort()
    /// The time in nanoseconds from which a seek can continue without a flush. It lies after the first packet since the
    /// last flush, after all decoded frames and after all skipped pictures.
    private var reached: Int64?

    init(
        parameters: CodecParameters, origin: Int64, pool: FramePool, threads: Int?, takesChecksums: Bool = false,
        warn: @escaping @Sendable (MediaError) -> Void = { _ in }
    ) throws(MediaError) {
        let allocator = FrameAllocator(pool: pool)
        self.allocator = allocator
        maker = FrameMaker(pool: pool, allocator: allocator, stream: parameters.picture)
        guard let frame = DecodedFrame(), let filtered = DecodedFrame() else {
            throw MediaError(.outOfMemory, "no memory for a frame")
        }
        let base = parameters.timeBase
        let picture = parameters.pictureSize
        let count = threads ?? DecoderThreads.count(for: picture)
        context = try CodecContext(parameters: parameters) { context in
            context.pointee.pkt_timebase = AVRational(num: base.numerator, den: base.denominator)
            context.pointee.thread_count = Int32(clamping: max(1, count))
            allocator.serve(context)
        }
        self.frame = frame
        self.filtered = filtered
        isStill = parameters.isStill
        self.takesChecksums = takesChecksums
        self.warn = warn
        timeBase = base
        self.origin = origin
        let rate = parameters.frameRate
        // A header may state a frame duration of decades. Apply the same limit as for frames, so that sums do not
        // overflow.
        usualDuration = rate > 0 && rate < 1000 ? min(Int64(1e9 / rate), Self.longest) : 40_000_000
    }

    /// Continues after a seek; keeps the decoder's state if its position lies on the way to the target.
    mutating func restart(_ request: SeekRequest) {
        generation = request.generation
        target = request.time
        hasGiven = false
        checksums = []
        effort.restart()
        let isAhead = reached.map { $0 <= request.time } ?? false
        if isAhead, filter == nil, !isStill, trail.look() { return }
        flush()
        nextTime = request.time
    }

    private mutating func flush() {
        avcodec_flush_buffers(context.pointer)
        filter = nil
        newest = nil
        trail.forget()
        reached = nil
    }

    /// Decodes `packet` (nil: the end) and passes the results to `deliver`, which returns false to stop.
    ///
    /// - Parameter isWanted: Called between the packets of a restart, which may be many. If it returns false for this
    ///   generation, the remaining packets are discarded.
    /// - Returns: false if the decoder already had the packet and skipped it.
    @discardableResult
    mutating func decode(
        _ packet: Packet?, isWanted: (UInt32) -> Bool, deliver: (VideoItem, UInt32) -> Bool
    ) throws(MediaError) -> Bool {
        switch trail.step(packet) {
        case .passOver: return false
        case .decode: try send(packet, deliver)
        case .startOver(let packets):
            avcodec_flush_buffers(context.pointer)
            (newest, reached, nextTime) = (nil, nil, target ?? nextTime)
            effort.restart()
            for packet in packets {
                guard isWanted(generation) else {
                    flush()
                    trail.leave()
                    return true
                }
                try send(packet, deliver)
            }
            if packet == nil { try send(nil, deliver) }
        }
        return true
    }

    /// Delivers the remaining frames of a format that another format follows. Sends no end item, because the track
    /// continues.
    mutating func finish(isWanted: (UInt32) -> Bool, deliver: (VideoItem, UInt32) -> Bool) throws(MediaError) {
        // A frame before a seek's target is not the last frame of the track.
        hasGiven = true
        try decode(nil, isWanted: isWanted) { item, generation in
            if case .end = item { true } else { deliver(item, generation) }
        }
    }

    private mutating func send(_ packet: Packet?, _ deliver: (VideoItem, UInt32) -> Bool) throws(MediaError) {
        chooseEffort(packet)
        var code = avcodec_send_packet(context.pointer, packet?.pointer)
        while code == cffmpeg_error(EAGAIN) {
            guard try receive(deliver) else { return }
            code = avcodec_send_packet(context.pointer, packet?.pointer)
        }
        if allocator.takeRefusal() || code == cffmpeg_error(ENOMEM) { noteLeftOut() }
        // Other errors mean a damaged packet; the next packet may be valid.
        while try receive(deliver) {}
        if packet == nil {
            guard try endFilter(deliver) else { return }
            if !hasGiven, let last = newest {
                guard deliver(.frame(last.again(generation)), generation) else { return }
            }
            _ = deliver(.end, generation)
            // FFmpeg requires a flush before a drained decoder accepts packets again.
            flush()
        }
    }

    /// Sets the decoder to skip non-reference pictures that are not visible at a seek's target.
    private mutating func chooseEffort(_ packet: Packet?) {
        var discard = AVDISCARD_DEFAULT
        if let stamp = packet?.pointer.pointee.pts, let time = timeBase.nanoseconds(stamp).map({ $0 - origin }) {
            let end = target.flatMap { target in
                effort.end(
                    ofPictureAt: time, before: target, duration: usualDuration, deinterlacing: deinterlacing)
            }
            if let end {
                discard = AVDISCARD_NONREF
                hasReached(end)
            } else if reached == nil {
                hasReached(time)
            }
        }
        context.pointer.pointee.skip_frame = discard
    }

    private mutating func hasReached(_ time: Int64) { reached = max(reached ?? time, time.boundedTime) }

    /// Receives one frame from the decoder. A frame that `deliver` refuses is lost, but later packets are still sent: a
    /// seek may continue from there.
    ///
    /// - Returns: false if the decoder needs more packets.
    private mutating func receive(_ deliver: (VideoItem, UInt32) -> Bool) throws(MediaError) -> Bool {
        let code = avcodec_receive_frame(context.pointer, frame.pointer)
        if code < 0 { return false }
        defer { av_frame_unref(frame.pointer) }
        let stamp = frame.pointer.pointee.best_effort_timestamp
        let time = isStill ? nextTime : timeBase.nanoseconds(stamp).map { $0 - origin } ?? nextTime
        let stated = timeBase.nanoseconds(cffmpeg_frame_duration(frame.pointer)) ?? 0
        let duration = isStill ? 0 : (1...Self.longest).contains(stated) ? stated : usualDuration
        nextTime = (time + duration).boundedTime
        hasReached(nextTime)
        if isStill { target = nil }
        let picture = Deinterlacer.Input(
            time: time, duration: duration, streamTime: stamp == cffmpeg_no_pts ? nil : stamp, isDoubled: false)
        if takesChecksums, !isBeforeTarget(picture) {
            checksums.append(FrameChecksum.picture(of: frame.pointer, streamTime: picture.streamTime))
        }
        _ = try pass(picture, deliver)
        return true
    }

    /// Whether the picture ends before the seek target. Allows half a millisecond, because some containers round
    /// timestamps to milliseconds.
    private func isBeforeTarget(_ picture: Deinterlacer.Input) -> Bool {
        target.map { picture.time + picture.duration - 500_000 <= $0 } ?? false
    }

    /// Creates a frame from a picture and delivers it, unless a seek target lies after it.
    private mutating func give(
        _ picture: Deinterlacer.Input, _ pointer: UnsafeMutablePointer<AVFrame>, _ deliver: (VideoItem, UInt32) -> Bool
    ) throws(MediaError) -> Bool {
        let buffer: FrameBuffer, format: FrameFormat
        do throws(MediaError) {
            (buffer, format) = try maker.picture(of: pointer)
        } catch {
            guard error.code == .outOfMemory else { throw error }
            noteLeftOut()
            return true
        }
        leavesOut = false
        let isEarly = isBeforeTarget(picture)
        let made = VideoFrame(
            id: VideoFrame.makeID(), buffer: buffer, format: format, presentationTime: picture.time,
            duration: picture.duration,
            streamTime: picture.streamTime, generation: generation, decoded: isEarly ? [] : checksums)
        if isEarly {
            newest = made
            return true
        }
        checksums = []
        target = nil
        (newest, hasGiven) = (made, true)
        return deliver(.frame(made), generation)
    }

    /// Records a dropped picture, and warns once. Decoding continues when other holders return memory to the pool.
    private mutating func noteLeftOut() {
        if !leavesOut { warn(MediaError(.outOfMemory, "pictures are left out: all memory for frames is in use")) }
        leavesOut = true
    }

    // MARK: Deinterlacing

    /// Passes the decoded picture through the filter if needed.
    private mutating func pass(_ picture: Deinterlacer.Input, _ deliver: (VideoItem, UInt32) -> Bool) throws(MediaError)
        -> Bool
    {
        // bwdif uses one picture before and one after. Pictures further before a seek target are not filtered.
        let isFar = target.map { picture.time + 3 * picture.duration <= $0 } ?? false
        let isInterlaced = cffmpeg_is_interlaced(frame.pointer) != 0, filtersAll = deinterlacing == .always
        effort.met(interlaced: isInterlaced)
        let isWanted = deinterlacing != .never && !isFar && !isStill
        if let old = filter,
            !isWanted || old.shape != Deinterlacer.Shape(frame.pointer) || old.includesProgressive != filtersAll
        {
            guard try endFilter(deliver) else { return false }
        }
        if filter == nil, isWanted, isInterlaced || filtersAll, !cannotFilter {
            do throws(MediaError) {
                filter = try Deinterlacer(for: frame.pointer, includesProgressive: filtersAll)
            } catch {
                cannotFilter = true
                warn(error)
            }
        }
        guard let filter else { return try give(picture, frame.pointer, deliver) }
        var picture = picture
        picture.isDoubled = isInterlaced || filtersAll
        try filter.push(frame.pointer, picture)
        return try giveFiltered(filter, deliver)
    }

    private mutating func giveFiltered(_ filter: Deinterlacer, _ deliver: (VideoItem, UInt32) -> Bool)
        throws(MediaError) -> Bool
    {
        while let picture = filter.pull(into: filtered.pointer) {
            defer { av_frame_unref(filtered.pointer) }
            guard try give(picture, filtered.pointer, deliver) else { return false }
        }
        return true
    }

    /// Delivers the pictures that the filter holds, and removes the filter.
    private mutating func endFilter(_ deliver: (VideoItem, UInt32) -> Bool) throws(MediaError) -> Bool {
        guard let old = filter.take() else { return true }
        old.finish()
        return try giveFiltered(old, deliver)
    }
}
