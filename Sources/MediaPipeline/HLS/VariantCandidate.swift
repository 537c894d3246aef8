import SharedFrames

/// A variant of a stream as ``VariantChooser`` uses it: the attributes of `EXT-X-STREAM-INF` (RFC 8216, section
/// 4.3.4.2).
package struct VariantCandidate: Sendable, Equatable {
    /// The transfer characteristics that `VIDEO-RANGE` states (draft-pantos-hls-rfc8216bis, section 4.4.6.2).
    package enum VideoRange: Sendable, Equatable {
        /// Standard dynamic range.
        case sdr
        /// High dynamic range with the perceptual quantizer.
        case pq
        /// High dynamic range with hybrid log-gamma.
        case hlg
    }

    /// The variant's number, which identifies it in every choice.
    package let index: Int
    /// `BANDWIDTH`: the peak segment bit rate, in bits per second; at least 1.
    package let bandwidth: Int64
    /// `AVERAGE-BANDWIDTH`, in bits per second; nil if it is missing or not positive.
    package let averageBandwidth: Int64?
    /// `RESOLUTION`: the size of the upright picture in square pixels; nil if it is missing or empty.
    package let size: PixelSize?
    /// Whether all `CODECS` can be decoded. A variant without `CODECS` counts as decodable.
    package let isDecodable: Bool
    /// Whether the variant contains video. A variant whose `CODECS` are unknown counts as video.
    package let hasVideo: Bool
    /// `VIDEO-RANGE`; a variant without it is SDR.
    package let videoRange: VideoRange
    /// The host of the variant's playlist; empty if unknown.
    package let host: String

    package init(
        index: Int, bandwidth: Int64, averageBandwidth: Int64? = nil, size: PixelSize? = nil, isDecodable: Bool = true,
        hasVideo: Bool = true, videoRange: VideoRange = .sdr, host: String = ""
    ) {
        self.index = index
        self.bandwidth = max(bandwidth, 1)
        self.averageBandwidth = averageBandwidth.flatMap { $0 > 0 ? $0 : nil }
        self.size = size.flatMap { $0.isEmpty ? nil : $0 }
        self.isDecodable = isDecodable
        self.hasVideo = hasVideo
        self.videoRange = videoRange
        self.host = host
    }

    /// The bit rate that predicts long downloads, in bits per second: the average bit rate if the playlist states it,
    /// else the peak bit rate.
    package var typicalBitRate: Int64 { averageBandwidth ?? bandwidth }
}
