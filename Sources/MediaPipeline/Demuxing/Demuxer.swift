import CFFmpeg
import Glibc
import SharedFrames

/// An open container: lists its contents and reads its packets. Used only by the demuxing thread.
final class Demuxer {
    /// The opener of every file and address that the container refers to.
    let opener: MediaOpener
    /// libavformat's context of the open container.
    let format: UnsafeMutablePointer<AVFormatContext>
    /// libavformat's input of the file or address that the user opened.
    let root: UnsafeMutablePointer<AVIOContext>
    /// The playlist without its unreadable variants, which replaces `root` as input; nil if all variants can be read.
    private var variants: ReadableVariants?
    /// The number of variants of the playlist that cannot be read.
    var excludedVariantCount: Int { variants?.excludedCount ?? 0 }
    /// The played streams and the streams that are read.
    private var playedStreams = PlayedStreams()
    /// The played video stream; nil if there is none.
    var video: UnsafeMutablePointer<AVStream>? { playedStreams.video }
    /// The played audio stream; nil if there is none.
    var audio: UnsafeMutablePointer<AVStream>? { playedStreams.audio }
    /// The crop of each track by stream identifier, if FFmpeg itself does not provide it.
    private var cropsByTrackID: [UInt32: PictureCrop] = [:]
    /// The crop of the played video track, if FFmpeg itself does not provide it.
    var crop: PictureCrop? { video.flatMap { crop(of: $0) } }
    /// Returns the crop of a stream, if FFmpeg itself does not provide it.
    func crop(of stream: UnsafeMutablePointer<AVStream>) -> PictureCrop? {
        cropsByTrackID[UInt32(truncatingIfNeeded: stream.pointee.id)]
    }
    /// The video, audio and subtitle tracks of the container, in its order.
    private(set) var tracks: [MediaTrack] = []
    /// Whether audio and subtitle tracks that are not chosen are read too.
    private let readsOtherTracks: Bool
    /// The missing part of the media before the packet that was read last; nil if there is none.
    var missingPart: MissingParts.Gap?
    /// The time on the container's clock at which the item starts, in nanoseconds; subtracted from every timestamp.
    let origin: Int64
    /// The method of seeking in this container.
    let seekMethod: SeekMethod
    /// The demuxer's read position, and the data collected while reading up to it.
    var position: ReadingPosition

    /// Opens and probes a container. Blocks while the disk or the network blocks.
    init(location: String, opener: MediaOpener, choice: TrackChoice, readsOtherTracks: Bool) throws(MediaError) {
        self.readsOtherTracks = readsOtherTracks
        self.opener = opener
        root = try opener.openRoot(location)
        guard let allocated = avformat_alloc_context() else {
            opener.close(root)
            throw MediaError(.outOfMemory, "no memory for a demuxer")
        }
        var context: UnsafeMutablePointer<AVFormatContext>? = allocated
        // Addresses in a playlist are relative to the address after redirects.
        let location = opener.address(of: root) ?? location
        let code = FormatOpening.open(&context, from: root, location, opener)
        // Opening the variants of a playlist separately needs a second read of the input, which a pipe does not allow.
        let canReopen = root.pointee.seekable != 0 || location.contains("://")
        if code < 0, canReopen, let readableVariants = ReadableVariants(of: location, opener) {
            (context, variants) = (readableVariants.context, readableVariants)
        }
        guard let openedContext = context else {
            opener.close(root)
            let untrustedFailure = opener.missingParts.failures.first { $0.error.code == .untrustedServer }
            if let untrustedFailure { throw untrustedFailure.error }
            throw code == cffmpeg_error_invalid_data
                ? MediaError(.notMedia, "is not a media file of a supported format, or its start is damaged")
                : MediaError(ffmpeg: code, doing: "cannot be read")
        }
        format = openedContext
        opener.limitProcessorTime(ReadingLimits.probingProcessorTime)
        let probingResult = avformat_find_stream_info(openedContext, nil)
        opener.limitProcessorTime(nil)
        // The origin is bounded, so that subtracting it from a timestamp cannot overflow.
        origin = TimeBase(AVRational(num: 1, den: AV_TIME_BASE)).nanoseconds(openedContext.pointee.start_time) ?? 0
        position = ReadingPosition(timeline: Timeline(tolerance: SeekMethod.jumpTolerance(in: openedContext)))
        seekMethod = SeekMethod(of: openedContext)
        // If the limit of processor time cancelled probing, use the streams found so far.
        if probingResult < 0, probingResult != cffmpeg_error_exit || opener.isInterrupted {
            throw MediaError(ffmpeg: probingResult, doing: "cannot be read")
        }
        tracks = MediaTrack.all(of: openedContext)
        let relatedStreamIndex = chooseProgramme()
        playedStreams.video = choice.choose(
            .video, among: tracks, fallback: bestStream(AVMEDIA_TYPE_VIDEO, relatedStreamIndex)
        )
        .flatMap { stream($0.id) }
        playedStreams.audio = choice.choose(
            .audio, among: tracks,
            fallback: bestStream(AVMEDIA_TYPE_AUDIO, video.map { $0.pointee.index } ?? relatedStreamIndex)
        )
        .flatMap { stream($0.id) }
        if let rate = video?.pointee.avg_frame_rate, rate.num > 0, rate.den > 0 {
            position.frameDuration = max(1_000_000, av_rescale(1_000_000_000, Int64(rate.den), Int64(rate.num)))
        }
        // Read the crops only from local files: on the network, each read is a request.
        let isISO = openedContext.pointee.iformat.map { String(cString: $0.pointee.name).hasPrefix("mov") } ?? false
        if cffmpeg_reports_crop == 0, isISO, video != nil, !location.contains("://"),
            root.pointee.seekable & AVIO_SEEKABLE_NORMAL != 0
        {
            cropsByTrackID = CleanApertureReader.crops(in: root)
        }
        // A cover picture is shown only together with audio.
        if audio == nil, isCoverPicture { playedStreams.video = nil }
        // Clear the record of parts that failed while opening: variants that cannot be read must not be reported as
        // missing parts.
        if excludedVariantCount > 0 || openedContext.pointee.nb_programs > 1 { opener.missingParts.restart() }
    }

