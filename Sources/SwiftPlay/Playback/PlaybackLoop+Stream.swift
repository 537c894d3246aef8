import MediaPipeline
import SystemCalls

/// What the player wants from a stream with several variants.
extension PlaybackLoop {
    /// Tells the current item's source where its picture is shown, if that has changed.
    func updateStreamDemand() {
        guard let current else { return sentDemands.stream = nil }
        // Only a stream whose variants are known, or an item that may become one, chooses by these values.
        if let info = current.info, info.variants.isEmpty { return }
        let new = streamDemand(of: current.item)
        guard new != sentDemands.stream else { return }
        sentDemands.stream = new
        current.source.setStreamDemand(new)
    }

    /// Tells the current item's source which variant the user has chosen. While playback is paused, the visible picture
    /// is fetched again in that variant.
    func applyChosenVariant() {
        updateStreamDemand()
        core.notify(.settingChanged)
        guard let c = current, rate == 0, c.phase == .playing || c.phase == .ready, c.info?.isSeekable == true,
            !c.run.hasReportedEnd, let chosen = c.item.chosenVariantIndex, let status = c.source.streamStatus,
            status.current != chosen, status.variants.contains(where: { $0.index == chosen })
        else { return }
        begin(SeekCommand(time: clock.time(at: MonotonicTime.now)))
    }

    /// Returns what the player wants from the stream of an item.
    func streamDemand(of item: PlayerItem) -> StreamDemand.Values {
        var values = StreamDemand.Values()
        let preference = core.snapshot.withLock { $0.settings.streamPreference } ?? core.configuration.streamPreference
        values.quality = preference.quality
        values.limits = item.variantLimits
        if let limit = preference.peakBitRate, limit > 0 {
            let own = values.limits.preferredPeakBitRate
            values.limits.preferredPeakBitRate = own > 0 ? min(own, limit) : limit
        }
        values.rate = clock.rate > 0 ? clock.rate : 1
        if let layer = core.currentLayer {
            let isHidden = !layer.isOnScreen && layer.router.destination == .layer
            values.destination = isHidden ? .audioOnly : layer.router.videoDestination
            values.keepsSegments = !isHidden && layer.router.destination == .layer
        }
        return values
    }
}
