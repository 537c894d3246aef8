import MediaPipeline

/// The downloads in the access log.
extension PlaybackLog {
    /// Updates the events with the downloads so far, and adds an event for each change of the variant during the
    /// current period of playback.
    ///
    /// - Parameter runs: All downloads of the source so far, in order. A run ends with a seek or a change of the
    ///   variant. Empty for a local file.
    /// - Returns: The number of new events.
    mutating func update(_ runs: [DownloadRun]) -> Int {
        guard let first = runs.first else { return 0 }
        var counted = -1
        for index in entries.indices where entries[index].source == sourceNumber {
            guard let numbers = entries[index].downloadRunNumbers else { continue }
            counted = max(counted, numbers.upperBound)
            let offsets = numbers.lowerBound - first.number...numbers.upperBound - first.number
            guard offsets.lowerBound >= 0, offsets.upperBound < runs.count else { continue }
            entries[index].event.set(runs[offsets].dropFirst().reduce(into: runs[offsets.lowerBound]) { $0.add($1) })
        }
        uncountedDownloads = runs.filter { $0.number > counted }
        return currentPeriodEntryCount > 0 ? addPendingEvents() : 0
    }

    /// Adds an access log event for each run of downloads that no event counts yet, and returns the number of new
    /// events.
    mutating func addPendingEvents() -> Int {
        let count = uncountedDownloads.count
        for run in uncountedDownloads { add([run], at: run.start) }
        uncountedDownloads = []
        return count
    }
}

extension AccessLog.Event {
    /// Sets the event's fields about downloads from a run of downloads.
    mutating func set(_ run: DownloadRun) {
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
        if let average = run.variant?.averageBandwidth { indicatedAverageBitrate = Double(average) }
        averageVideoBitrate = run.main.bitRate ?? -1
        averageAudioBitrate = run.audio.bitRate ?? -1
        switchBitrate = run.expectedBitRate ?? -1
    }
}
