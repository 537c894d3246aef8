import CFFmpeg

extension MediaTrack {
    /// Returns the tracks of an open container, in its order.
    static func all(of format: UnsafeMutablePointer<AVFormatContext>) -> [MediaTrack] {
        (0..<Int(format.pointee.nb_streams)).compactMap { index in
            format.pointee.streams[index].flatMap { MediaTrack(index: index, stream: $0) }
        }
    }

    /// Reads the properties of a stream; nil if it is not video, audio or subtitles.
    private init?(index: Int, stream: UnsafeMutablePointer<AVStream>) {
        guard let parameters = stream.pointee.codecpar else { return nil }
        let kind: Kind
        switch parameters.pointee.codec_type {
        case AVMEDIA_TYPE_VIDEO: kind = .video
        case AVMEDIA_TYPE_AUDIO: kind = .audio
        case AVMEDIA_TYPE_SUBTITLE: kind = .subtitle
        default: return nil
        }
        let codec = CodecParameters.codec(of: stream)
        self.init(id: index, kind: kind, codec: avcodec_get_name(codec).map { String(cString: $0) } ?? "")
        language = Self.tag("language", of: stream).flatMap { $0 == "und" ? nil : $0 }
        title = Self.tag("title", of: stream)
        let disposition = stream.pointee.disposition
        isDefault = disposition & AV_DISPOSITION_DEFAULT != 0
        isForced = disposition & AV_DISPOSITION_FORCED != 0
        isForHearingImpaired = disposition & AV_DISPOSITION_HEARING_IMPAIRED != 0
        isForVisualImpaired = disposition & AV_DISPOSITION_VISUAL_IMPAIRED != 0
        isCommentary = disposition & AV_DISPOSITION_COMMENT != 0
        isAttachedPicture = disposition & AV_DISPOSITION_ATTACHED_PIC != 0
        // An unplayable video or audio track stays selectable, so that selecting it reports the reason. Subtitles
        // without a decoder can be left out silently.
        hasDecoder = avcodec_find_decoder(codec) != nil
        isPlayable = kind != .subtitle || hasDecoder
        if let descriptor = avcodec_descriptor_get(codec) {
            isBitmap = kind == .subtitle && descriptor.pointee.props & AV_CODEC_PROP_BITMAP_SUB != 0
            codecDescription = descriptor.pointee.long_name.map { String(cString: $0) } ?? ""
        }
        bitRate = max(0, parameters.pointee.bit_rate)
        if kind == .audio {
            sampleRate = max(0, Int(parameters.pointee.sample_rate))
            channels = max(0, Int(parameters.pointee.ch_layout.nb_channels))
            channelLayout = Self.name(of: parameters.pointee.ch_layout)
            sampleFormat = av_get_sample_fmt_name(AVSampleFormat(parameters.pointee.format)).map { String(cString: $0) }
        } else {
            (width, height) = (max(0, Int(parameters.pointee.width)), max(0, Int(parameters.pointee.height)))
        }
        if kind == .video {
            sampleFormat = av_get_pix_fmt_name(AVPixelFormat(parameters.pointee.format)).map { String(cString: $0) }
        }
        let rate = stream.pointee.avg_frame_rate
        if kind == .video, rate.num > 0, rate.den > 0 { frameRate = Double(rate.num) / Double(rate.den) }
    }

    /// Returns FFmpeg's name of a channel layout, such as `5.1(side)`; nil if it has no channels.
    private static func name(of layout: AVChannelLayout) -> String? {
        guard layout.nb_channels > 0 else { return nil }
        var layout = layout
        // The longest standard name, `22.2`, is short; only layouts of single named channels are longer.
        var buffer = [CChar](repeating: 0, count: 256)
        guard av_channel_layout_describe(&layout, &buffer, buffer.count) > 0 else { return nil }
        return String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Returns a tag of a stream; nil if it is missing or empty.
    private static func tag(_ name: String, of stream: UnsafeMutablePointer<AVStream>) -> String? {
        guard let entry = av_dict_get(stream.pointee.metadata, name, nil, 0), let value = entry.pointee.value else {
            return nil
        }
        let text = String(cString: value)
        return text.isEmpty ? nil : text
    }
}
