extension Player {
    /// The statistics of frames and audio devices since the player was created.
    public var statistics: PlaybackStatistics {
        var statistics = core.snapshot.withLock { snapshot in
            var statistics = snapshot.published.statistics
            statistics.handoffs = snapshot.handoffs
            return statistics
        }
        statistics.framesRepeated = core.currentLayer?.router.repeatedFrameCount ?? 0
        return statistics
    }

    /// Adds a finished move of the picture to or from Picture-in-Picture to ``statistics``.
    package func record(_ handoff: PlaybackStatistics.Handoff) {
        core.snapshot.withLock { $0.handoffs.append(handoff) }
    }
}
