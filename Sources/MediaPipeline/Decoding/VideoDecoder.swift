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
    /// Nanoseconds that a frame may be seen, by what a file says: 13 days.
    private static let longest: Int64 = 1 << 50
    private var generation: UInt32 = 0
    /// Frames that end at or before this are decoded and not given; nil = all are given.
    private var target: Int64?
    private var nextTime: Int64 = 0
    /// A cover: one picture, seen from the moment that was sought for as long as there is sound.
    private let isStill: Bool
    var deinterlacing = Deinterlacing.automatic
    private let filtered: DecodedFrame
    private var filter: Deinterlacer?
    private var cannotFilter = false
    private let warn: @Sendable (MediaError) -> Void
    /// Pictures are left out for want of memory, which was reported; false again with the next one that is given.
    private var leavesOut = false
    private let takesChecksums: Bool
    /// Of pictures that no frame has come of yet.
    private var checksums: [DecodedPicture] = []
    /// The newest frame, and whether one was given since the last seek: it is the last picture, when that went past the
    /// end.
    private var newest: VideoFrame?
    private var hasGiven = false
    private var trail = PacketTrail()
    private var effort = SeekEffort()
    /// From where on a seek can go on without a flush: behind the first packet since the last one, all frames that came
    /// of the decoder and all that it was told to leave out; nanoseconds.
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
        // A header may say that one frame lasts for decades: bounded as what the frames say themselves, so that sums of
        // it do not overflow.
        usualDuration = rate > 0 && rate < 1000 ? min(Int64(1e9 / rate), Self.longest) : 40_000_000
    }

    /// Goes on after a seek: from where it is, where that lies on the way.
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

    /// Decodes `packet` (nil: the end) and gives what comes of it to `deliver`, which answers false when nobody wants
    /// more.
    ///
    /// - Parameter isWanted: asked between the packets of a start over, which may be many: where nobody wants this
    ///   generation, the rest is left.
    /// - Returns: false when the decoder has had it before, and nothing was done.
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

    /// Gives what is left of a format that another one follows; without an end, for the track goes on.
    mutating func finish(isWanted: (UInt32) -> Bool, deliver: (VideoItem, UInt32) -> Bool) throws(MediaError) {
        // A frame before a seek's target is not the last one of the track.
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
        // Other refusals mean a damaged packet: the next one may be valid.
        while try receive(deliver) {}
        if packet == nil {
            guard try endFilter(deliver) else { return }
            if !hasGiven, let last = newest {
                guard deliver(.frame(last.again(generation)), generation) else { return }
            }
            _ = deliver(.end, generation)
            // A decoder that was drained takes packets again only after this.
            flush()
        }
    }

    /// On the way to a seek's target, pictures that nobody sees and no other one is made from need not be decoded.
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

    /// A frame that nobody wants any more is lost, and the packets after it are sent all the same: a seek may go on
    /// from there.
    ///
    /// - Returns: false when there is nothing more for now.
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

    /// Half a millisecond: stamps of millisecond containers are rounded.
    private func isBeforeTarget(_ picture: Deinterlacer.Input) -> Bool {
        target.map { picture.time + picture.duration - 500_000 <= $0 } ?? false
    }

    /// Makes a frame of a picture and gives it, unless a later one is sought.
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

    /// A picture is left out since all memory is in use: whoever holds frames gives them back, and decoding goes on.
    private mutating func noteLeftOut() {
        if !leavesOut { warn(MediaError(.outOfMemory, "pictures are left out: all memory for frames is in use")) }
        leavesOut = true
    }

    // MARK: deinterlacing

    /// Sends the decoded picture through the filter where it needs one.
    private mutating func pass(_ picture: Deinterlacer.Input, _ deliver: (VideoItem, UInt32) -> Bool) throws(MediaError)
        -> Bool
    {
        // bwdif looks one picture back and one ahead: what lies further before a sought moment is not filtered.
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

    /// Gives what the filter holds back and does without it.
    private mutating func endFilter(_ deliver: (VideoItem, UInt32) -> Bool) throws(MediaError) -> Bool {
        guard let old = filter.take() else { return true }
        old.finish()
        return try giveFiltered(old, deliver)
    }
}
