/// The bytes that wait to be sent to a client.
struct OutputBuffer {
    private var bytes: [UInt8] = []
    private var sent = 0

    var count: Int { bytes.count - sent }
    var isEmpty: Bool { count == 0 }

    /// Calls `write` on the calling thread to append bytes.
    mutating func append(_ write: (inout [UInt8]) -> Void) { write(&bytes) }

    /// Passes the pending bytes to `send`, which returns how many of them it sent. Calls it on the calling thread.
    mutating func drain(_ send: (UnsafeRawBufferPointer) -> Int) {
        let from = sent
        sent += bytes.withUnsafeBytes { send(UnsafeRawBufferPointer(rebasing: $0[from...])) }
        // Compact only when more than half was sent: the cost of moving the rest stays below the bytes sent.
        if sent > bytes.count / 2 {
            bytes.removeFirst(sent)
            sent = 0
        }
    }
}
