import TransferPolicy

/// The times of a transfer's reports about its progress, in nanoseconds of host time.
struct ReportPace {
    /// The minimum time between two reports.
    static let interval: Int64 = 100_000_000

    /// The time of the last report.
    private var lastReport: Int64
    /// The length of the part file at the last report.
    private var reportedLength: Int64
    /// The time of the last synchronisation.
    private var lastSynchronization: Int64
    /// The length of the part file at the last synchronisation.
    private var synchronizedLength: Int64
    /// The length of the part file when writeback was last started.
    private var writebackLength: Int64
    /// Whether a synchronisation is running.
    var isSynchronizing = false

    /// Begins at the start of a transfer.
    init(now: Int64, length: Int64) {
        (lastReport, lastSynchronization) = (now, now)
        (reportedLength, synchronizedLength, writebackLength) = (length, length, length)
    }

    /// Returns whether progress is reported now.
    mutating func isReportDue(now: Int64) -> Bool {
        guard now - lastReport >= Self.interval else { return false }
        lastReport = now
        return true
    }

    /// Returns the time of the next report about the part file if no further bytes arrive; nil if its length is known.
    func nextReport(length: Int64) -> Int64? { length > reportedLength ? lastReport + Self.interval : nil }

    /// Records that the length of the part file was reported.
    mutating func recordReport(length: Int64) { reportedLength = length }

    /// Returns whether the part file is synchronised now.
    func isSynchronizationDue(length: Int64, now: Int64) -> Bool {
        !isSynchronizing
            && CheckpointPolicy.isDue(
                newBytes: length - synchronizedLength, elapsed: .nanoseconds(now - lastSynchronization))
    }

    /// Returns the time of the next synchronisation if no further bytes arrive; nil if there is nothing to synchronise.
    func nextSynchronization(length: Int64) -> Int64? {
        guard !isSynchronizing, length > synchronizedLength else { return nil }
        return lastSynchronization + Int64(CheckpointPolicy.longestInterval / .nanoseconds(1))
    }

    /// Records that a synchronisation begins.
    mutating func startSynchronization(length: Int64, now: Int64) {
        (isSynchronizing, lastSynchronization) = (true, now)
        (synchronizedLength, writebackLength) = (length, length)
    }

    /// Returns whether the disk starts to write the part file now.
    func isWritebackDue(length: Int64) -> Bool { length - writebackLength >= CheckpointPolicy.byteInterval }

    /// Records that the disk starts to write the part file.
    mutating func startWriteback(length: Int64) { writebackLength = length }

    /// Records that content was discarded.
    mutating func truncate(to length: Int64) {
        synchronizedLength = min(synchronizedLength, length)
        writebackLength = min(writebackLength, length)
        reportedLength = min(reportedLength, length)
    }
}
