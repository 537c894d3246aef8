import CFFmpeg
import SystemCalls
import TestSupport

@testable import MediaPipeline

/// A second implementation of ``PacketSource``: packets in memory, and whatever a test puts between them.
///
/// `@unchecked Sendable`: all but the two signals belongs to the reading thread once the source has been started.
final class InMemoryPacketSource: PacketSource, @unchecked Sendable {
    var contents: PacketSourceContents
    var items: [PacketSourceItem]
    /// After the items: reading waits until it is called off, instead of ending.
    var neverEnds = false
    /// After the items: reading waits for ``letGo()`` and cannot be called off, as from a file system that hangs.
    var hangs = false
    /// The search for a later keyframe waits until it is called off.
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

    /// All that a fixture's container holds.
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
        if signals.withLock({ $0.isInterrupted }) { throw MediaError(.interrupted, "was called off") }
        return contents
    }

    func select(_ tracks: PlayedTracks) { calls.update { $0.selected = tracks } }

    func read() throws(MediaError) -> PacketSourceItem {
        if signals.withLock({ $0.isInterrupted }) { throw MediaError(.interrupted, "was called off") }
        guard position < items.count else {
            if hangs {
                calls.update { $0.hangs += 1 }
                _ = signals.wait { $0.mayReturn ? true : nil }
            }
            if neverEnds {
                _ = signals.wait { $0.isInterrupted ? true : nil }
                throw MediaError(.interrupted, "was called off")
            }
            return .end(length: nil, failure: nil)
        }
        defer { position += 1 }
        guard case .packet(let packet) = items[position] else { return items[position] }
        // The reader owns what it was given: the next round gives a copy.
        guard let copy = Packet(), av_packet_ref(copy.pointer, packet.pointer) >= 0 else {
            throw MediaError(.outOfMemory, "no memory for a packet")
        }
        return .packet(copy)
    }

    /// Goes to the first packet of any track that was stored since the last keyframe before the sought one: sound may
    /// come first.
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
        throw MediaError(.interrupted, "was called off")
    }

    func earlierSubtitle(of track: Int, before time: Int64) -> SubtitleStart? { nil }

    func close() { calls.update { $0.isClosed = true } }

    func interrupt() { signals.update { $0.isInterrupted = true } }

    /// Lets a call that hangs return.
    func letGo() { signals.update { $0.mayReturn = true } }

    func setSeekIsPending(_ isPending: Bool) { signals.update { $0.seekIsPending = isPending } }
}
