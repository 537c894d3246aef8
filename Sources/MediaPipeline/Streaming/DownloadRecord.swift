import HTTPTransfer

/// The record of an item's downloads, divided into runs (``DownloadRun``) at seeks and variant changes. A pure value;
/// times are host times in nanoseconds.
struct DownloadRecord: Sendable {
    /// The maximum number of kept runs; the oldest runs are removed.
    static let runLimit = 1000
    /// The maximum number of hosts whose IP addresses are kept.
    private static let hostLimit = 64
    /// The transfer time between two samples of a file's bit rate, in nanoseconds.
    private static let sampleInterval: Int64 = 1_000_000_000

    /// The runs in order of time; never empty. The last run is the current one.
    private(set) var runs = [DownloadRun(number: 0, start: 0)]
    /// The number of running transfers that are not paused.
    private var activeTransferCount = 0
    /// The host time, in nanoseconds, up to which the current run's ``DownloadRun/transferTime`` is counted.
    private var countedUntil: Int64 = 0
    /// The last IP address of each host.
    private var serverAddresses: [String: String] = [:]
    /// Whether the item is a stream of segments.
    private var isStream = false
    /// The bytes of a file that were received since its bit rate was last sampled, and their transfer time.
    private var sample = MediaAmount()

    /// The current run of downloads.
    private var currentRun: DownloadRun {
        get { runs[runs.count - 1] }
        set { runs[runs.count - 1] = newValue }
    }

    /// Returns all runs, with the transfer time counted up to the host time `now`.
    func runs(at now: Int64) -> [DownloadRun] {
        var copy = self
        copy.countTime(until: now)
        return copy.runs
    }

    // MARK: Runs

    /// Starts a run because of a seek to `time` on the item's timeline.
    mutating func seek(to time: Int64, at now: Int64) {
        append(DownloadRun(number: currentRun.number + 1, start: time), now)
    }

    /// Records the variant of the next segment, which starts at `start` on the item's timeline.
    ///
    /// - Parameters:
    ///   - address: The address of the variant's playlist; nil for a stream without variants.
    ///   - expectedBitRate: The expected throughput of the network link in bits per second.
    /// - Returns: Whether the variant has changed, so that a new run has started.
    mutating func requestSegment(
        of variant: StreamStatus.Variant?, _ address: String?, from start: Int64, expectedBitRate: Double,
        at now: Int64
    ) -> Bool {
        guard let variant else { return false }
        if let currentVariant = currentRun.variant {
            guard currentVariant.index != variant.index else { return false }
            var newRun = DownloadRun(number: currentRun.number + 1, start: start)
            (newRun.isVariantChange, newRun.expectedBitRate) = (true, expectedBitRate)
            (newRun.variant, newRun.address) = (variant, address)
            append(newRun, now)
            return true
        }
        (currentRun.variant, currentRun.address) = (variant, address)
        return false
    }

    /// Appends a run, which becomes the current run.
    private mutating func append(_ run: DownloadRun, _ now: Int64) {
        countTime(until: now)
        var run = run
        run.serverAddress = currentRun.serverAddress
        runs.append(run)
        if runs.count > Self.runLimit { runs.removeFirst() }
    }

    // MARK: Downloads

    /// Records that the resource at the item's address is a playlist, not media.
    mutating func markRootAsPlaylist() {
        isStream = true
        currentRun.mediaRequestCount = max(0, currentRun.mediaRequestCount - 1)
        (currentRun.rates, sample) = (RateStatistics(), MediaAmount())
    }

    /// Records the end of a segment's download.
    mutating func add(_ segment: SegmentDownload) {
        let time = max(1, segment.sample.latency + segment.sample.transferTime)
        if time > segment.sample.mediaDuration || !segment.isComplete { currentRun.overdueCount += 1 }
        guard segment.isComplete else { return }
        currentRun.totalSegmentDuration += segment.sample.mediaDuration
        currentRun.rates.add(Double(segment.sample.bytes) * 8e9 / Double(time))
        switch segment.content {
        case .main: currentRun.main.add(segment.sample.bytes, duration: segment.sample.mediaDuration)
        case .audio: currentRun.audio.add(segment.sample.bytes, duration: segment.sample.mediaDuration)
        case .other: break
        }
    }

    /// Updates the current run after an event of a transfer.
    mutating func handle(_ event: TransferEvent, at now: Int64) {
        countTime(until: now)
        switch event {
        case .began(let isMedia):
            activeTransferCount += 1
            if isMedia { currentRun.mediaRequestCount += 1 }
        case .responded(let host, let address): recordServerAddress(address, of: host)
        case .received(let count):
            currentRun.byteCount += Int64(count)
            if !isStream { addSample(count) }
        case .paused: activeTransferCount -= 1
        case .resumed: activeTransferCount += 1
        case .ended(let wasPaused, let uncountedBytes, _):
            if !wasPaused { activeTransferCount -= 1 }
            currentRun.byteCount += uncountedBytes
        }
    }

    /// Records the IP address from which a host responded.
    private mutating func recordServerAddress(_ address: String, of host: String) {
        guard !address.isEmpty else { return }
        if let previousAddress = serverAddresses[host], previousAddress != address {
            currentRun.serverAddressChangeCount += 1
        }
        if serverAddresses.count >= Self.hostLimit { serverAddresses = [:] }
        serverAddresses[host] = address
        currentRun.serverAddress = address
    }

    /// Adds the time since the last call to the current run's transfer time, if a transfer is active.
    private mutating func countTime(until now: Int64) {
        defer { countedUntil = now }
        guard activeTransferCount > 0, now > countedUntil else { return }
        currentRun.transferTime += now - countedUntil
        if !isStream { sample.add(0, duration: now - countedUntil) }
    }

    /// Adds received bytes of a file, and samples the file's bit rate once for each second of transfer.
    private mutating func addSample(_ count: Int) {
        sample.add(Int64(count), duration: 0)
        guard sample.duration >= Self.sampleInterval, let rate = sample.bitRate else { return }
        currentRun.rates.add(rate)
        sample = MediaAmount()
    }
}

/// The finished or abandoned download of one segment. Contains only values.
struct SegmentDownload: Sendable, Equatable {
    /// The kind of playlist to which a segment belongs.
    enum Content: Sendable {
        /// A segment of a variant.
        case main
        /// A segment of an audio rendition.
        case audio
        case other
    }

    var content: Content
    var sample: TransferSample
    /// Whether the whole segment was received; false if the download was abandoned for another variant.
    var isComplete = true
}
