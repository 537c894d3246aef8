import CFFmpeg
import SharedFrames
import SystemCalls

/// One output of a video decoder: a frame, or the end of the track.
package enum DecodedVideo: Sendable {
    case frame(VideoFrame)
    /// The end of the video track; a later seek continues the track.
    case end
}

/// Decodes the packets of one video track to frames. Skips damaged packets. Runs on the video decoding thread.
struct VideoDecoder: ~Copyable {
    let context: CodecContext
    private let frame: DecodedFrame
    var importer: FrameImporter
    private let allocator: FrameAllocator
    private let timeBase: TimeBase
    private let itemOrigin: Int64
    /// The average frame duration in nanoseconds, for frames without a duration.
    private let usualDuration: Int64
    /// The longest frame duration, in nanoseconds, that a file may state: 13 days.
    private static let longestDuration: Int64 = 1 << 50
    /// The number of the last seek, with which every delivered frame is marked.
    private var generation: UInt32 = 0
    /// The pending seek's target, in nanoseconds on the item's timeline; frames that end before it are not delivered.
    var seekTarget: Int64?
    /// The time of the next frame if its packet has no timestamp, in nanoseconds on the item's timeline.
    private var nextTime: Int64 = 0
    /// Whether the track is a cover picture: one picture, shown from the sought time for the whole audio track.
    let isCoverPicture: Bool
    var deinterlacing = Deinterlacing.automatic
    private let filteredFrame: DecodedFrame
    var filter: Deinterlacer?
    /// Whether deinterlacing failed, so that pictures are shown unchanged.
    private var hasDeinterlacingFailed = false
    private let warn: @Sendable (MediaError) -> Void
    /// Whether frames are being dropped because memory is exhausted; the first dropped frame causes a warning.
    private var isDroppingFrames = false
    private let checksumHash: ChecksumHash?
    /// The checksums of decoded pictures for which no frame was delivered yet.
    private var checksums: [DecodedPicture] = []
    /// The newest frame. If a seek goes beyond the end of the track, this frame is delivered, unless a frame was
    /// already delivered since that seek.
    private var latestFrame: VideoFrame?
    var hasDeliveredFrame = false
    private var resumeTracker = SeekResumeTracker()
    private var decodingPlan = SeekDecodingPlan()
    /// The earliest seek target, in nanoseconds, that the decoder reaches without a flush.
    private(set) var resumableSeekTarget: Int64?

    init(
        parameters: CodecParameters, origin: Int64, pool: FramePool, threading: DecoderThreading,
        x264Build: Int32? = nil, checksumHash: ChecksumHash? = nil,
        warn: @escaping @Sendable (MediaError) -> Void = { _ in }
    ) throws(MediaError) {
        let allocator = FrameAllocator(pool: pool)
        self.allocator = allocator
        importer = FrameImporter(pool: pool, allocator: allocator, stream: parameters.pictureSideData)
        guard let frame = DecodedFrame(), let filteredFrame = DecodedFrame() else {
            throw MediaError(.outOfMemory, "no memory for a frame")
        }
        let streamTimeBase = parameters.timeBase
        context = try CodecContext(parameters: parameters, priority: threading.priority) { context in
            context.pointee.pkt_timebase = AVRational(num: streamTimeBase.numerator, den: streamTimeBase.denominator)
            context.pointee.thread_count = Int32(clamping: max(1, threading.count))
            if threading.dividesPictures { context.pointee.thread_type = FF_THREAD_SLICE }
            if let x264Build { av_opt_set_int(context.pointee.priv_data, "x264_build", Int64(x264Build), 0) }
            allocator.install(context)
        }
        self.frame = frame
        self.filteredFrame = filteredFrame
        isCoverPicture = parameters.isCoverPicture
        self.checksumHash = checksumHash
        self.warn = warn
        (timeBase, itemOrigin) = (streamTimeBase, origin)
        let rate = parameters.frameRate
        // A header may state a frame duration of decades. Limit it, so that sums of times do not overflow.
        usualDuration = rate > 0 && rate < 1000 ? min(Int64(1e9 / rate), Self.longestDuration) : 40_000_000
    }

    /// Prepares the decoder for a seek. If the decoder's position lies shortly before the target, its state is kept.
    mutating func restart(_ request: SeekRequest) {
        (generation, seekTarget) = (request.generation, request.time)
        hasDeliveredFrame = false
        checksums = []
        decodingPlan.restart()
        if canContinue(to: request), resumeTracker.startSearch() { return }
        flush()
        nextTime = request.time
    }

    private mutating func flush() {
        avcodec_flush_buffers(context.pointer)
        filter = nil
        latestFrame = nil
        resumeTracker.reset()
        resumableSeekTarget = nil
    }

