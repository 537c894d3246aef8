import CFFmpeg
import SharedFrames

/// Collects the properties that the container states.
extension Demuxer {
    /// The properties of the media that the container states.
    var info: MediaInfo {
        var info = MediaInfo(
            container: format.pointee.iformat.map { String(cString: $0.pointee.name) } ?? "", duration: statedDuration,
            isSeekable: isSeekable)
        info.title = Self.title(format.pointee.metadata)
        info.streams = streamCounts
        info.chapters = chapters
        info.tags = tags
        info.artwork = artwork
        info.tracks = tracks
        info.video = video.flatMap {
            MediaInfo.Video(
                stream: $0, track: Int($0.pointee.index), crop: crop(of: $0), isCoverPicture: isCoverPicture)
        }
        info.audio = audio.flatMap { MediaInfo.Audio(stream: $0, track: Int($0.pointee.index)) }
        return info
    }

    /// The duration in nanoseconds that the container states or FFmpeg estimates.
    var statedDuration: Int64? {
        let duration = format.pointee.duration
        return duration > 0 ? TimeBase(AVRational(num: 1, den: AV_TIME_BASE)).nanoseconds(duration) : nil
    }

    /// The duration in nanoseconds of the media read so far, for use at the end of the container. Nil if the stated
    /// duration is usable: the container states one, and its timestamps do not jump.
    var measuredDuration: Int64? {
        guard let end = position.timeline.end, format.pointee.duration <= 0 || position.timeline.jumpCount > 0 else {
            return nil
        }
        let length = end &- origin
        return length > 0 ? length : nil
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
                if counts.firstAudioIndex == nil { counts.firstAudioIndex = index }
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
            let chapterTimeBase = TimeBase(chapter.time_base)
            guard let start = chapterTimeBase.nanoseconds(chapter.start) else { return nil }
            return MediaInfo.Chapter(
                start: max(0, start - origin),
                end: max(0, (chapterTimeBase.nanoseconds(chapter.end) ?? start) - origin),
                title: Self.title(chapter.metadata))
        }
    }
}

extension MediaInfo.Video {
    /// Describes a stream; nil if it has no parameters.
    ///
    /// - Parameters:
    ///   - track: The identifier of the track.
    ///   - crop: The crop to use if the stream itself states none.
    init?(stream: UnsafeMutablePointer<AVStream>, track: Int, crop: PictureCrop? = nil, isCoverPicture: Bool = false) {
        guard let parameters = stream.pointee.codecpar?.pointee else { return nil }
        let rate = stream.pointee.avg_frame_rate
        self.init(
            streamIndex: track, codec: avcodec_get_name(parameters.codec_id).map { String(cString: $0) } ?? "",
            width: Int(parameters.width), height: Int(parameters.height),
            frameRate: rate.num > 0 && rate.den > 0 && !isCoverPicture ? Double(rate.num) / Double(rate.den) : 0,
            isCoverPicture: isCoverPicture,
            displaySize: Self.displaySize(of: stream, parameters.sample_aspect_ratio, crop))
    }

    /// Returns the display size of frames, with the same precedence as ``FrameImporter``: first the container, then the
    /// codec.
    private static func displaySize(
        of stream: UnsafeMutablePointer<AVStream>, _ aspect: AVRational, _ crop: PictureCrop?
    ) -> PixelSize {
        let container = PictureSideData(stream: stream)
        guard !container.codedSize.isEmpty else { return PixelSize(width: 0, height: 0) }
        var attributes = PictureAttributes()
        if container.aspectNumerator > 0 {
            attributes.sampleAspectNumerator = container.aspectNumerator
            attributes.sampleAspectDenominator = container.aspectDenominator
        } else if aspect.num > 0, aspect.den > 0 {
            (attributes.sampleAspectNumerator, attributes.sampleAspectDenominator) = (aspect.num, aspect.den)
        }
        attributes.orientation = container.orientation ?? .upright
        attributes.crop = container.crop ?? crop ?? PictureCrop()
        return attributes.displaySize(of: container.codedSize)
    }
}

extension MediaInfo.Audio {
    /// Describes a stream; nil if it has no parameters. `track` is the identifier of the track.
    init?(stream: UnsafeMutablePointer<AVStream>, track: Int) {
        guard let parameters = stream.pointee.codecpar?.pointee else { return nil }
        let layout = parameters.ch_layout
        self.init(
            streamIndex: track, codec: avcodec_get_name(parameters.codec_id).map { String(cString: $0) } ?? "",
            sampleRate: Int(parameters.sample_rate), channels: Int(layout.nb_channels),
            // The speakers as bit numbers of the channel mask.
            speakers: layout.order == AV_CHANNEL_ORDER_NATIVE
                ? (0..<64).filter { layout.u.mask >> UInt64($0) & 1 != 0 }.map { UInt8($0) } : [])
    }
}
