import CFFmpeg
import SharedFrames

/// A container that is open: tells what is in it and gives its packets. Used by the demuxing thread only.
final class Demuxer {
    private let opener: MediaOpener
    let format: UnsafeMutablePointer<AVFormatContext>
    private let root: UnsafeMutablePointer<AVIOContext>
    private(set) var video: UnsafeMutablePointer<AVStream>?
    private(set) var audio: UnsafeMutablePointer<AVStream>?
    /// What is cut off at the edges of the picture, where FFmpeg itself does not tell.
    private(set) var crop: PictureCrop?
    /// Nanoseconds that the container's clock shows at the start of the item; subtracted from every stamp.
    let origin: Int64

    /// Opens and probes. Blocks as long as the disk or the network does.
    init(location: String, opener: MediaOpener, wantsVideo: Bool, wantsAudio: Bool) throws(MediaError) {
        self.opener = opener
        root = try opener.openRoot(location)
        guard let allocated = avformat_alloc_context() else {
            opener.close(root)
            throw MediaError(.outOfMemory, "no memory for a demuxer")
        }
        opener.serve(allocated)
        allocated.pointee.pb = root
        allocated.pointee.flags |= AVFMT_FLAG_CUSTOM_IO
        ReadingLimits.apply(to: allocated)
        var context: UnsafeMutablePointer<AVFormatContext>? = allocated
        let code = avformat_open_input(&context, location, nil, nil)
        guard code >= 0, let opened = context else {
            opener.close(root)
            throw code == cffmpeg_error_invalid_data
                ? MediaError(.notMedia, "is not a media file that is known here, or is damaged at its start")
                : MediaError(ffmpeg: code, doing: "cannot be read")
        }
        format = opened
        opener.hurry(ReadingLimits.openingWork)
        let probed = avformat_find_stream_info(opened, nil)
        opener.hurry(nil)
        // Bounded, so that no stamp minus it overflows.
        origin = TimeBase(AVRational(num: 1, den: AV_TIME_BASE)).nanoseconds(opened.pointee.start_time) ?? 0
        // Called off for the work it made, what was found until then must do.
        if probed < 0, probed != cffmpeg_error_exit || opener.isInterrupted { throw MediaError(ffmpeg: probed, doing: "cannot be read") }
        if wantsVideo { video = best(AVMEDIA_TYPE_VIDEO) }
        if wantsAudio { audio = best(AVMEDIA_TYPE_AUDIO) }
        // A file here, not an address: every look is a request there.
        let isISO = opened.pointee.iformat.map { String(cString: $0.pointee.name).hasPrefix("mov") } ?? false
        if cffmpeg_tells_crop == 0, isISO, let video, !location.contains("://"), root.pointee.seekable & AVIO_SEEKABLE_NORMAL != 0 {
            crop = CleanAperture.crops(in: root)[UInt32(truncatingIfNeeded: video.pointee.id)]
        }
        // A cover is seen while there is sound, and is nothing alone.
        if audio == nil, isStill { video = nil }
    }

    deinit {
        var pointer: UnsafeMutablePointer<AVFormatContext>? = format
        avformat_close_input(&pointer)
        opener.close(root)
    }

    /// The picture is a cover: one for the whole length of the sound.
    var isStill: Bool { video.map { $0.pointee.disposition & AV_DISPOSITION_ATTACHED_PIC != 0 } ?? false }
    /// The stream of pictures that time goes by in.
    var moving: UnsafeMutablePointer<AVStream>? { isStill ? nil : video }

    /// The stream that FFmpeg would choose: a cover only where there is no other.
    private func best(_ type: AVMediaType) -> UnsafeMutablePointer<AVStream>? {
        let index = av_find_best_stream(format, type, -1, -1, nil, 0)
        return index >= 0 ? format.pointee.streams[Int(index)] : nil
    }

    /// Packets of other streams are left out by the demuxer itself.
    func select() {
        for index in 0..<Int(format.pointee.nb_streams) {
            guard let stream = format.pointee.streams[index] else { continue }
            let wanted = stream == video || stream == audio
            stream.pointee.discard = wanted ? AVDISCARD_DEFAULT : AVDISCARD_ALL
        }
    }

    func drop(_ stream: UnsafeMutablePointer<AVStream>) {
        if stream == video { video = nil }
        if stream == audio { audio = nil }
    }

    var isSeekable: Bool {
        let name = format.pointee.iformat.map { String(cString: $0.pointee.name) } ?? ""
        let unseekable = format.pointee.ctx_flags & AVFMTCTX_UNSEEKABLE != 0
        // A playlist seeks by opening another segment, whatever its own file is.
        let isPlaylist = ["hls", "dash"].contains { name.hasPrefix($0) }
        return !unseekable && (root.pointee.seekable != 0 || isPlaylist)
    }

    /// Reads the next packet of a chosen stream.
    ///
    /// - Returns: false at the end of the container.
    func read(into packet: Packet) throws(MediaError) -> Bool {
        var attempts = 0
        while true {
            let code = av_read_frame(format, packet.pointer)
            if code == cffmpeg_error_eof { return false }
            // A live stream says so while it waits; a damaged file may say so for ever.
            if code == cffmpeg_error(EAGAIN), attempts < ReadingLimits.attempts, !opener.isInterrupted {
                attempts += 1
                continue
            }
            if code < 0 { throw MediaError(ffmpeg: code, doing: "reading stopped") }
            attempts = 0
            let index = packet.pointer.pointee.stream_index
            if index == video?.pointee.index || index == audio?.pointee.index { return true }
            av_packet_unref(packet.pointer)
        }
    }

    /// Whether a key would be needed for it: decoders make noise of such packets.
    static func isEncrypted(_ packet: Packet) -> Bool {
        var size = 0
        return av_packet_get_side_data(packet.pointer, AV_PKT_DATA_ENCRYPTION_INFO, &size) != nil
    }

    /// Nanoseconds on the item's timeline of a packet's stamp.
    func time(_ stamp: Int64, of stream: UnsafeMutablePointer<AVStream>) -> Int64? {
        TimeBase(stream.pointee.time_base).nanoseconds(stamp).map { $0 - origin }
    }

    /// Goes to the keyframe at or before `time` (nanoseconds on the item's timeline).
    func seek(to time: Int64) throws(MediaError) {
        var code: Int32 = -1
        if let stream = moving ?? audio {
            let stamp = TimeBase(stream.pointee.time_base).stamp(nanoseconds: time + origin)
            code = av_seek_frame(format, stream.pointee.index, stamp, AVSEEK_FLAG_BACKWARD)
            // Before the first keyframe there is nothing to go back to: the first one will do.
            if code < 0 { code = avformat_seek_file(format, stream.pointee.index, Int64.min, stamp, Int64.max, 0) }
        }
        if code < 0 { throw MediaError(ffmpeg: code, doing: "cannot seek") }
    }
}
