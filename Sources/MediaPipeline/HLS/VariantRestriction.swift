import SharedFrames

/// The cause that makes better variants ineligible.
package enum VariantRestriction: Sendable, Equatable, CustomStringConvertible {
    /// `CODECS` contains a codec without a decoder.
    case undecodable
    /// The variants or their hosts failed recently.
    case failure
    /// The output shows SDR only.
    case videoRange
    /// Only the audio is played.
    case audioOnly
    /// The program's limit of the bit rate (`preferredPeakBitRate`), in bits per second.
    case peakBitRate(Int64)
    /// The program's limit of the resolution (`preferredMaximumResolution`).
    case resolution(PixelSize)
    /// The limit of the memory for buffered media, in bytes.
    case memory(Int64)
    /// The size of the largest view that shows the video, in pixels.
    case view(PixelSize)

    /// The cause as a clause.
    package var description: String {
        switch self {
        case .undecodable: "better variants cannot be decoded"
        case .failure: "better variants failed recently"
        case .videoRange: "better variants are HDR and the output shows SDR"
        case .audioOnly: "only the audio is played"
        case .peakBitRate(let limit): "the peak bit rate is limited to \(QuantityText.bitRate(Double(limit)))"
        case .resolution(let size): "the resolution is limited to \(QuantityText.size(size))"
        case .memory(let bytes): "the buffer is limited to \(QuantityText.bytes(bytes))"
        case .view(let size): "the view has \(QuantityText.size(size)) pixels"
        }
    }
}
