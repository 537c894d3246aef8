/// The measurement of one download, or of the part of it that has arrived so far. Times are in nanoseconds.
///
/// If several downloads share the link at the same time, a sample covers all of them: it counts their bytes together.
package struct TransferSample: Sendable, Equatable {
    /// The number of bytes that have arrived.
    package var bytes: Int64
    /// The time from the request to the first byte, in nanoseconds.
    package var latency: Int64
    /// The time from the first byte to the last byte, in nanoseconds.
    package var transferTime: Int64
    /// The play time of the whole segment, in nanoseconds; 0 if the download is not a segment.
    package var mediaDuration: Int64

    package init(bytes: Int64, latency: Int64, transferTime: Int64, mediaDuration: Int64) {
        self.bytes = bytes
        self.latency = latency
        self.transferTime = transferTime
        self.mediaDuration = mediaDuration
    }
}
