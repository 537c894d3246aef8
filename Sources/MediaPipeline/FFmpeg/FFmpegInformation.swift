import CFFmpeg

/// Information about the FFmpeg libraries that the process uses: their version, and the formats that they support.
package enum FFmpegInformation {
    /// A decoder of FFmpeg.
    package struct Decoder: Sendable {
        /// FFmpeg's name of the codec that the decoder decodes, such as `h264`.
        package let codec: String
        /// The name of the decoder, such as `libdav1d`.
        package let name: String
        /// A description of the codec for people.
        package let description: String
    }

    /// The version of FFmpeg, such as `5.1.6`.
    package static var version: String { av_version_info().map { String(cString: $0) } ?? "" }

    /// The names of the container formats that FFmpeg can read. A name may list several formats, joined by commas.
    package static var demuxers: [String] {
        var names: [String] = [], position: UnsafeMutableRawPointer?
        while let format = av_demuxer_iterate(&position) {
            if let name = format.pointee.name { names.append(String(cString: name)) }
        }
        return names
    }

    /// The decoders of video, audio and subtitles.
    package static var decoders: [Decoder] {
        var decoders: [Decoder] = [], position: UnsafeMutableRawPointer?
        while let codec = av_codec_iterate(&position) {
            guard av_codec_is_decoder(codec) != 0, let name = codec.pointee.name else { continue }
            decoders.append(
                Decoder(
                    codec: avcodec_get_name(codec.pointee.id).map { String(cString: $0) } ?? "",
                    name: String(cString: name),
                    description: codec.pointee.long_name.map { String(cString: $0) } ?? ""))
        }
        return decoders
    }
}
