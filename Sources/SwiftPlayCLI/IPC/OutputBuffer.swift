/// What a client has yet to be sent.
struct OutputBuffer {
    private var bytes: [UInt8] = []
    private var sent = 0

    var count: Int { bytes.count - sent }
    var isEmpty: Bool { count == 0 }

    /// Adds at the end.
    mutating func append(_ write: (inout [UInt8]) -> Void) { write(&bytes) }

    /// Offers what is there to `send`, which says how much of it went out.
    mutating func drain(_ send: (UnsafeRawBufferPointer) -> Int) {
        let from = sent
        sent += bytes.withUnsafeBytes { send(UnsafeRawBufferPointer(rebasing: $0[from...])) }
        // Moving the rest down costs as much as was sent since the last time.
        if sent > bytes.count / 2 {
            bytes.removeFirst(sent)
            sent = 0
        }
    }
}
