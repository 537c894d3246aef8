import CFFmpeg

/// The checksum of one block of decoded audio, before conversion to the device's format.
package struct AudioChecksum: Sendable, Equatable {
    /// The presentation timestamp in the stream's time base; nil if it is not stated.
    package var streamTime: Int64?
    /// The sample rate: audio frames per second.
    package var rate: Int
    /// The number of channels.
    package var channels: Int
    /// FFmpeg's name of the sample format.
    package var format: String
    /// The number of samples per channel.
    package var frameCount: Int
    /// The hash of the samples as interleaved 32-bit floats, equal to that of FFmpeg's muxer `framehash` with
    /// `pcm_f32le`.
    package var checksum: String
}

/// Computes the ``AudioChecksum`` of each frame that an audio decoder returns. Used by one thread.
struct AudioChecksumCalculator: ~Copyable {
    private let hash: ChecksumHash
    /// The converter of decoded audio to interleaved floats; replaced when the audio's format changes.
    private var converter: Resampler?

    init(_ hash: ChecksumHash) { self.hash = hash }

    /// Returns the checksum of one decoded audio frame.
    mutating func checksum(_ frame: UnsafeMutablePointer<AVFrame>) throws(MediaError) -> AudioChecksum {
        if converter?.accepts(frame) != true { converter = try Resampler(like: frame, to: nil) }
        let samples = converter?.convert(frame) ?? []
        let channels = Int(frame.pointee.ch_layout.nb_channels), timestamp = frame.pointee.pts
        return AudioChecksum(
            streamTime: timestamp == cffmpeg_no_pts ? nil : timestamp, rate: Int(frame.pointee.sample_rate),
            channels: channels,
            format: av_get_sample_fmt_name(AVSampleFormat(frame.pointee.format)).map { String(cString: $0) }
                ?? "unknown",
            frameCount: samples.count / max(channels, 1),
            checksum: samples.withUnsafeBytes { bytes in hash.hash { $0(bytes) } })
    }
}