    /// Decodes `packet` (nil: the end of the track) and passes frames to `deliver`, which returns false to stop.
    ///
    /// - Parameter isWanted: Called with the number of the current seek before each packet that the
    ///   ``SeekResumeTracker`` kept is decoded. False: the seek is outdated, and the remaining packets are discarded.
    /// - Returns: false if the packet was skipped, because it is already decoded or the decoder needs a seek first.
    @discardableResult
    mutating func decode(
        _ packet: Packet?, isWanted: (UInt32) -> Bool, deliver: (DecodedVideo, UInt32) -> Bool
    ) throws(MediaError) -> Bool {
        switch resumeTracker.action(for: packet) {
        case .skip: return false
        case .decode: try sendPacket(packet, deliver)
        case .restart(let packets):
            avcodec_flush_buffers(context.pointer)
            (latestFrame, resumableSeekTarget, nextTime) = (nil, nil, seekTarget ?? nextTime)
            decodingPlan.restart()
            for packet in packets {
                guard isWanted(generation) else {
                    flush()
                    resumeTracker.discardUntilSeek()
                    return true
                }
                try sendPacket(packet, deliver)
            }
            if packet == nil { try sendPacket(nil, deliver) }
        }
        return true
    }

    /// Delivers the decoder's remaining frames before a change of the track's format. Sends no end item, because the
    /// track continues.
    mutating func drain(isWanted: (UInt32) -> Bool, deliver: (DecodedVideo, UInt32) -> Bool) throws(MediaError) {
        // Do not treat the newest frame as the last frame of the track, which would be delivered although it ends
        // before a seek's target.
        hasDeliveredFrame = true
        try decode(nil, isWanted: isWanted) { item, generation in
            if case .end = item { true } else { deliver(item, generation) }
        }
    }

    private mutating func sendPacket(_ packet: Packet?, _ deliver: (DecodedVideo, UInt32) -> Bool) throws(MediaError) {
        setDiscardLevel(packet)
        var code = avcodec_send_packet(context.pointer, packet?.pointer)
        while code == cffmpeg_error(EAGAIN) {
            guard try receiveFrame(deliver) else { return }
            code = avcodec_send_packet(context.pointer, packet?.pointer)
        }
        if allocator.takeAllocationFailure() || code == cffmpeg_error(ENOMEM) { warnOfDroppedFrames() }
        // Ignore other errors of the decoder: they mean a damaged packet, and the next packet may be valid.
        while try receiveFrame(deliver) {}
        if packet == nil {
            guard try drainFilter(deliver) else { return }
            if !hasDeliveredFrame, let latestFrame {
                guard deliver(.frame(latestFrame.withGeneration(generation)), generation) else { return }
            }
            _ = deliver(.end, generation)
            // FFmpeg requires a flush before a drained decoder accepts packets again.
            flush()
        }
    }

    /// Sets the decoder to skip non-reference pictures that are not visible at a seek's target.
    private mutating func setDiscardLevel(_ packet: Packet?) {
        var discardLevel = AVDISCARD_DEFAULT
        if let pts = packet?.pointer.pointee.pts, let time = timeBase.nanoseconds(pts).map({ $0 - itemOrigin }) {
            let end = seekTarget.flatMap { seekTarget in
                decodingPlan.end(
                    ofPictureAt: time, before: seekTarget, duration: usualDuration, deinterlacing: deinterlacing)
            }
            if let end {
                discardLevel = AVDISCARD_NONREF
                advanceResumableTarget(end)
            } else if resumableSeekTarget == nil {
                advanceResumableTarget(time)
            }
        }
        context.pointer.pointee.skip_frame = discardLevel
    }

    private mutating func advanceResumableTarget(_ time: Int64) {
        resumableSeekTarget = max(resumableSeekTarget ?? time, time.boundedTime)
    }

    /// Receives one frame from the decoder. A frame that `deliver` refuses is lost, but later packets are still sent,
    /// because a later seek may continue at them.
    ///
    /// - Returns: false if the decoder needs more packets.
    private mutating func receiveFrame(_ deliver: (DecodedVideo, UInt32) -> Bool) throws(MediaError) -> Bool {
        let code = avcodec_receive_frame(context.pointer, frame.pointer)
        if code < 0 { return false }
        defer { av_frame_unref(frame.pointer) }
        let timestamp = frame.pointer.pointee.best_effort_timestamp
        let time = isCoverPicture ? nextTime : timeBase.nanoseconds(timestamp).map { $0 - itemOrigin } ?? nextTime
        let statedDuration = timeBase.nanoseconds(cffmpeg_frame_duration(frame.pointer)) ?? 0
        let duration =
            isCoverPicture ? 0 : (1...Self.longestDuration).contains(statedDuration) ? statedDuration : usualDuration
        nextTime = (time + duration).boundedTime
        advanceResumableTarget(nextTime)
        if isCoverPicture { seekTarget = nil }
        let timing = Deinterlacer.PictureTiming(
            time: time, duration: duration, pts: timestamp == cffmpeg_no_pts ? nil : timestamp,
            yieldsTwoPictures: false)
        if let checksumHash, !isBeforeTarget(timing) {
            checksums.append(FrameChecksum.picture(of: frame.pointer, streamTime: timing.pts, checksumHash))
        }
        _ = try filterPicture(timing, deliver)
        return true
    }

