import CFFmpeg
import Glibc
import SharedFrames

/// An open container: lists its contents and reads its packets. Used only by the demuxing thread.
final class Demuxer {
    let opener: MediaOpener
    let format: UnsafeMutablePointer<AVFormatContext>
    let root: UnsafeMutablePointer<AVIOContext>
    /// The input that replaces `root` if some variants of a playlist cannot be read.
    private var variants: WorkingVariants?
    /// The number of variants that cannot be read.
    var leftOut: Int { variants?.leftOut ?? 0 }
    private var played = PlayedStreams()
    var video: UnsafeMutablePointer<AVStream>? { played.video }
    var audio: UnsafeMutablePointer<AVStream>? { played.audio }
    /// The crop of each track by stream identifier, if FFmpeg itself does not provide it.
    private var crops: [UInt32: PictureCrop] = [:]
    /// The crop of the chosen video track.
    var crop: PictureCrop? { video.flatMap { crop(of: $0) } }
    func crop(of stream: UnsafeMutablePointer<AVStream>) -> PictureCrop? {
        crops[UInt32(truncatingIfNeeded: stream.pointee.id)]
    }
    private(set) var tracks: [MediaTrack] = []
    private let readsOthers: Bool
    /// The hole in the media before the last packet read.
    var hole: MissingParts.Hole?
    /// The container's clock at the start of the item, in nanoseconds; subtracted from every timestamp.
    let origin: Int64
    let seeking: SeekMethod
    var position: ReadingPosition

    /// Opens and probes a container. Blocks as long as the disk or the network does.
    init(location: String, opener: MediaOpener, choice: TrackChoice, readsOthers: Bool) throws(MediaError) {
        self.readsOthers = readsOthers
        self.opener = opener
        root = try opener.openRoot(location)
        guard let allocated = avformat_alloc_context() else {
            opener.close(root)
            throw MediaError(.outOfMemory, "no memory for a demuxer")
        }
        var context: UnsafeMutablePointer<AVFormatContext>? = allocated
        let code = FormatOpening.open(&context, from: root, location, opener)
        // A pipe cannot be read twice.
        let isThere = root.pointee.seekable != 0 || location.contains("://")
        if code < 0, isThere, let rest = WorkingVariants(of: location, opener) {
            (context, variants) = (rest.context, rest)
        }
        guard let opened = context else {
            opener.close(root)
            let untrusted = opener.missing.failures.first { $0.error.code == .untrustedServer }
            if let untrusted { throw untrusted.error }
            throw code == cffmpeg_error_invalid_data
                ? MediaError(.notMedia, "is not a media file of a supported format, or its start is damaged")
                : MediaError(ffmpeg: code, doing: "cannot be read")
        }
        format = opened
        opener.hurry(ReadingLimits.openingWork)
        let probed = avformat_find_stream_info(opened, nil)
        opener.hurry(nil)
        // Bounded, so that subtracting it from a timestamp cannot overflow.
        origin = TimeBase(AVRational(num: 1, den: AV_TIME_BASE)).nanoseconds(opened.pointee.start_time) ?? 0
        position = ReadingPosition(timeline: Timeline(tolerance: SeekMethod.jumpTolerance(in: opened)))
        seeking = SeekMethod(of: opened)
        // If the work limit cancelled probing, use the streams found so far.
        if probed < 0, probed != cffmpeg_error_exit || opener.isInterrupted {
            throw MediaError(ffmpeg: probed, doing: "cannot be read")
        }
        tracks = MediaTrack.all(of: opened)
        let related = chooseProgramme()
        played.video = choice.choose(.video, among: tracks, usual: best(AVMEDIA_TYPE_VIDEO, related)).flatMap {
            stream($0.id)
        }
        played.audio = choice.choose(
            .audio, among: tracks, usual: best(AVMEDIA_TYPE_AUDIO, video.map { $0.pointee.index } ?? related)
        )
        .flatMap { stream($0.id) }
        if let rate = video?.pointee.avg_frame_rate, rate.num > 0, rate.den > 0 {
            position.frameDuration = max(1_000_000, av_rescale(1_000_000_000, Int64(rate.den), Int64(rate.num)))
        }
        // Only for local files: on the network, each read is a request.
        let isISO = opened.pointee.iformat.map { String(cString: $0.pointee.name).hasPrefix("mov") } ?? false
        if cffmpeg_tells_crop == 0, isISO, video != nil, !location.contains("://"),
            root.pointee.seekable & AVIO_SEEKABLE_NORMAL != 0
        {
            crops = CleanAperture.crops(in: root)
        }
        // A cover is shown only together with audio.
        if audio == nil, isStill { played.video = nil }
        // Do not report variants that could not be read as missing later.
        if leftOut > 0 || opened.pointee.nb_programs > 1 { opener.missing.restart() }
    }

