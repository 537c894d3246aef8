import DequeModule

/// Pictures in decoding order that wait until all those that are shown before them have arrived. A pure structure.
///
/// A picture may be decoded before others that are shown earlier. If a segment breaks off between them, another variant
/// continues from the last delivered picture: without this buffer, the earlier ones would be lost.
struct ReorderBuffer<Picture> {
    /// The number of pictures that wait at most: the largest reordering of H.264 and H.265.
    static var limit: Int { 16 }

    private var waiting: Deque<(picture: Picture, time: Int64)> = []
    /// The largest decoding time that was added; decoding times rise, and no picture is shown before it is decoded.
    private var latestDecodingTime = Int64.min

    /// Adds a picture.
    ///
    /// - Parameters:
    ///   - time: When it is shown, in nanoseconds; nil if unknown, which releases it and those before it.
    ///   - decodingTime: When it is decoded, in nanoseconds; nil if unknown.
    mutating func add(_ picture: Picture, time: Int64?, decodingTime: Int64?) {
        waiting.append((picture, time ?? .min))
        latestDecodingTime = time == nil ? .max : max(latestDecodingTime, decodingTime ?? .max)
    }

    /// Removes and returns the pictures before which no other can arrive.
    mutating func takeReady() -> [Picture] {
        var result: [Picture] = []
        while let first = waiting.first, first.time <= latestDecodingTime || waiting.count > Self.limit {
            waiting.removeFirst()
            result.append(first.picture)
        }
        return result
    }

    /// Removes and returns all pictures, at the end of a segment.
    mutating func takeAll() -> [Picture] {
        defer { waiting = [] }
        return waiting.map(\.picture)
    }
}
