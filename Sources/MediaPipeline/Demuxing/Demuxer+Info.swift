import CFFmpeg
import SharedFrames

/// Reads the properties that the container states.
extension Demuxer {
    /// The properties that the container states.
    var info: MediaInfo {
        var info = MediaInfo(
            container: format.pointee.iformat.map { String(cString: $0.pointee.name) } ?? "", duration: statedDuration,
            isSeekable: isSeekable)
        info.title = Self.title(format.pointee.metadata)
        info.streams = streamCounts
        info.chapters = chapters
        info.tags = tags
        info.tracks = tracks
        if let video, let parameters = video.pointee.codecpar {
            let rate = video.pointee.avg_frame_rate
            info.video = MediaInfo.Video(
                streamIndex: Int(video.pointee.index), codec: Self.codecName(parameters),
                width: Int(parameters.pointee.width),
                height: Int(parameters.pointee.height),
                frameRate: rate.num > 0 && rate.den > 0 && !isStill ? Double(rate.num) / Double(rate.den) : 0,
                isStill: isStill, displaySize: displaySize(of: video, parameters))
        }
        if let audio, let parameters = audio.pointee.codecpar {
            info.audio = MediaInfo.Audio(
                streamIndex: Int(audio.pointee.index), codec: Self.codecName(parameters),
                sampleRate: Int(parameters.pointee.sample_rate),
                channels: Int(parameters.pointee.ch_layout.nb_channels),
                speakers: Self.speakers(parameters.pointee.ch_layout))
        }
        return info
    }

    /// Returns the display size of frames, with the same precedence as ``FrameMaker``: first the container, then the
    /// codec.
    private func displaySize(
        of stream: UnsafeMutablePointer<AVStream>, _ parameters: UnsafeMutablePointer<AVCodecParameters>
    ) -> PixelSize {
        let container = PictureSideData(stream: stream), aspect = parameters.pointee.sample_aspect_ratio
        guard !container.codedSize.isEmpty else { return PixelSize(width: 0, height: 0) }
        var attributes = PictureAttributes()
        if container.aspectNumerator > 0 {
            attributes.sampleAspectNumerator = container.aspectNumerator
            attributes.sampleAspectDenominator = container.aspectDenominator
        } else if aspect.num > 0, aspect.den > 0 {
            (attributes.sampleAspectNumerator, attributes.sampleAspectDenominator) = (aspect.num, aspect.den)
        }
        attributes.orientation = container.orientation ?? .upright
        attributes.crop = container.crop ?? crop(of: stream) ?? PictureCrop()
        return attributes.displaySize(of: container.codedSize)
    }

    /// Returns FFmpeg's name of the codec.
    private static func codecName(_ parameters: UnsafeMutablePointer<AVCodecParameters>) -> String {
        avcodec_get_name(parameters.pointee.codec_id).map { String(cString: $0) } ?? ""
    }

    /// The duration in nanoseconds that the container states or FFmpeg estimates.
    var statedDuration: Int64? {
        let duration = format.pointee.duration
        return duration > 0 ? TimeBase(AVRational(num: 1, den: AV_TIME_BASE)).nanoseconds(duration) : nil
    }

    /// The duration in nanoseconds of the media read so far, for use at the end of the container. Nil if the stated
    /// duration is usable: the container states one, and its timestamps do not jump.
    var measuredDuration: Int64? {
        guard let end = position.timeline.end, format.pointee.duration <= 0 || position.timeline.jumps > 0 else {
            return nil
        }
        let length = end &- origin
        return length > 0 ? length : nil
    }

    /// Returns the speakers as bit numbers of the channel mask; empty if the file does not name them.
    private static func speakers(_ layout: AVChannelLayout) -> [UInt8] {
        guard layout.order == AV_CHANNEL_ORDER_NATIVE else { return [] }
        return (0..<64).filter { layout.u.mask >> UInt64($0) & 1 != 0 }.map { UInt8($0) }
    }

    /// Returns the tag `title`; nil if it is missing.
    private static func title(_ tags: OpaquePointer?) -> String? {
        guard let tag = av_dict_get(tags, "title", nil, 0), let value = tag.pointee.value else { return nil }
        return String(cString: value)
    }

    /// The number of streams of each kind, without cover pictures.
    private var streamCounts: MediaInfo.StreamCounts {
        var counts = MediaInfo.StreamCounts()
        for index in 0..<Int(format.pointee.nb_streams) {
            guard let stream = format.pointee.streams[index], let parameters = stream.pointee.codecpar else { continue }
            switch parameters.pointee.codec_type {
            case AVMEDIA_TYPE_VIDEO where stream.pointee.disposition & AV_DISPOSITION_ATTACHED_PIC == 0:
                counts.video += 1
            case AVMEDIA_TYPE_AUDIO:
                counts.audio += 1
                if counts.firstAudio == nil { counts.firstAudio = index }
            case AVMEDIA_TYPE_SUBTITLE: counts.subtitle += 1
            default: break
            }
        }
        return counts
    }

    /// The chapters with times on the item's timeline.
    private var chapters: [MediaInfo.Chapter] {
        (0..<Int(format.pointee.nb_chapters)).compactMap { index in
            guard let chapter = format.pointee.chapters[index]?.pointee else { return nil }
            let base = TimeBase(chapter.time_base)
            guard let start = base.nanoseconds(chapter.start) else { return nil }
            return MediaInfo.Chapter(
                start: max(0, start - origin), end: max(0, (base.nanoseconds(chapter.end) ?? start) - origin),
                title: Self.title(chapter.metadata))
        }
    }
}
