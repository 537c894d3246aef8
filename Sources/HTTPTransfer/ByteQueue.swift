import DequeModule

/// A queue of bytes in the order of their arrival. A pure data structure.
struct ByteQueue: Sendable {
    /// The queued bytes, in parts of up to ``partSize`` bytes.
    private var parts = Deque<[UInt8]>()
    /// The number of bytes at the start of the first part that were already removed.
    private var removedCount = 0
    /// The number of bytes in the queue.
    private(set) var count = 0

    /// The maximum size of a part in bytes.
    private static let partSize = 64 * 1024

    /// Appends a copy of the bytes.
    mutating func append(_ bytes: UnsafeRawBufferPointer) {
        var remainingBytes = bytes[...]
        count += remainingBytes.count
        while !remainingBytes.isEmpty {
            let freeCapacity = parts.last.map { Self.partSize - $0.count } ?? 0
            if freeCapacity <= 0 {
                var part: [UInt8] = []
                part.reserveCapacity(Self.partSize)
                parts.append(part)
                continue
            }
            let piece = remainingBytes.prefix(freeCapacity)
            parts[parts.count - 1].append(contentsOf: piece)
            remainingBytes = remainingBytes.dropFirst(piece.count)
        }
    }

    /// Removes up to `limit` bytes, at most one part, and returns them; empty if the queue is empty.
    mutating func takeFirst(_ limit: Int) -> [UInt8] {
        guard let firstPart = parts.first else { return [] }
        let length = min(limit, firstPart.count - removedCount)
        count -= length
        guard removedCount + length == firstPart.count else {
            defer { removedCount += length }
            return Array(firstPart[removedCount..<removedCount + length])
        }
        parts.removeFirst()
        defer { removedCount = 0 }
        return removedCount == 0 ? firstPart : Array(firstPart[removedCount...])
    }
}
