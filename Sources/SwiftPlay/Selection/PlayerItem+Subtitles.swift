import MediaPipeline

extension PlayerItem {
    /// Passes the item's subtitle files to the configuration of its source.
    func configureSubtitles(_ configuration: inout MediaSourceConfiguration) {
        selection.withLock { state in
            configuration.subtitleFiles = state.subtitleFiles + state.newSubtitleFiles.map(\.path)
            state.newSubtitleFiles = []
            configuration.subtitleSearch = state.subtitleSearch
        }
    }
}
