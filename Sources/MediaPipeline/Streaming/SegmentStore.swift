import DequeModule

/// The contents of the segments that were fetched last, as the server sent them: a seek back needs no request. Used by
/// the reading thread.
final class SegmentStore {
    /// What identifies the content of a segment.
    private struct Key: Hashable {
        let address: PlaylistAddress
        let range: ByteRange?

        init(_ segment: MediaSegment) { (address, range) = (segment.address, segment.byteRange) }
    }

    private var contents: [Key: [UInt8]] = [:]
    /// The keys of ``contents``, the segment that was fetched or used last at the end.
    private var order: Deque<Key> = []
    /// The number of kept bytes.
    private(set) var count = 0
    /// The limit of ``count`` while segments are kept.
    private let limit: Int
    /// Whether segments are kept; if not, all are dropped.
    var isEnabled = true {
        didSet { if !isEnabled, count > 0 { (contents, order, count) = ([:], [], 0) } }
    }

    /// The default limit of kept bytes.
    static let defaultLimit = 24 << 20

    init(limit: Int = SegmentStore.defaultLimit) { self.limit = max(limit, 0) }

    /// The size of the largest segment that is kept, in bytes.
    var segmentLimit: Int { isEnabled ? limit / 2 : 0 }

    /// Whether the content of a segment is kept.
    func contains(_ segment: MediaSegment) -> Bool { contents[Key(segment)] != nil }

    /// Returns the kept content of a segment; nil if it is not kept.
    func content(of segment: MediaSegment) -> [UInt8]? {
        let key = Key(segment)
        guard let content = contents[key] else { return nil }
        order.removeAll { $0 == key }
        order.append(key)
        return content
    }

    /// Drops the contents of all segments but `segments`, as when a live stream has removed the others.
    func keepOnly(_ segments: some Sequence<MediaSegment>) {
        guard count > 0 else { return }
        let kept = Set(segments.map(Key.init))
        order.removeAll { key in
            guard !kept.contains(key) else { return false }
            count -= contents.removeValue(forKey: key)?.count ?? 0
            return true
        }
    }

    /// Keeps the content of a segment, and drops those that were not used for longest.
    func insert(_ content: [UInt8], of segment: MediaSegment) {
        let key = Key(segment)
        guard isEnabled, content.count <= segmentLimit, contents[key] == nil else { return }
        contents[key] = content
        order.append(key)
        count += content.count
        while count > limit, let oldest = order.popFirst() {
            count -= contents.removeValue(forKey: oldest)?.count ?? 0
        }
    }
}
