import DequeModule
import HTTPTransfer
import StreamPlaylists

/// The contents of recently fetched segments, as the server sent them, so that seeking back needs no request. Used by
/// the reading thread.
final class SegmentStore {
    /// The identity of a segment's content.
    private struct Key: Hashable {
        let address: PlaylistAddress
        let range: ByteRange?

        init(_ segment: MediaSegment) { (address, range) = (segment.address, segment.byteRange) }
    }

    private var contents: [Key: [UInt8]] = [:]
    /// The keys of ``contents`` in order of use, the most recently used last.
    private var keysByUse: Deque<Key> = []
    /// The total size of the kept contents in bytes.
    private(set) var byteCount = 0
    /// The limit of the kept contents in bytes that the item's configuration sets.
    private let configuredLimit: Int
    /// The current limit of the kept contents in bytes. ``setLimit(_:)`` can lower it below ``configuredLimit``, but
    /// never raises it above.
    private(set) var limit: Int

    /// The default limit of the kept contents, in bytes.
    static let defaultLimit = 24 << 20

    init(limit: Int = SegmentStore.defaultLimit) {
        configuredLimit = max(limit, 0)
        self.limit = configuredLimit
    }

    /// Changes the limit of the kept contents, and drops the contents that were not used for longest. The configured
    /// limit stays the upper bound.
    ///
    /// - Returns: The dropped contents, whose memory is not released yet; nil if none were dropped.
    @discardableResult
    func setLimit(_ newLimit: Int) -> DroppedBytes? {
        limit = min(max(newLimit, 0), configuredLimit)
        let droppedContents = dropLeastRecentlyUsed()
        return droppedContents.isEmpty ? nil : DroppedBytes(droppedContents)
    }

    /// The maximum size of one kept segment in bytes.
    var segmentLimit: Int { limit / 2 }

    /// Whether the content of a segment is kept.
    func contains(_ segment: MediaSegment) -> Bool { contents[Key(segment)] != nil }

    /// Returns the kept content of a segment; nil if it is not kept.
    func content(of segment: MediaSegment) -> [UInt8]? {
        let key = Key(segment)
        guard let content = contents[key] else { return nil }
        keysByUse.removeAll { $0 == key }
        keysByUse.append(key)
        return content
    }

    /// Drops the contents of all segments except `segments`, for example after a live stream has removed segments.
    func keepOnly(_ segments: some Sequence<MediaSegment>) {
        guard byteCount > 0 else { return }
        let keptKeys = Set(segments.map(Key.init))
        keysByUse.removeAll { key in
            guard !keptKeys.contains(key) else { return false }
            byteCount -= contents.removeValue(forKey: key)?.count ?? 0
            return true
        }
    }

    /// Keeps the content of a segment, and drops the least recently used contents beyond the limit.
    func insert(_ content: [UInt8], of segment: MediaSegment) {
        let key = Key(segment)
        guard content.count <= segmentLimit, contents[key] == nil else { return }
        contents[key] = content
        keysByUse.append(key)
        byteCount += content.count
        _ = dropLeastRecentlyUsed()
    }

    /// Drops the least recently used contents above the limit, and returns them.
    private func dropLeastRecentlyUsed() -> [[UInt8]] {
        var droppedContents: [[UInt8]] = []
        while byteCount > limit, let oldestKey = keysByUse.popFirst() {
            guard let content = contents.removeValue(forKey: oldestKey) else { continue }
            byteCount -= content.count
            droppedContents.append(content)
        }
        return droppedContents
    }
}
