/// A splitter of received bytes into lines. A line may arrive in any number of pieces.
struct LineSplitter {
    private var bytes: [UInt8] = []
    /// The index at which the next line begins.
    private var start = 0
    /// The index up to which ``next()`` found no line feed.
    private var searched = 0
    private let limit: Int

    /// - Parameter limit: The largest size of a line, in bytes.
    init(limit: Int) { self.limit = limit }

    mutating func append(_ more: some Collection<UInt8>) {
        if start > 0 {
            bytes.removeFirst(start)
            searched -= start
            start = 0
        }
        bytes.append(contentsOf: more)
    }

    /// Returns the next complete line without its line feed; nil if no line is complete yet.
    mutating func next() -> ArraySlice<UInt8>? {
        guard let end = bytes[searched...].firstIndex(of: UInt8(ascii: "\n")) else {
            searched = bytes.endIndex
            return nil
        }
        defer {
            start = end + 1
            searched = start
        }
        return bytes[start..<end]
    }

    /// True when an incomplete line already exceeds the limit.
    var isOverlong: Bool { bytes.count - start > limit }
}
