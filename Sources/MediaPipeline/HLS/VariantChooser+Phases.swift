extension VariantChooser {
    /// Returns the variant of the first segment.
    func firstChoice(_ variants: [VariantCandidate], _ input: ChooserInput) -> VariantChoice {
        // Only the item's first choice uses the first variant of the playlist; after a seek, the throughput estimate
        // decides.
        if limits.startsOnFirstVariant, currentIndex == nil, let variant = variants.min(by: { $0.index < $1.index }) {
            return VariantChoice(variant, .firstInPlaylist)
        }
        let view: VideoViewGeometry? = if case .view(let view) = effectiveDestination { view } else { nil }
        let variant = variants[parameters.start.firstVariant(variants, input.estimate, view)]
        return VariantChoice(
            variant,
            input.estimate.isTrusted
                ? .start(share: parameters.start.trustedThroughputFraction, estimate: input.estimate.bitsPerSecond)
                : .startWithoutEstimate)
    }

    /// Returns the variant of the next segment in the phase in which the buffer fills for the first time.
    ///
    /// - Returns: nil if the phase has ended, because the buffer is long enough, or because the link has become slower
    ///   than the current variant needs.
    func quickStartChoice(
        _ variants: [VariantCandidate], _ restriction: VariantRestriction?, _ input: ChooserInput
    ) -> VariantChoice? {
        let rule = parameters.start
        guard let current = currentVariant, input.bufferedDuration < rule.quickStartBuffer else { return nil }
        guard let index = rule.quickStartVariant(variants, input, parameters.lookAhead),
            variants[index].bandwidth >= current.bandwidth || !variants.contains(current)
        else { return nil }
        let reason: VariantChoiceReason =
            if !variants.contains(current) {
                .restricted(restriction)
            } else if restriction != nil, index == variants.count - 1 {
                .best(restriction)
            } else {
                .quickStart(share: rule.quickStartThroughputFraction, estimate: input.estimate.bitsPerSecond)
            }
        return VariantChoice(variants[index], reason)
    }

    /// Returns the best variant whose next segments do not use up the buffer.
    func steadyChoice(
        _ variants: [VariantCandidate], _ restriction: VariantRestriction?, _ input: ChooserInput
    ) -> VariantChoice {
        let (rule, rate) = (parameters.lookAhead, input.estimate.bitsPerSecond)
        let current = currentVariant
        let waitDuration = remainingWait(at: input.now)
        var mustWaitBeforeStepUp = false
        var refusedBuffer: Double?
        var refusedCurrentBuffer: Double?
        for variant in variants.reversed() {
            let isUpward = current.map { variant.bandwidth > $0.bandwidth } ?? false
            let predictedBuffer = rule.predictedBuffer(of: variant, input)
            guard rule.allows(predictedBuffer: predictedBuffer, isUpward: isUpward, input) else {
                if variant.index == current?.index { refusedCurrentBuffer = predictedBuffer }
                refusedBuffer = predictedBuffer
                continue
            }
            if isUpward, waitDuration > 0 {
                mustWaitBeforeStepUp = true
                continue
            }
            let reason: VariantChoiceReason =
                if let current, !variants.contains(current) {
                    .restricted(restriction)
                } else if isUpward {
                    .stepUp(predicted: predictedBuffer, estimate: rate)
                } else if let current, variant.bandwidth < current.bandwidth {
                    .stepDown(predicted: refusedCurrentBuffer ?? refusedBuffer ?? predictedBuffer, estimate: rate)
                } else if mustWaitBeforeStepUp {
                    .waitAfterStep(remaining: waitDuration.inSeconds)
                } else if let refusedBuffer {
                    .hold(predicted: refusedBuffer, estimate: rate)
                } else {
                    .best(restriction)
                }
            return VariantChoice(variant, reason)
        }
        return VariantChoice(variants[0], .lowest(predicted: refusedBuffer ?? 0, estimate: rate))
    }

    /// Returns the time until the next change to a higher variant is allowed, in nanoseconds; 0 if it is allowed now.
    private func remainingWait(at now: Int64) -> Int64 {
        guard let lastStepUpTime else { return 0 }
        return max(lastStepUpTime.clampedSum(parameters.lookAhead.minimumUpwardInterval).clampedDifference(now), 0)
    }
}
