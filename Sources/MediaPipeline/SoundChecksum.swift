import CFFmpeg

/// One block of sound as the decoder gave it, before it is brought into the device's form.
package struct SoundChecksum: Sendable, Equatable {
    /// In the stream's own time base; nil where the stream does not say.
    package var streamTime: Int64?
    /// Frames per second.
    package var rate: Int
    package var channels: Int
    /// FFmpeg's name of the sample format.
    package var format: String
    /// Samples of each channel.
    package var frameCount: Int
    /// Of the samples as interleaved 32-bit floats: FFmpeg's `framemd5` after `pcm_f32le`.
    package var md5: String
}

/// Makes ``SoundChecksum``s of a decoder's frames. One thread.
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
