/// The variants and hosts that failed recently.
///
/// The number of entries is bounded by the number of variants: ``VariantChooser`` excludes only its own variants.
package struct VariantExclusions: Sendable, Equatable {
    /// The time for which a failed variant is not used, in nanoseconds.
    package var variantDuration = Int64(nanosecondsOf: 60)
    /// The time for which a failed host is not used, in nanoseconds.
    package var hostDuration = Int64(nanosecondsOf: 300)

    /// The host time at which the exclusion of a variant ends, by the variant's number.
    private var endByVariant: [Int: Int64] = [:]
    /// The host time at which the exclusion of a host ends, by the host's name.
    private var endByHost: [String: Int64] = [:]

    package init() {}

    /// Excludes a variant whose playlist or segment failed repeatedly.
    mutating func excludeVariant(_ index: Int, at now: Int64) {
        endByVariant = endByVariant.filter { $0.value > now }
        endByVariant[index] = now.clampedSum(variantDuration)
    }

    /// Excludes all variants of a host that cannot be reached.
    mutating func excludeHost(_ host: String, at now: Int64) {
        endByHost = endByHost.filter { $0.value > now }
        endByHost[host] = now.clampedSum(hostDuration)
    }

    /// Returns the host time at which `variant` may be used again; nil if it may be used now.
    package func end(of variant: VariantCandidate, at now: Int64) -> Int64? {
        let exclusionEnds = [endByVariant[variant.index], endByHost[variant.host]].compactMap { $0 }
        return exclusionEnds.max().flatMap { $0 > now ? $0 : nil }
    }
}
