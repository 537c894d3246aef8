import SharedFrames
import StreamPlaylists

/// The variants of a stream, the variant that is fetched now, and the reason for that choice. Contains only values.
package struct StreamStatus: Sendable, Equatable {
    /// A variant as the playlist describes it.
    package struct Variant: Sendable, Equatable {
        /// The number of the variant in the playlist, from 0.
        package var index: Int
        /// The peak bit rate in bits per second.
        package var bandwidth: Int
        /// The average bit rate in bits per second; nil if not stated.
        package var averageBandwidth: Int?
        /// The size of the picture; empty if not stated.
        package var size = PixelSize(width: 0, height: 0)
        /// The largest number of frames per second; nil if not stated.
        package var frameRate: Double?
        /// The codec strings (RFC 6381), such as `avc1.64001f`; empty if not stated.
        package var codecs: [String] = []
        /// Whether FFmpeg has decoders for ``codecs``.
        package var isPlayable = true
    }

    /// The variants in the order of the playlist.
    package var variants: [Variant] = []
    /// The number of the variant of the last requested segment; nil before the first request.
    package var currentVariantIndex: Int?
    /// The explanation of the choice of ``currentVariantIndex``.
    package var reason = ""
    /// The expected throughput of the network link in bits per second; 0 if it is unknown.
    package var bitsPerSecond = 0.0
}

extension StreamStatus.Variant {
    /// Describes a variant of a multivariant playlist.
    init(_ stream: VariantStream, index: Int) {
        self.init(
            index: index, bandwidth: stream.bandwidth, averageBandwidth: stream.averageBandwidth,
            size: stream.video.resolution.map { PixelSize(width: $0.width, height: $0.height) }
                ?? PixelSize(width: 0, height: 0),
            frameRate: stream.video.frameRate, codecs: stream.codecs,
            isPlayable: stream.codecs.map(CodecString.init).allSatisfy(\.isDecodable))
    }
}
