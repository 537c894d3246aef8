/// A cache of the pictures that were used last, with a limit. A pure value.
struct PreviewCache<Picture: Sendable>: Sendable {
    let limit: Int
    private var pictures: [Int: Picture] = [:]
    /// The keys, the one that was used last at the end.
    private var order: [Int] = []

    init(limit: Int) { self.limit = max(1, limit) }

    var count: Int { pictures.count }

    mutating func picture(at key: Int) -> Picture? {
        guard let picture = pictures[key] else { return nil }
        touch(key)
        return picture
    }

    mutating func keep(_ picture: Picture, at key: Int) {
        pictures[key] = picture
        touch(key)
        if order.count > limit { pictures[order.removeFirst()] = nil }
    }

    mutating func clear() {
        pictures = [:]
        order = []
    }

    /// The limit is small, so a linear search is fast enough.
    private mutating func touch(_ key: Int) {
        order.removeAll { $0 == key }
        order.append(key)
    }
}
