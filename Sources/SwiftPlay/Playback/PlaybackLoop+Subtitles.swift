import MediaPipeline

/// The subtitles of the current item.
extension PlaybackLoop {
    /// Shows the subtitles of a track in a layer; nil for none.
    func showSubtitles(_ track: Int?, layer: SubtitleLayer) {
        guard let item = currentItem else { return }
        do {
            if let subtitles = item.subtitles { return try subtitles.select(track, layer: layer) }
            guard track != nil else { return }
            let core = core
            let subtitles = ItemSubtitles(
                source: item.source, style: core.snapshot.withLock { $0.settings.selection.subtitleStyle }
            ) { [weak core] in
                core?.currentLayer?.router.refreshOverlay()
            }
            currentItem?.subtitles = subtitles
            item.updateItemSelection { $0.subtitles = subtitles }
            core.currentLayer?.router.setOverlays(subtitles)
            try subtitles.select(track, layer: layer)
        } catch { core.notify(.warning("no subtitles: \(error)")) }
    }

    /// Shows the secondary subtitles that the program has selected, if they are not the primary ones.
    ///
    /// - Returns: Whether their track has changed.
    func changeSecondarySubtitles(of item: PlayingItem, primary: Int?) -> Bool {
        let (tracks, selection, playingTrack) = item.playerItem.selection.withLock { state in
            (state.tracks, state.secondarySubtitles, state.playingSecondarySubtitles)
        }
        var choice = TrackChoice()
        // Languages select only the primary subtitles.
        choice.selections.subtitle = selection == .automatic ? .off : selection
        let chosenTrack = choice.choose(.subtitle, among: tracks)?.id
        let track = chosenTrack == primary ? nil : chosenTrack
        guard track != playingTrack else { return false }
        showSubtitles(track, layer: .secondary)
        item.updateItemSelection { $0.playingSecondarySubtitles = track }
        return true
    }
}
