import CFFmpeg

/// The checksum of one block of decoded audio, before conversion to the device's format.
package struct SoundChecksum: Sendable, Equatable {
    /// The presentation timestamp in the stream's time base; nil if it is not stated.
    package var streamTime: Int64?
    /// The sample rate: audio frames per second.
    package var rate: Int
    package var channels: Int
    /// FFmpeg's name of the sample format.
    package var format: String
    /// The number of samples per channel.
    package var frameCount: Int
    /// The MD5 of the samples as interleaved 32-bit floats, equal to FFmpeg's `framemd5` with `pcm_f32le`.
    package var md5: String
}

/// Computes ``SoundChecksum``s of a decoder's frames. One thread.
struct SoundMeasure: ~Copyable {
    private var converter: Resampler?

    mutating func measure(_ frame: UnsafeMutablePointer<AVFrame>) throws(MediaError) -> SoundChecksum {
        if converter?.takes(frame) != true { converter = try Resampler(like: frame, to: nil) }
        let samples = converter?.convert(frame) ?? []
        let channels = Int(frame.pointee.ch_layout.nb_channels), stamp = frame.pointee.pts
        return SoundChecksum(
            streamTime: stamp == cffmpeg_no_pts ? nil : stamp, rate: Int(frame.pointee.sample_rate), channels: channels,
            format: av_get_sample_fmt_name(AVSampleFormat(frame.pointee.format)).map { String(cString: $0) }
                ?? "unknown",
            frameCount: samples.count / max(channels, 1),
            md5: samples.withUnsafeBytes { bytes in FrameChecksum.md5 { $0(bytes) } })
    }
}
