import CFFmpeg

/// One codec of the attribute `CODECS` (RFC 6381), such as `avc1.64001f`.
struct CodecString: Sendable, Equatable {
    /// The four-letter code of the codec, without its parameters.
    let fourCC: String

    init(_ text: String) { fourCC = String(text.prefix { $0 != "." }).lowercased() }

    /// Whether the codec is a known video codec.
    var isVideo: Bool { Self.videoCodecs[fourCC] != nil }

    /// Whether FFmpeg has a decoder for the codec; true for codecs that this type does not know.
    var isDecodable: Bool {
        guard let codec = Self.videoCodecs[fourCC] ?? Self.audioCodecs[fourCC] else { return true }
        return avcodec_find_decoder(codec) != nil
    }

    /// FFmpeg's identifiers of the known video codecs, by four-letter code.
    private static let videoCodecs: [String: AVCodecID] = [
        "avc1": AV_CODEC_ID_H264, "avc3": AV_CODEC_ID_H264, "hvc1": AV_CODEC_ID_HEVC, "hev1": AV_CODEC_ID_HEVC,
        "vp08": AV_CODEC_ID_VP8, "vp09": AV_CODEC_ID_VP9, "av01": AV_CODEC_ID_AV1, "mp4v": AV_CODEC_ID_MPEG4,
        "dvh1": AV_CODEC_ID_HEVC, "dvhe": AV_CODEC_ID_HEVC,
    ]
    /// FFmpeg's identifiers of the known audio codecs, by four-letter code.
    private static let audioCodecs: [String: AVCodecID] = [
        "mp4a": AV_CODEC_ID_AAC, "ac-3": AV_CODEC_ID_AC3, "ec-3": AV_CODEC_ID_EAC3, "opus": AV_CODEC_ID_OPUS,
        "flac": AV_CODEC_ID_FLAC, "alac": AV_CODEC_ID_ALAC, "mp3": AV_CODEC_ID_MP3,
    ]
}
