/// Cuts what arrives into lines, however it arrives.
struct LineSplitter {
    private var bytes: [UInt8] = []
    /// Where the next line begins.
    private var start = 0
    /// Up to where there is no line feed.
    private var searched = 0
    private let limit: Int

    /// - Parameter limit: the bytes a line may have.
    init(limit: Int) { self.limit = limit }

    mutating func append(_ more: some Collection<UInt8>) {
        if start > 0 {
            bytes.removeFirst(start)
            searched -= start
            start = 0
        }
        bytes.append(contentsOf: more)
    }

    /// The next whole line without its line feed; nil when there is none yet.
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

    /// True when the beginning of a line is longer than a line may be.
    var isOverlong: Bool { bytes.count - start > limit }
}
