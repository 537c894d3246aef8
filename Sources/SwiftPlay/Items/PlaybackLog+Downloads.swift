import MediaPipeline

/// The fields of access log events that count downloads.
extension PlaybackLog {
    /// Updates the events with the downloads so far, and adds an event for each change of the variant during the
    /// current period of playback.
    ///
    /// - Parameter runs: All downloads of the source so far, in order, divided into runs: a seek or a change of the
    ///   variant ends a run. Empty for a local file.
    /// - Returns: The number of new events.
    mutating func update(_ runs: [DownloadRun]) -> Int {
        guard let firstRun = runs.first else { return 0 }
        var lastCountedRunNumber = -1
        for index in entries.indices where entries[index].sourceNumber == sourceNumber {
            guard let runNumbers = entries[index].downloadRunNumbers else { continue }
            lastCountedRunNumber = max(lastCountedRunNumber, runNumbers.upperBound)
            let runIndices = runNumbers.lowerBound - firstRun.number...runNumbers.upperBound - firstRun.number
            guard runIndices.lowerBound >= 0, runIndices.upperBound < runs.count else { continue }
            entries[index].event.setDownloads(
                runs[runIndices].dropFirst().reduce(into: runs[runIndices.lowerBound]) { $0.add($1) })
        }
        uncountedDownloads = runs.filter { $0.number > lastCountedRunNumber }
        return currentPeriodEntryCount > 0 ? addEventsForUncountedDownloads() : 0
    }

    /// Adds an access log event for each run of downloads that no event counts yet.
    ///
    /// - Returns: The number of new events.
    mutating func addEventsForUncountedDownloads() -> Int {
        let count = uncountedDownloads.count
        for run in uncountedDownloads { add([run], at: run.start) }
        uncountedDownloads = []
        return count
    }
}

extension AccessLog.Event {
    /// Sets the event's fields about downloads from a run: the downloads between two seeks or changes of the variant.
    mutating func setDownloads(_ run: DownloadRun) {
        uri = run.address ?? uri
        (serverAddress, numberOfServerAddressChanges) = (run.serverAddress, run.serverAddressChangeCount)
        (numberOfMediaRequests, numberOfBytesTransferred) = (run.mediaRequestCount, run.byteCount)
        (segmentsDownloadedDuration, downloadOverdue) = (Double(run.totalSegmentDuration) / 1e9, run.overdueCount)
        transferDuration = Double(run.transferTime) / 1e9
        if run.transferTime > 0 { observedBitrate = Double(run.byteCount) * 8 / transferDuration }
        if let deviation = run.rates.standardDeviation {
            (observedMinBitrate, observedMaxBitrate) = (run.rates.smallest, run.rates.largest)
            observedBitrateStandardDeviation = deviation
        }
        if let variant = run.variant, variant.bandwidth > 0 { indicatedBitrate = Double(variant.bandwidth) }
        if let averageBandwidth = run.variant?.averageBandwidth {
            indicatedAverageBitrate = Double(averageBandwidth)
        }
        averageVideoBitrate = run.main.bitRate ?? -1
        averageAudioBitrate = run.audio.bitRate ?? -1
        switchBitrate = run.expectedBitRate ?? -1
    }
}
