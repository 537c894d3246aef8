import MediaPipeline
import SystemCalls

/// The choice among the variants of a stream.
extension PlaybackLoop {
    /// Sends the current item's source the values by which it chooses a variant, such as the size on screen, if they
    /// have changed.
    func updateStreamDemand() {
        guard let currentItem else { return sentDemands.stream = nil }
        // An item that is open and has no variants does not need the values for choosing a variant.
        if let info = currentItem.info, info.variants.isEmpty { return }
        let demand = streamDemand(of: currentItem.playerItem)
        guard demand != sentDemands.stream else { return }
        sentDemands.stream = demand
        currentItem.source.setStreamDemand(demand)
    }

    /// Sends the current item's source the variant that the user has chosen. While playback is paused, the visible
    /// picture is fetched again in that variant.
    func applyChosenVariant() {
        updateStreamDemand()
        core.notify(.settingChanged)
        guard let item = currentItem, rate == 0, item.phase == .playing || item.phase == .ready,
            item.info?.isSeekable == true,
            !item.stateSinceSeek.hasReportedEnd, let chosenIndex = item.playerItem.preferredVariantIndex,
            let status = item.source.streamStatus,
            status.currentVariantIndex != chosenIndex, status.variants.contains(where: { $0.index == chosenIndex })
        else { return }
        begin(SeekCommand(time: clock.time(at: MonotonicTime.now)))
    }

    /// Returns the values by which an item's source chooses a variant: quality, limits, rate and size on screen.
    func streamDemand(of item: PlayerItem) -> StreamDemand.Requirements {
        var requirements = StreamDemand.Requirements()
        let preference = core.snapshot.withLock { $0.settings.streamPreference } ?? core.configuration.streamPreference
        requirements.quality = preference.quality
        requirements.limits = item.variantLimits
        if let limit = preference.peakBitRate, limit > 0 {
            let itemLimit = requirements.limits.preferredPeakBitRate
            requirements.limits.preferredPeakBitRate = itemLimit > 0 ? min(itemLimit, limit) : limit
        }
        requirements.rate = clock.rate > 0 ? clock.rate : 1
        var keepsPlayedSegments = true
        if let layer = core.currentLayer {
            let isHidden = !layer.isOnScreen && layer.router.destination == .layer
            requirements.destination = isHidden ? .audioOnly : layer.router.videoDestination
            // While the picture is hidden or in Picture-in-Picture, no played segments are kept.
            keepsPlayedSegments = !isHidden && layer.router.destination == .layer
        }
        requirements.keptByteLimit = keepsPlayedSegments ? Application.shared.memoryBudget.keptByteLimit : 0
        return requirements
    }
}
