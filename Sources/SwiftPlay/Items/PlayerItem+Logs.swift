import MediaPipeline
import SystemCalls

extension PlayerItem {
    /// Returns the access log (AVPlayerItem.accessLog()); nil before playback has started. The last event may not have
    /// ended yet; then its numbers are those of this moment.
    public func accessLog() -> AccessLog? {
        var (log, source) = state.withLock { ($0.log, $0.source) }
        let now = MonotonicTime.now
        if let player {
            log.advance(to: player.itemTime(at: now), droppedFrameCount: player.droppedFrameCount, now: now)
        }
        if let source {
            _ = log.update(source.downloads)
            if let byteCount = source.localByteCount { log.setByteCount(byteCount) }
        }
        let events = log.entries.map(\.event)
        return events.isEmpty ? nil : AccessLog(events: events)
    }

    /// Returns the error log (AVPlayerItem.errorLog()); nil if there was no error or warning.
    public func errorLog() -> ErrorLog? {
        let errors = state.withLock { $0.log.errors }
        return errors.isEmpty ? nil : ErrorLog(events: errors)
    }
}

extension MediaSource {
    /// The number of bytes that were read of a local file; nil for an item from the network.
    var localByteCount: Int64? {
        let buffering = buffering
        return buffering.isRemote ? nil : buffering.bytesRead
    }
}
