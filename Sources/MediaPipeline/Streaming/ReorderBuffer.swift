import DequeModule

/// A buffer of pictures in decoding order: each waits until all pictures that are shown before it have arrived. A pure
/// data structure.
///
/// A picture may be decoded before pictures that are shown earlier. If the download of a segment is aborted between
/// them, another variant continues after the last delivered picture; without this buffer, the pictures shown earlier
/// would be lost.
struct ReorderBuffer<Picture> {
    /// The maximum number of waiting pictures: the largest reordering that H.264 and H.265 allow.
    static var limit: Int { 16 }

    /// The waiting pictures, in decoding order.
    private var queue: Deque<(picture: Picture, time: Int64)> = []
    /// The largest decoding time added so far, in nanoseconds. Decoding times increase, and no picture is shown before
    /// it is decoded.
    private var latestDecodingTime = Int64.min

    /// Adds a picture in decoding order.
    ///
    /// - Parameters:
    ///   - time: The presentation time in nanoseconds; nil if it is unknown, which releases this picture and all
    ///     waiting pictures.
    ///   - decodingTime: The decoding time in nanoseconds; nil if it is unknown.
    mutating func add(_ picture: Picture, time: Int64?, decodingTime: Int64?) {
        queue.append((picture, time ?? .min))
        latestDecodingTime = time == nil ? .max : max(latestDecodingTime, decodingTime ?? .max)
    }

    /// Removes and returns the pictures before which no other picture can be shown.
    mutating func takeReady() -> [Picture] {
        var result: [Picture] = []
        while let firstPicture = queue.first, firstPicture.time <= latestDecodingTime || queue.count > Self.limit {
            queue.removeFirst()
            result.append(firstPicture.picture)
        }
        return result
    }

    /// Removes and returns all waiting pictures, for use at the end of a segment.
    mutating func takeAll() -> [Picture] {
        defer { queue = [] }
        return queue.map(\.picture)
    }
}