    deinit {
        var pointer: UnsafeMutablePointer<AVFormatContext>? = format
        avformat_close_input(&pointer)
        opener.close(root)
    }

    /// Whether the video track is a cover: a single picture for the whole audio track.
    var isStill: Bool { video.map { $0.pointee.disposition & AV_DISPOSITION_ATTACHED_PIC != 0 } ?? false }
    /// The video stream, unless it is a cover.
    var moving: UnsafeMutablePointer<AVStream>? { isStill ? nil : video }

    /// Chooses the first programme of a broadcast that contains both video and audio.
    ///
    /// - Returns: The index of one of its streams; -1 if there are no programmes, or if FFmpeg's own choice is better
    ///   (variants of a playlist).
    private func chooseProgramme() -> Int32 {
        guard format.pointee.nb_programs > 1, SeekMethod.jumpTolerance(in: format) == 10_000_000_000 else { return -1 }
        var fallback: Int32 = -1
        for number in 0..<Int(format.pointee.nb_programs) {
            guard let programme = format.pointee.programs[number] else { continue }
            var picture: Int32 = -1, hasSound = false
            for place in 0..<Int(programme.pointee.nb_stream_indexes) {
                let index = programme.pointee.stream_index[place]
                guard index < format.pointee.nb_streams,
                    let parameters = format.pointee.streams[Int(index)]?.pointee.codecpar
                else { continue }
                if parameters.pointee.codec_type == AVMEDIA_TYPE_VIDEO, parameters.pointee.width > 0, picture < 0 {
                    picture = Int32(index)
                }
                if parameters.pointee.codec_type == AVMEDIA_TYPE_AUDIO, parameters.pointee.sample_rate > 0 {
                    hasSound = true
                }
            }
            if picture >= 0, hasSound { return picture }
            if picture >= 0, fallback < 0 { fallback = picture }
        }
        return fallback
    }

    /// Returns the stream that FFmpeg would choose together with `related`.
    private func best(_ type: AVMediaType, _ related: Int32) -> Int? {
        // Prefer streams with a decoder: variants of a playlist may have different codecs.
        var decoder: UnsafePointer<AVCodec>?
        var index = av_find_best_stream(format, type, -1, related, &decoder, 0)
        if index < 0 { index = av_find_best_stream(format, type, -1, related, nil, 0) }
        return index >= 0 ? Int(index) : nil
    }

    func stream(_ index: Int) -> UnsafeMutablePointer<AVStream>? {
        index >= 0 && index < Int(format.pointee.nb_streams) ? format.pointee.streams[index] : nil
    }

    /// Sets the streams that are played.
    func select(video: Int?, audio: Int?) {
        played.video = video.flatMap { stream($0) }
        played.audio = audio.flatMap { stream($0) }
        select()
    }

    /// Lets libavformat discard packets of other streams. Audio and subtitle tracks that are not chosen are read too,
    /// so that choosing them later needs no seek.
    private func select() {
        played.wanted = []
        for index in 0..<Int(format.pointee.nb_streams) {
            guard let stream = format.pointee.streams[index] else { continue }
            let kind = tracks.first { $0.id == index && $0.isPlayable }?.kind
            let isReady = readsOthers && (kind == .subtitle || kind == .audio && !isPlaylist)
            let wants = stream == video || stream == audio || isReady
            stream.pointee.discard = wants ? AVDISCARD_DEFAULT : AVDISCARD_ALL
            if wants { played.wanted.insert(Int32(index)) }
        }
    }

