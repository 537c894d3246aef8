import MediaPipeline

/// What the player wants from a stream with several variants.
extension PlaybackLoop {
    /// Tells the current item's source where its picture is shown, if that has changed.
    func updateStreamDemand() {
        guard let current else { return streamDemand = nil }
        let new = streamDemand(of: current.item)
        guard new != streamDemand else { return }
        streamDemand = new
        current.source.setStreamDemand(new)
    }

    /// Returns what the player wants from the stream of an item.
    func streamDemand(of item: PlayerItem) -> StreamDemand.Values {
        var values = StreamDemand.Values()
        values.quality = core.configuration.streamQuality
        values.limits = item.variantLimits
        if let limit = core.configuration.peakBitRate, limit > 0 {
            let own = values.limits.preferredPeakBitRate
            values.limits.preferredPeakBitRate = own > 0 ? min(own, limit) : limit
        }
        values.rate = clock.rate > 0 ? clock.rate : 1
        if let layer = core.currentLayer {
            let isHidden = !layer.isOnScreen && layer.router.destination == .layer
            values.destination = isHidden ? .audioOnly : layer.router.videoDestination
        }
        return values
    }
}