    deinit {
        var pointer: UnsafeMutablePointer<AVFormatContext>? = format
        avformat_close_input(&pointer)
        opener.close(root)
    }

    /// Whether the video track is a cover picture: one picture that is shown during the whole audio track.
    var isCoverPicture: Bool { video.map { $0.pointee.disposition & AV_DISPOSITION_ATTACHED_PIC != 0 } ?? false }
    /// The played video stream; nil if it is a cover picture.
    var movingVideo: UnsafeMutablePointer<AVStream>? { isCoverPicture ? nil : video }

    /// Chooses the first programme of a broadcast that contains both video and audio.
    ///
    /// - Returns: The index of one of its streams; -1 if there are no programmes, or if FFmpeg's own choice is better
    ///   (variants of a playlist).
    private func chooseProgramme() -> Int32 {
        guard format.pointee.nb_programs > 1, SeekMethod.jumpTolerance(in: format) == SeekMethod.broadcastJump else {
            return -1
        }
        var fallback: Int32 = -1
        for programmeIndex in 0..<Int(format.pointee.nb_programs) {
            guard let programme = format.pointee.programs[programmeIndex] else { continue }
            var videoIndex: Int32 = -1, hasAudio = false
            for entryIndex in 0..<Int(programme.pointee.nb_stream_indexes) {
                let index = programme.pointee.stream_index[entryIndex]
                guard index < format.pointee.nb_streams,
                    let parameters = format.pointee.streams[Int(index)]?.pointee.codecpar
                else { continue }
                if parameters.pointee.codec_type == AVMEDIA_TYPE_VIDEO, parameters.pointee.width > 0, videoIndex < 0 {
                    videoIndex = Int32(index)
                }
                if parameters.pointee.codec_type == AVMEDIA_TYPE_AUDIO, parameters.pointee.sample_rate > 0 {
                    hasAudio = true
                }
            }
            if videoIndex >= 0, hasAudio { return videoIndex }
            if videoIndex >= 0, fallback < 0 { fallback = videoIndex }
        }
        return fallback
    }

    /// Returns the index of the stream that FFmpeg would choose together with the stream `related` (-1: none).
    private func bestStream(_ type: AVMediaType, _ related: Int32) -> Int? {
        // Prefer streams with a decoder: variants of a playlist may have different codecs.
        var decoder: UnsafePointer<AVCodec>?
        var index = av_find_best_stream(format, type, -1, related, &decoder, 0)
        if index < 0 { index = av_find_best_stream(format, type, -1, related, nil, 0) }
        return index >= 0 ? Int(index) : nil
    }

    /// Returns the stream with an index; nil if the index is out of range.
    func stream(_ index: Int) -> UnsafeMutablePointer<AVStream>? {
        index >= 0 && index < Int(format.pointee.nb_streams) ? format.pointee.streams[index] : nil
    }

    /// Sets the streams that are played.
    func select(video: Int?, audio: Int?) {
        playedStreams.video = video.flatMap { stream($0) }
        playedStreams.audio = audio.flatMap { stream($0) }
        discardUnneededStreams()
    }

