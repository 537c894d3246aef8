import HTTPTransfer
import SystemCalls

/// The record of an item's downloads, which the network thread and the reading thread write and any thread reads.
package final class DownloadLog: TransferObserver {
    /// The connection to the player.
    private struct Reporter {
        /// Reports an event to the player. Set once, before the item is opened.
        var report: (@Sendable (MediaEvent) -> Void)?
    }

    private let record = Monitor(DownloadRecord())
    private let reporter = Monitor(Reporter())

    /// Sets the function that reports events to the player. The function must not wait.
    func setReporter(_ report: @escaping @Sendable (MediaEvent) -> Void) { reporter.withLock { $0.report = report } }

    /// The item's downloads so far.
    var runs: [DownloadRun] {
        let now = MonotonicTime.now
        return record.withLock { $0 }.runs(at: now)
    }

    package func handle(_ event: TransferEvent, at now: Int64) {
        record.withLock { $0.handle(event, at: now) }
        if case .ended(_, _, let failure?) = event { report(.requestFailed(failure)) }
    }

    /// Records that the resource at the item's address is a playlist, not media.
    func markRootAsPlaylist() { record.withLock { $0.markRootAsPlaylist() } }

    /// Records a seek to `time`, in nanoseconds on the item's timeline.
    func seek(to time: Int64) {
        let now = MonotonicTime.now
        record.withLock { $0.seek(to: time, at: now) }
    }

    /// Records the variant of the segment that is requested now, and notifies the player if the variant has changed.
    ///
    /// - Parameters:
    ///   - address: The address of the variant's playlist.
    ///   - start: The start of the segment on the item's timeline, in nanoseconds.
    ///   - expectedBitRate: The expected throughput of the network link in bits per second.
    func requestSegment(
        of variant: StreamStatus.Variant?, _ address: String?, from start: Int64, expectedBitRate: Double
    ) {
        let now = MonotonicTime.now
        let hasChanged = record.withLock {
            $0.requestSegment(of: variant, address, from: start, expectedBitRate: expectedBitRate, at: now)
        }
        if hasChanged { report(.variantChanged) }
    }

    /// Records the end of a segment's download.
    func add(_ segment: SegmentDownload) { record.withLock { $0.add(segment) } }

    private func report(_ event: MediaEvent) { reporter.withLock { $0.report }?(event) }
}

extension PlaylistFetcher {
    /// The record of the item's downloads; nil if they are not recorded.
    var downloads: DownloadLog? { options.observation?.observer as? DownloadLog }
}

extension RenditionReader {
    /// Records the variant of the segment that is requested next. The segment starts at `start`, in nanoseconds on the
    /// item's timeline.
    func recordRequest(_ ladder: StreamLadder, from start: Int64, _ downloads: DownloadLog?) {
        let status = ladder.status
        downloads?.requestSegment(
            of: status.variants.indices.contains(variant) ? status.variants[variant] : nil,
            ladder.variant(variant)?.address.url, from: start, expectedBitRate: status.bitsPerSecond)
    }
}
