/// A cache of a limited number of pictures, which discards the least recently used picture when it is full.
struct PreviewCache<Picture: Sendable>: Sendable {
    /// The maximum number of pictures in the cache.
    let maximumCount: Int
    /// The pictures by their keys.
    private var pictures: [Int: Picture] = [:]
    /// The keys of the pictures, from the least to the most recently used.
    private var keysByLastUse: [Int] = []

    init(maximumCount: Int) { self.maximumCount = max(1, maximumCount) }

    /// The number of pictures in the cache.
    var count: Int { pictures.count }

    /// Returns the picture with a key and records that it was used; nil if the picture is not in the cache.
    mutating func picture(at key: Int) -> Picture? {
        guard let picture = pictures[key] else { return nil }
        recordUse(key)
        return picture
    }

    /// Adds a picture. If the cache is full, discards the least recently used picture.
    mutating func store(_ picture: Picture, at key: Int) {
        pictures[key] = picture
        recordUse(key)
        if keysByLastUse.count > maximumCount { pictures[keysByLastUse.removeFirst()] = nil }
    }

    /// Discards all pictures.
    mutating func clear() {
        pictures = [:]
        keysByLastUse = []
    }

    /// Records that the picture with a key was used. The cache is small, so a linear search is fast enough.
    private mutating func recordUse(_ key: Int) {
        keysByLastUse.removeAll { $0 == key }
        keysByLastUse.append(key)
    }
}
