import MediaPipeline
import SharedFrames

/// The requirements for the video decoder, which follow the size on the screen and the rate.
extension PlaybackLoop {
    /// The largest rate at which one thread may decode. Above it, all threads decode.
    private static let singleThreadRateLimit: Float = 1.5

    /// Sends the current item's source the requirements for the video decoder, if they have changed.
    func updateDecodingDemand() {
        guard let currentItem, currentItem.info != nil else { return }
        let demand = decodingDemand(of: currentItem)
        guard demand != sentDemands.decoding else { return }
        sentDemands.decoding = demand
        currentItem.source.setDecodingDemand(demand)
        replaceReducedPicture(of: currentItem, demand)
    }

    /// Decodes the visible frame again while playback is paused, if it was reduced to a smaller size than is needed
    /// now.
    private func replaceReducedPicture(of item: PlayingItem, _ demand: DecodingDemand) {
        guard rate == 0, item.phase == .ready || item.phase == .playing,
            !item.stateSinceSeek.hasReportedEnd, seekState.runningSeek == nil, seekState.queuedSeek == nil,
            let frame = item.video.lastFrame, frame.format.attributes.reduction != nil
        else { return }
        let visibleSize = frame.format.visibleSamples.size
        if let size = demand.shownSize.map({ frame.format.attributes.orientation.rotated($0) }),
            size.width <= visibleSize.width, size.height <= visibleSize.height
        {
            return
        }
        begin(SeekCommand(time: frame.presentationTime))
    }

    /// Returns the requirements for the decoder of an item's video. A program that takes the frames itself receives
    /// them as the standards require.
    private func decodingDemand(of item: PlayingItem) -> DecodingDemand {
        var demand = DecodingDemand()
        if core.configuration.isUntimed { return demand }
        demand.savesThreads = rate <= Self.singleThreadRateLimit
        if core.configuration.frameTap == nil, item.outputs.isEmpty, let router = layer?.router {
            demand.loopFiltering = router.neededLoopFiltering
            // A paused picture and a screenshot are decoded again, which streams and standard input do not permit.
            if item.isLocalFile, item.info?.isSeekable == true, pictureTransform == PictureTransform() {
                demand.shownSize = router.floatingWindowSize
            }
        }
        return demand
    }
}