    /// Whether the media is a playlist, whose tracks have separate addresses.
    var isPlaylist: Bool {
        let name = format.pointee.iformat.map { String(cString: $0.pointee.name) } ?? ""
        return ["hls", "dash"].contains { name.hasPrefix($0) }
    }

    /// The fonts that the container carries for its subtitles.
    var fonts: [SubtitleFont] { SubtitleFont.all(of: format) }

    var isSeekable: Bool {
        let unseekable = format.pointee.ctx_flags & AVFMTCTX_UNSEEKABLE != 0
        // A playlist seeks by opening another segment, whether or not its own file is seekable.
        return !unseekable && (root.pointee.seekable != 0 || isPlaylist)
    }

    /// Reads the next packet of a wanted stream.
    ///
    /// - Returns: false at the end of the container.
    func read(into packet: Packet) throws(MediaError) -> Bool {
        var attempts = 0
        while true {
            let code = av_read_frame(format, packet.pointer)
            if code == cffmpeg_error_eof {
                if let failure { throw failure }
                guard seekFurtherBack() else { return false }
                continue
            }
            if code == cffmpeg_error(EIO), endsByClosing { return false }
            // A live stream returns EAGAIN while it waits; a damaged file may return it endlessly.
            if code == cffmpeg_error(EAGAIN), attempts < ReadingLimits.attempts, !opener.isInterrupted {
                attempts += 1
                continue
            }
            if code < 0 { throw MediaError(ffmpeg: code, doing: "reading stopped") }
            attempts = 0
            let index = packet.pointer.pointee.stream_index
            if played.wanted.contains(index), let stream = stream(Int(index)) {
                place(packet, of: stream)
                if stream == video || stream == audio { position.freshlySought = nil }
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
            opener.noteErrors()
            let readsOthers = played.wanted.contains { $0 != video?.pointee.index && $0 != audio?.pointee.index }
            let hole = opener.missing.hole(atEnd: length.map { $0 &+ origin }, readsOthers: readsOthers)
            return hole?.warning(origin: origin)
        }
        let error = root.pointee.error
        guard error < 0, error != cffmpeg_error_eof, error != cffmpeg_error_exit, !endsByClosing else { return nil }
        return MediaError(ffmpeg: error, doing: "the rest cannot be read")
    }

    /// Whether an input error is the regular end. A server that does not state the length ends a film by closing the
    /// connection, which FFmpeg reports as an input error. If the container states a duration, an earlier end is an
    /// error.
    private var endsByClosing: Bool {
        guard !isPlaylist, opener.isRemote, root.pointee.seekable == 0, avio_size(root) <= 0 else { return false }
        guard let length else { return true }
        return (position.timeline.end ?? origin) &- origin >= length &- Self.lengthTolerance
    }

    /// The time in nanoseconds by which a container's stated duration may exceed the actual duration.
    private static let lengthTolerance: Int64 = 1_000_000_000
}

/// The played streams, and the streams whose packets are delivered: the played ones, and those that may be chosen at
/// any time.
private struct PlayedStreams {
    var video: UnsafeMutablePointer<AVStream>?
    var audio: UnsafeMutablePointer<AVStream>?
    var wanted: Set<Int32> = []
}

/// The demuxer's read position, and what the demuxer has learned on the way to it.
struct ReadingPosition: Sendable {
    var timeline: Timeline
    /// The keyframes found so far, for containers without an index.
    var index = KeyframeIndex()
    /// The number of packets read from a video stream without timestamps.
    var counted: Int64 = 0
    var frameDuration: Int64 = 40_000_000
    /// The target of the last seek, in nanoseconds on the container's joined timeline, and the number of retries; nil
    /// once a packet was read.
    var freshlySought: (target: Int64, tries: Int)?
}