    /// Returns whether the picture ends before the seek target. Allows half a millisecond, because some containers
    /// round timestamps to milliseconds.
    private func isBeforeTarget(_ timing: Deinterlacer.PictureTiming) -> Bool {
        seekTarget.map { timing.time + timing.duration - 500_000 <= $0 } ?? false
    }

    /// Creates a frame from a picture and delivers it, unless it ends before a seek's target.
    private mutating func deliverFrame(
        _ timing: Deinterlacer.PictureTiming, _ pointer: UnsafeMutablePointer<AVFrame>,
        _ deliver: (DecodedVideo, UInt32) -> Bool
    ) throws(MediaError) -> Bool {
        let buffer: FrameBuffer, format: FrameFormat
        do throws(MediaError) {
            (buffer, format) = try importer.picture(of: pointer)
        } catch {
            guard error.code == .outOfMemory else { throw error }
            warnOfDroppedFrames()
            return true
        }
        isDroppingFrames = false
        let isEarly = isBeforeTarget(timing)
        let newFrame = VideoFrame(
            id: VideoFrame.makeID(), buffer: buffer, format: format, presentationTime: timing.time,
            duration: timing.duration, streamTime: timing.pts, generation: generation,
            decodedPictures: isEarly ? [] : checksums)
        if isEarly {
            latestFrame = newFrame
            return true
        }
        checksums = []
        seekTarget = nil
        (latestFrame, hasDeliveredFrame) = (newFrame, true)
        return deliver(.frame(newFrame), generation)
    }

    /// Warns about the first of several dropped pictures. Decoding continues when memory returns to the pool.
    private mutating func warnOfDroppedFrames() {
        if !isDroppingFrames { warn(MediaError(.outOfMemory, "frames are dropped: all frame memory is in use")) }
        isDroppingFrames = true
    }

    // MARK: Deinterlacing

    /// Delivers the decoded picture, through the deinterlacer if needed.
    private mutating func filterPicture(_ timing: Deinterlacer.PictureTiming, _ deliver: (DecodedVideo, UInt32) -> Bool)
        throws(MediaError) -> Bool
    {
        // The bwdif filter needs both neighbours of a picture. Skip the filter for pictures far before a seek target.
        let isFarBeforeTarget = seekTarget.map { timing.time + 3 * timing.duration <= $0 } ?? false
        let isInterlaced = cffmpeg_is_interlaced(frame.pointer) != 0, filtersAll = deinterlacing == .always
        decodingPlan.observe(interlaced: isInterlaced)
        let isWanted = deinterlacing != .never && !isFarBeforeTarget && !isCoverPicture
        if let oldFilter = filter,
            !isWanted || oldFilter.includesProgressive != filtersAll
                || oldFilter.pictureFormat != Deinterlacer.PictureFormat(frame.pointer)
        {
            guard try drainFilter(deliver) else { return false }
        }
        if filter == nil, isWanted, isInterlaced || filtersAll, !hasDeinterlacingFailed {
            do throws(MediaError) {
                filter = try Deinterlacer(for: frame.pointer, includesProgressive: filtersAll)
            } catch {
                hasDeinterlacingFailed = true
                warn(error)
            }
        }
        guard let filter else { return try deliverFrame(timing, frame.pointer, deliver) }
        var timing = timing
        timing.yieldsTwoPictures = isInterlaced || filtersAll
        try filter.push(frame.pointer, timing)
        return try deliverFilteredPictures(filter, deliver)
    }

    private mutating func deliverFilteredPictures(_ filter: Deinterlacer, _ deliver: (DecodedVideo, UInt32) -> Bool)
        throws(MediaError) -> Bool
    {
        while let timing = filter.pull(into: filteredFrame.pointer) {
            defer { av_frame_unref(filteredFrame.pointer) }
            guard try deliverFrame(timing, filteredFrame.pointer, deliver) else { return false }
        }
        return true
    }

    /// Delivers the pictures that the deinterlacer still holds, and removes it.
    private mutating func drainFilter(_ deliver: (DecodedVideo, UInt32) -> Bool) throws(MediaError) -> Bool {
        guard let oldFilter = filter.take() else { return true }
        oldFilter.signalEnd()
        return try deliverFilteredPictures(oldFilter, deliver)
    }
}
