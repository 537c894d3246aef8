/// The reason for a decision of ``VariantChooser``. `estimate` is the estimated throughput in bits per second,
/// `share` is the fraction of the throughput that a variant may use, and `predicted` is the predicted length of the
/// buffer in seconds. All times are in seconds.
package enum VariantChoiceReason: Sendable, Equatable, CustomStringConvertible {
    /// The user has chosen the variant.
    case userChoice
    /// Only one variant is eligible; the associated value states why better variants are not, if there are any.
    case onlyEligible(VariantRestriction?)
    /// The first variant, chosen by a trusted throughput estimate.
    case start(share: Double, estimate: Double)
    /// The first variant while the throughput is unknown.
    case startWithoutEstimate
    /// The first eligible variant in the order of the playlist.
    case firstInPlaylist
    /// The best variant that leaves a part of the throughput for filling the buffer.
    case quickStart(share: Double, estimate: Double)
    /// A higher variant than before; the buffer stays long enough with this variant.
    case stepUp(predicted: Double, estimate: Double)
    /// A lower variant than before: the previous variant would use up the buffer.
    case stepDown(predicted: Double, estimate: Double)
    /// Another variant than before: the previous variant is no longer eligible; the associated value states why.
    case restricted(VariantRestriction?)
    /// The best eligible variant; the associated value states why better variants are not eligible, if there are any.
    case best(VariantRestriction?)
    /// The same variant as before: the next higher variant would use up the buffer.
    case hold(predicted: Double, estimate: Double)
    /// The same variant as before, although a higher variant is possible: the last change to a higher variant was a
    /// short time ago.
    case waitAfterStep(remaining: Double)
    /// The lowest variant, although it uses up the buffer.
    case lowest(predicted: Double, estimate: Double)
    /// A lower variant than before: the download of the segment in the previous variant would have ended too late.
    case abandon(remainingTime: Double, playable: Double, replacementTime: Double)
    /// Buffered segments are replaced because the view has grown.
    case replace(segments: Int, bytes: Int64)
    /// The segment was fetched before in this variant and is still kept.
    case kept

    /// The explanation for logs and for the user, without the variant.
    package var description: String {
        switch self {
        case .userChoice: "the user has chosen this variant"
        case .onlyEligible(let restriction): "it is the only eligible variant" + Self.suffix(restriction)
        case .start(let share, let estimate): "the first variant fits into \(Self.fractionText(share, of: estimate))"
        case .firstInPlaylist: "it is the first eligible variant of the playlist"
        case .startWithoutEstimate: "the throughput is unknown; the variant is the lowest with a usable picture"
        case .quickStart(let share, let estimate):
            "the buffer is filling; the variant fits into \(Self.fractionText(share, of: estimate))"
        case .stepUp(let predicted, let estimate):
            "higher: \(Self.prediction(predicted, "this variant", estimate))"
        case .stepDown(let predicted, let estimate):
            "lower: \(Self.prediction(predicted, "the previous variant", estimate))"
        case .restricted(let restriction):
            "the previous variant is not eligible" + Self.suffix(restriction)
        case .best(let restriction): "it is the best eligible variant" + Self.suffix(restriction)
        case .hold(let predicted, let estimate):
            "unchanged: \(Self.prediction(predicted, "the next higher variant", estimate))"
        case .waitAfterStep(let remaining):
            "unchanged: the next upward step is possible in \(QuantityText.seconds(remaining))"
        case .lowest(let predicted, let estimate):
            "the lowest variant: \(Self.prediction(predicted, "it", estimate))"
        case .abandon(let remainingTime, let playable, let replacementTime):
            "the download needed \(Self.remainingTimeText(remainingTime)) "
                + "with \(QuantityText.seconds(playable)) left to play; "
                + "this variant needs \(QuantityText.seconds(replacementTime))"
        case .replace(let segments, let bytes):
            "the view has grown; \(segments) buffered segments (\(QuantityText.bytes(bytes))) are replaced"
        case .kept: "the segment was fetched in this variant before and is still kept"
        }
    }

    /// Returns the time that a download still needs, such as "12.0 s more". If almost nothing arrives, no time can be
    /// predicted.
    private static func remainingTimeText(_ seconds: Double) -> String {
        seconds < 3600 ? "\(QuantityText.seconds(seconds)) more" : "more than an hour, because almost nothing arrives,"
    }

    /// Returns the restriction as the end of a sentence; empty if there is none.
    private static func suffix(_ restriction: VariantRestriction?) -> String { restriction.map { ": \($0)" } ?? "" }

    /// Returns a fraction of a bit rate such as "60 % of 2.00 Mb/s".
    private static func fractionText(_ share: Double, of estimate: Double) -> String {
        "\(QuantityText.percent(share)) of \(QuantityText.bitRate(estimate))"
    }

    /// Returns the effect of `variant` on the buffer as a clause.
    ///
    /// - Parameter buffer: The predicted length of the buffer in seconds; negative if playback would stall.
    private static func prediction(_ buffer: Double, _ variant: String, _ estimate: Double) -> String {
        let throughputText = "at \(QuantityText.bitRate(estimate))"
        return buffer < 0
            ? "with \(variant) playback would stall soon \(throughputText)"
            : "with \(variant) \(QuantityText.seconds(buffer)) would soon be buffered \(throughputText)"
    }
}
