import CFFmpeg
import SystemCalls
import TestSupport

@testable import MediaPipeline

/// A test implementation of ``PacketSource`` with packets in memory, and other items that a test inserts.
///
/// `@unchecked Sendable`: after the start, all variables except the two signals belong to the reading thread.
final class InMemoryPacketSource: PacketSource, @unchecked Sendable {
    var contents: PacketSourceContents
    var items: [PacketSourceItem]
    /// Whether reading blocks after the last item until it is cancelled, instead of ending.
    var neverEnds = false
    /// Whether reading blocks after the last item until ``letGo()`` and cannot be cancelled, as with a file system that
    /// hangs.
    var hangs = false
    /// Whether the search for a later keyframe blocks until it is cancelled.
    var searchesForEver = false
    private var position = 0
    private let signals = Monitor(Signals())
    let calls = Monitor(Calls())

    private struct Signals {
        var isInterrupted = false
        var seekIsPending = false
        var mayReturn = false
    }

    struct Calls: Sendable, Equatable {
        var selected: PlayedTracks?
        var seeks: [Int64] = []
        var searches = 0
        var hangs = 0
        var isClosed = false
    }

    init(_ contents: PacketSourceContents, _ items: [PacketSourceItem]) {
        (self.contents, self.items) = (contents, items)
    }

    /// Creates a source with all packets of a fixture's container.
    convenience init(fixture name: String, audio: Bool = false) throws {
        var choice = TrackChoice()
        if !audio { choice.picks.audio = .off }
        let source = ContainerSource(
            try Fixtures.path(name), choice, readsOtherTracks: false, opener: try MediaOpener(policy: OpenPolicy()))
        defer { source.close() }
        let contents = try source.open()
        source.select(PlayedTracks(video: contents.info.video?.streamIndex, audio: contents.info.audio?.streamIndex))
        var items: [PacketSourceItem] = []
        reading: while true {
            switch try source.read() {
            case .end: break reading
            case let item: items.append(item)
            }
        }
        self.init(contents, items)
    }

    func open() throws(MediaError) -> PacketSourceContents {
        if signals.withLock({ $0.isInterrupted }) { throw MediaError(.interrupted, "was cancelled") }
        return contents
    }

    func select(_ tracks: PlayedTracks) { calls.update { $0.selected = tracks } }

    func read() throws(MediaError) -> PacketSourceItem {
        if signals.withLock({ $0.isInterrupted }) { throw MediaError(.interrupted, "was cancelled") }
        guard position < items.count else {
            if hangs {
                calls.update { $0.hangs += 1 }
                _ = signals.wait { $0.mayReturn ? true : nil }
            }
            if neverEnds {
                _ = signals.wait { $0.isInterrupted ? true : nil }
                throw MediaError(.interrupted, "was cancelled")
            }
            return .end(length: nil, failure: nil)
        }
        defer { position += 1 }
        guard case .packet(let packet) = items[position] else { return items[position] }
        // The reader owns a returned packet, so return a copy that keeps the original for later reads.
        guard let copy = Packet(), av_packet_ref(copy.pointer, packet.pointer) >= 0 else {
            throw MediaError(.outOfMemory, "no memory for a packet")
        }
        return .packet(copy)
    }

    /// Seeks to the first packet of any track after the video packet that precedes the keyframe, because audio may be
    /// stored first.
    func seek(to time: Int64) throws(MediaError) {
        calls.update { $0.seeks.append(time) }
        var place = 0, afterVideo = 0
        let tracks = ReaderTracks(contents)
        for (index, item) in items.enumerated() {
            guard case .packet(let packet) = item, packet.track == tracks.moving else { continue }
            if packet.isKeyframe, let shown = tracks.time(of: packet), shown <= time { place = afterVideo }
            afterVideo = index + 1
        }
        position = place
    }

    func advanceToKeyframe(after time: Int64, upTo limit: Int64) throws(MediaError) -> KeyframeOutcome {
        calls.update { $0.searches += 1 }
        guard searchesForEver else { return .none }
        _ = signals.wait { $0.seekIsPending || $0.isInterrupted ? true : nil }
        throw MediaError(.interrupted, "was cancelled")
    }

    func earlierSubtitle(of track: Int, before time: Int64) -> SubtitleStart? { nil }

    func close() { calls.update { $0.isClosed = true } }

    func interrupt() { signals.update { $0.isInterrupted = true } }

    /// Lets a hanging call return.
    func letGo() { signals.update { $0.mayReturn = true } }

    func setSeekIsPending(_ isPending: Bool) { signals.update { $0.seekIsPending = isPending } }
}
