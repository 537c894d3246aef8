/// The bytes that wait to be sent to a client.
struct OutputBuffer {
    /// The bytes of the output, of which the first ``sentCount`` were already sent.
    private var bytes: [UInt8] = []
    /// The number of sent bytes at the beginning of ``bytes``.
    private var sentCount = 0

    /// The number of bytes that wait to be sent.
    var count: Int { bytes.count - sentCount }
    var isEmpty: Bool { count == 0 }

    /// Calls `write`, on the calling thread, to append bytes to the output.
    mutating func append(_ write: (inout [UInt8]) -> Void) { write(&bytes) }

    /// Passes the bytes that wait to be sent to `send`, on the calling thread. `send` returns how many of them it has
    /// sent.
    mutating func drain(_ send: (UnsafeRawBufferPointer) -> Int) {
        let firstUnsentIndex = sentCount
        sentCount += bytes.withUnsafeBytes { send(UnsafeRawBufferPointer(rebasing: $0[firstUnsentIndex...])) }
        // Remove sent bytes only if they are more than half of the buffer, so that few unsent bytes are moved.
        if sentCount > bytes.count / 2 {
            bytes.removeFirst(sentCount)
            sentCount = 0
        }
    }
}
