/// Splits the bytes that a client sends into lines. A line may arrive in any number of pieces.
struct LineSplitter {
    /// The received bytes of lines that were not returned yet.
    private var bytes: [UInt8] = []
    /// The index at which the next line begins.
    private var lineStart = 0
    /// The index up to which ``nextLine()`` found no line feed.
    private var searchedEnd = 0
    /// The largest size of a line, in bytes.
    private let limit: Int

    /// Creates a splitter without bytes; `limit` is the largest size of a line, in bytes.
    init(limit: Int) { self.limit = limit }

    /// Adds received bytes to the bytes that were not returned yet.
    mutating func append(_ newBytes: some Collection<UInt8>) {
        if lineStart > 0 {
            bytes.removeFirst(lineStart)
            searchedEnd -= lineStart
            lineStart = 0
        }
        bytes.append(contentsOf: newBytes)
    }

    /// Returns the next complete line without its line feed; nil if no line is complete yet.
    mutating func nextLine() -> ArraySlice<UInt8>? {
        guard let end = bytes[searchedEnd...].firstIndex(of: UInt8(ascii: "\n")) else {
            searchedEnd = bytes.endIndex
            return nil
        }
        defer {
            lineStart = end + 1
            searchedEnd = lineStart
        }
        return bytes[lineStart..<end]
    }

    /// Whether the incomplete line at the end is already longer than the limit.
    var isOverlong: Bool { bytes.count - lineStart > limit }
}
