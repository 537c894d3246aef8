/// Chooses the variant of each segment of a stream with several variants (RFC 8216, section 2: clients adapt to network
/// conditions), and explains each choice.
///
/// The chooser is a pure value: all times are parameters, in nanoseconds of host time. The caller
/// * calls ``nextChoice(_:)`` before it requests a segment,
/// * calls ``abandon(_:_:)`` about every 100 ms while a segment is loading,
/// * calls ``replacement(of:wastedBytes:_:)`` after ``updateDestination(_:at:)`` or ``advance(to:)`` returned true,
/// * reports failures and limits when they change.
package struct VariantChooser: Sendable, Equatable {
    /// The phase of playback.
    private enum Phase: Equatable {
        /// The variant of the first segment is chosen next.
        case start
        /// The buffer fills for the first time.
        case quickStart
        /// The buffer was filled once, or the link became too slow for filling it.
        case steady
    }

    /// All variants of the stream, sorted by bit rate, lowest first.
    package let candidates: [VariantCandidate]
    /// The rules for the choice of a variant, with their constants.
    package let parameters: ChooserParameters
    /// The limits that the program, the user and the memory budget set.
    package var limits = VariantLimits()
    /// The number of the variant of the last choice; nil before the first choice.
    package private(set) var currentIndex: Int?

    /// The current phase of playback; ``restart()`` sets it to `start`.
    private var phase = Phase.start
    /// The host time of the last change to a higher variant, in nanoseconds; nil before the first change.
    private(set) var lastStepUpTime: Int64?
    /// The view or output in which the video is shown.
    private var destinationTracker = ViewSizeTracker()
    /// The variants and hosts that failed recently.
    private var exclusions = VariantExclusions()

    /// Creates a chooser for the variants of a playlist; nil if there are no variants. If several
    /// variants have the same number, only the first is used.
    package init?(_ candidates: [VariantCandidate], parameters: ChooserParameters = .init()) {
        var usedIndices: Set<Int> = []
        let uniqueCandidates = candidates.filter { usedIndices.insert($0.index).inserted }
        guard !uniqueCandidates.isEmpty else { return nil }
        // Of several variants with the same bit rate, sort the playlist's first one last, so that the chooser prefers
        // it.
        self.candidates = uniqueCandidates.enumerated().sorted { one, other in
            let (rate, otherRate) = (one.element.bandwidth, other.element.bandwidth)
            return rate == otherRate ? one.offset > other.offset : rate < otherRate
        }.map(\.element)
        self.parameters = parameters
    }

    /// Whether at least one variant can be decoded. If not, the item cannot be played.
    package var hasDecodableVariant: Bool { candidates.contains(where: \.isDecodable) }

    // MARK: Changes

    /// Records the view or output in which the video is shown now.
    ///
    /// - Returns: Whether the size that limits the choice changed. While the view is being resized, the size in use
    ///   changes later: see ``advance(to:)``.
    package mutating func updateDestination(_ destination: VideoDestination, at now: Int64) -> Bool {
        destinationTracker.update(destination, at: now)
    }

    /// Applies a delayed change of the view's size if it is due.
    ///
    /// - Returns: Whether the size that limits the choice changed.
    package mutating func advance(to now: Int64) -> Bool { destinationTracker.advance(to: now) }

    /// The host time, in nanoseconds, at which the caller must call ``advance(to:)``; nil if no change of the view's
    /// size is pending.
    package var nextDestinationDecisionTime: Int64? { destinationTracker.nextDecisionTime }

    /// Excludes a variant whose downloads failed.
    package mutating func excludeVariant(_ index: Int, at now: Int64) {
        guard variant(index) != nil else { return }
        exclusions.excludeVariant(index, at: now)
    }

    /// Excludes all variants of a host that cannot be reached.
    package mutating func excludeHost(_ host: String, at now: Int64) {
        guard !host.isEmpty, candidates.contains(where: { $0.host == host }) else { return }
        exclusions.excludeHost(host, at: now)
    }

    /// Resets the chooser to an empty buffer, as after a seek. The exclusions and the view's size are kept.
    package mutating func restart() {
        phase = .start
        lastStepUpTime = nil
    }

    // MARK: Decisions

    /// Returns the variant of the next segment.
    package mutating func nextChoice(_ input: ChooserInput) -> VariantChoice {
        _ = destinationTracker.advance(to: input.now)
        let choice = decide(input)
        if phase != .start, let previousVariant = currentVariant, choice.bandwidth > previousVariant.bandwidth {
            lastStepUpTime = input.now
        }
        if phase == .start { phase = .quickStart }
        currentIndex = choice.variant
        return choice
    }

    /// Returns the variant in which to download the segment again: a lower variant if the download is too slow, or the
    /// user's choice, unless most of the segment has arrived. Returns nil if the current download continues.
    /// If it returns a choice, the caller cancels the download and records its bytes as a sample.
    ///
    /// - Parameter input: The state of playback without the segment that is loading; ``ChooserInput/segmentSizes``
    ///   starts with this segment.
    package mutating func abandon(_ progress: DownloadProgress, _ input: ChooserInput) -> VariantChoice? {
        if let userVariant = chosenVariant(at: input.now) {
            guard userVariant.index != progress.variant, !progress.isMostlyReceived else { return nil }
            currentIndex = userVariant.index
            return VariantChoice(userVariant, .userChoice)
        }
        let variants = eligibleVariants(at: input.now).variants
        guard let loadingVariant = variant(progress.variant),
            let verdict = parameters.abandon.verdict(
                variants, current: loadingVariant, progress, input, parameters.lookAhead)
        else { return nil }
        let replacement = variants[verdict.replacementIndex]
        currentIndex = replacement.index
        phase = .steady
        let reason = VariantChoiceReason.abandon(
            remainingTime: verdict.remainingTime, playable: progress.playableDuration.inSeconds,
            replacementTime: verdict.replacementTime)
        return VariantChoice(replacement, reason)
    }

    /// Returns which buffered segments to download again in a higher variant, after the view has grown or the user has
    /// chosen that variant; nil if all buffered segments are kept.
    ///
    /// - Parameters:
    ///   - bufferedSegments: The complete segments ahead of the playhead, in order of time.
    ///   - wastedBytes: The bytes that were downloaded and discarded within the last minute.
    package mutating func replacement(
        of bufferedSegments: [BufferedSegment], wastedBytes: Int64 = 0, _ input: ChooserInput
    ) -> SegmentReplacement? {
        let (rule, variants) = (parameters.replacement, eligibleVariants(at: input.now).variants)
        let userVariant = chosenVariant(at: input.now)
        guard let targetVariant = userVariant ?? variants.last(where: { rule.isFastEnough($0, input) }) else {
            return nil
        }
        let keptSegmentCount = rule.keptSegmentCount(bufferedSegments, target: targetVariant, candidates)
        let discardedByteCount = bufferedSegments[keptSegmentCount...].reduce(Int64(0)) { $0.clampedSum($1.bytes) }
        let isWithinLimit =
            Double(discardedByteCount) + Double(max(wastedBytes, 0)) <= rule.discardableByteCount(targetVariant)
        guard keptSegmentCount < bufferedSegments.count, userVariant != nil || isWithinLimit else { return nil }
        if let previousVariant = currentVariant, targetVariant.bandwidth > previousVariant.bandwidth {
            lastStepUpTime = input.now
        }
        currentIndex = targetVariant.index
        let reason = VariantChoiceReason.replace(
            segments: bufferedSegments.count - keptSegmentCount, bytes: discardedByteCount)
        return SegmentReplacement(
            keptSegmentCount: keptSegmentCount, wastedBytes: discardedByteCount,
            choice: VariantChoice(targetVariant, reason))
    }

    // MARK: Rules

    /// The destination whose size limits the choice.
    var effectiveDestination: VideoDestination { destinationTracker.effectiveDestination }

    /// The variant of the last choice.
    var currentVariant: VariantCandidate? { currentIndex.flatMap(variant) }

    /// Returns the variant with the number `index`; nil if no variant has it.
    private func variant(_ index: Int) -> VariantCandidate? { candidates.first { $0.index == index } }

    /// Returns the variant that the user has chosen; nil if there is none, or if it cannot be decoded or failed
    /// recently.
    private func chosenVariant(at now: Int64) -> VariantCandidate? {
        guard let userVariant = limits.userChoice.flatMap(variant), userVariant.isDecodable,
            exclusions.end(of: userVariant, at: now) == nil
        else { return nil }
        return userVariant
    }

    /// Returns the variants that may be chosen now, and the reason why better variants may not be chosen.
    func eligibleVariants(at now: Int64) -> EligibleVariants {
        EligibleVariants(
            candidates, exclusions, limits, destinationTracker.effectiveDestination, parameters.size, at: now)
    }

    /// Returns the variant that the user has chosen, or else the choice by the rule of the current phase.
    private mutating func decide(_ input: ChooserInput) -> VariantChoice {
        if let userVariant = chosenVariant(at: input.now) { return VariantChoice(userVariant, .userChoice) }
        let eligible = eligibleVariants(at: input.now)
        let (variants, restriction) = (eligible.variants, eligible.restriction)
        if variants.count == 1 { return VariantChoice(variants[0], .onlyEligible(restriction)) }
        switch phase {
        case .start: return firstChoice(variants, input)
        case .quickStart:
            if let choice = quickStartChoice(variants, restriction, input) { return choice }
            phase = .steady
            return steadyChoice(variants, restriction, input)
        case .steady: return steadyChoice(variants, restriction, input)
        }
    }
}
