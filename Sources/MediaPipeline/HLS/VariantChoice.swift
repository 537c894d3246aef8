/// The variant in which the next segment is downloaded, with the reason.
package struct VariantChoice: Sendable, Equatable, CustomStringConvertible {
    /// The number of the chosen variant.
    package let variant: Int
    /// The variant's `BANDWIDTH`, in bits per second.
    package let bandwidth: Int64
    /// The reason for the choice.
    package let reason: VariantChoiceReason

    init(_ variant: VariantCandidate, _ reason: VariantChoiceReason) {
        self.variant = variant.index
        bandwidth = variant.bandwidth
        self.reason = reason
    }

    /// The variant's number, its bit rate and the reason.
    package var description: String { "variant \(variant) (\(QuantityText.bitRate(Double(bandwidth)))): \(reason)" }
}