    /// Lets libavformat discard packets of streams that are not needed. If ``readsOtherTracks`` is set, audio and
    /// subtitle tracks that are not chosen are read, too, so that choosing such a track later needs no seek.
    private func discardUnneededStreams() {
        playedStreams.deliveredIndices = []
        for index in 0..<Int(format.pointee.nb_streams) {
            guard let stream = format.pointee.streams[index] else { continue }
            let kind = tracks.first { $0.id == index && $0.isPlayable }?.kind
            let isReadForLaterSelection = readsOtherTracks && (kind == .subtitle || kind == .audio && !isPlaylist)
            let isRead = stream == video || stream == audio || isReadForLaterSelection
            stream.pointee.discard = isRead ? AVDISCARD_DEFAULT : AVDISCARD_ALL
            if isRead { playedStreams.deliveredIndices.insert(Int32(index)) }
        }
    }

    /// Whether the media is a playlist, whose tracks have separate addresses.
    var isPlaylist: Bool {
        let name = format.pointee.iformat.map { String(cString: $0.pointee.name) } ?? ""
        return ["hls", "dash"].contains { name.hasPrefix($0) }
    }

    /// The fonts that the container carries for its subtitles.
    var fonts: [SubtitleFont] { SubtitleFont.all(of: format) }

    /// Whether seeking to another time is possible.
    var isSeekable: Bool {
        let isMarkedUnseekable = format.pointee.ctx_flags & AVFMTCTX_UNSEEKABLE != 0
        // A playlist seeks by opening another segment, whether or not its own file is seekable.
        return !isMarkedUnseekable && (root.pointee.seekable != 0 || isPlaylist)
    }

    /// Reads the next packet of a stream whose packets are delivered.
    ///
    /// - Returns: false at the end of the container.
    func read(into packet: Packet) throws(MediaError) -> Bool {
        var attemptCount = 0
        while true {
            let code = av_read_frame(format, packet.pointer)
            if code == cffmpeg_error_eof {
                if let failure { throw failure }
                guard seekFurtherBack() else { return false }
                continue
            }
            // A live stream returns EAGAIN while it waits for data; a damaged file may return EAGAIN endlessly.
            if code == cffmpeg_error(EAGAIN), attemptCount < ReadingLimits.retryLimit, !opener.isInterrupted {
                attemptCount += 1
                continue
            }
            if code < 0 {
                throw opener.readError(of: root, doing: "reading stopped")
                    ?? MediaError(ffmpeg: code, doing: "reading stopped")
            }
            attemptCount = 0
            let index = packet.pointer.pointee.stream_index
            if playedStreams.deliveredIndices.contains(index), let stream = stream(Int(index)) {
                assignTime(packet, of: stream)
                if stream == video || stream == audio { position.retriableSeek = nil }
                return true
            }
            av_packet_unref(packet.pointer)
        }
    }

    /// The reason why the packets read so far are incomplete; nil if they are complete. Some demuxers report a read
    /// error as the end.
    private var failure: MediaError? {
        if isPlaylist {
            guard !opener.isInterrupted else { return nil }
            opener.recordErrors()
            let readsOtherTracks = playedStreams.deliveredIndices.contains {
                $0 != video?.pointee.index && $0 != audio?.pointee.index
            }
            let missingPart = opener.missingParts.gap(
                atEnd: statedDuration.map { $0 &+ origin }, readsOtherTracks: readsOtherTracks)
            return missingPart?.warning(origin: origin)
        }
        if let error = opener.readError(of: root, doing: "the rest cannot be read") { return error }
        return hasClosedEarly ? MediaError(.network, "the connection ended early") : nil
    }

    /// Whether the server closed the connection before the media's stated duration was reached. A server that does not
    /// state the length in bytes marks the end of the media only by closing the connection.
    private var hasClosedEarly: Bool {
        guard !isPlaylist, opener.isRemote, root.pointee.seekable == 0, avio_size(root) <= 0, let statedDuration else {
            return false
        }
        return (position.timeline.end ?? origin) &- origin < statedDuration &- Self.durationTolerance
    }

    /// The time in nanoseconds by which a container's stated duration may exceed the actual duration.
    private static let durationTolerance: Int64 = 1_000_000_000
}

/// The streams that the player plays, and the indices of all streams whose packets the demuxer delivers. The delivered
/// streams include streams that are not played but may be chosen at any time.
private struct PlayedStreams {
    var video: UnsafeMutablePointer<AVStream>?
    var audio: UnsafeMutablePointer<AVStream>?
    var deliveredIndices: Set<Int32> = []
}

/// The demuxer's read position, and the state collected while reading up to it.
struct ReadingPosition: Sendable {
    /// Converts the timestamps of all streams to one continuous timeline.
    var timeline: Timeline
    /// The keyframes found so far, for containers without an index.
    var index = KeyframeIndex()
    /// The number of packets read from a video stream without timestamps.
    var packetCount: Int64 = 0
    /// The usual duration of a video frame, in nanoseconds.
    var frameDuration: Int64 = 40_000_000
    /// The target of the last seek, in nanoseconds on the container's continuous timeline, and the number of retries;
    /// nil once a packet was read.
    var retriableSeek: (target: Int64, attemptCount: Int)?
}
