import MediaPipeline

/// The quality of decoding, which follows the size on the screen.
extension PlaybackLoop {
    /// Sends the current item's source which pictures the decoder smooths, if that has changed.
    func updateLoopFiltering() {
        guard let current, current.info != nil else { return }
        let filtering = neededLoopFiltering(of: current)
        guard filtering != sentDemands.loopFiltering else { return }
        sentDemands.loopFiltering = filtering
        current.source.setLoopFiltering(filtering)
    }

    /// Returns the smoothing that an item's pictures need. A program that takes the frames itself receives them as the
    /// standards require.
    private func neededLoopFiltering(of item: PlayingItem) -> LoopFiltering {
        guard !core.configuration.isUntimed, core.configuration.frameTap == nil, item.outputs.isEmpty,
            let router = layer?.router
        else { return .all }
        return router.neededLoopFiltering
    }
}
