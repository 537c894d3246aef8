import MediaPipeline

extension PlayerItem {
    /// Sets the subtitle files that the source opens.
    func configureSubtitles(_ configuration: inout MediaSourceConfiguration) {
        selection.withLock { state in
            configuration.subtitleFiles = state.files + state.newFiles.map(\.path)
            state.newFiles = []
            configuration.subtitleSearch = state.search
        }
    }
}
