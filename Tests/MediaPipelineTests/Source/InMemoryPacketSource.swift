import CFFmpeg
import SystemCalls
import TestSupport

@testable import MediaPipeline

/// A packet source for tests, which returns packets from memory and other items that a test inserts.
///
/// `@unchecked Sendable`: after the start, only the reading thread uses the variables. Other threads use only
/// `requests` and `calls`, which are monitors.
final class InMemoryPacketSource: PacketSource, @unchecked Sendable {
    var contents: PacketSourceContents
    /// The items that ``read()`` returns, in order.
    var items: [PacketSourceItem]
    /// Whether reading blocks after the last item until it is cancelled, instead of ending.
    var blocksAtEnd = false
    /// Whether reading blocks after the last item until ``finishHangingRead()`` and cannot be cancelled, as with a file
    /// system that hangs.
    var readHangsAtEnd = false
    /// Whether the search for a later keyframe blocks until it is cancelled.
    var searchBlocksUntilCancelled = false
    /// The index of the next item that ``read()`` returns.
    private var nextItemIndex = 0
    private let requests = Monitor(ReadingRequests())
    /// The record of the method calls that this packet source received.
    let calls = Monitor(Calls())

    /// The requests of other threads to the reading thread.
    private struct ReadingRequests {
        var isInterrupted = false
        var seekIsPending = false
        var mayHangingReadReturn = false
    }

    /// A record of the method calls that the packet source received.
    struct Calls: Sendable, Equatable {
        /// The tracks that the pipeline selected last.
        var selectedTracks: PlayedTracks?
        /// The target times of all seeks, in nanoseconds.
        var seekTimes: [Int64] = []
        /// The number of times that the pipeline searched for a later keyframe.
        var searchCount = 0
        /// The number of reads that blocked because of ``InMemoryPacketSource/readHangsAtEnd``.
        var hungReadCount = 0
        var isClosed = false
    }

    /// Creates a packet source that returns `items` one after the other.
    init(_ contents: PacketSourceContents, _ items: [PacketSourceItem]) {
        (self.contents, self.items) = (contents, items)
    }

    /// Creates a packet source with all video packets of a media file and, if `audio` is true, all its audio packets.
    convenience init(fixture name: String, audio: Bool = false) throws {
        var choice = TrackChoice()
        if !audio { choice.selections.audio = .off }
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
        if requests.withLock({ $0.isInterrupted }) { throw MediaError(.interrupted, "was cancelled") }
        return contents
    }

    func select(_ tracks: PlayedTracks) { calls.update { $0.selectedTracks = tracks } }

    func read() throws(MediaError) -> PacketSourceItem {
        if requests.withLock({ $0.isInterrupted }) { throw MediaError(.interrupted, "was cancelled") }
        guard nextItemIndex < items.count else {
            if readHangsAtEnd {
                calls.update { $0.hungReadCount += 1 }
                _ = requests.wait { $0.mayHangingReadReturn ? true : nil }
            }
            if blocksAtEnd {
                _ = requests.wait { $0.isInterrupted ? true : nil }
                throw MediaError(.interrupted, "was cancelled")
            }
            return .end(length: nil, failure: nil)
        }
        defer { nextItemIndex += 1 }
        guard case .packet(let packet) = items[nextItemIndex] else { return items[nextItemIndex] }
        // The reader owns a returned packet, so return a copy that keeps the original for later reads.
        guard let copy = Packet(), av_packet_ref(copy.pointer, packet.pointer) >= 0 else {
            throw MediaError(.outOfMemory, "no memory for a packet")
        }
        return .packet(copy)
    }

    /// Seeks to the packet after the last video packet before the sought keyframe. That packet may be an audio packet,
    /// because audio may be stored before the corresponding video.
    func seek(to time: Int64) throws(MediaError) {
        calls.update { $0.seekTimes.append(time) }
        var firstIndex = 0, indexAfterVideo = 0
        let tracks = ReaderTracks(contents)
        for (index, item) in items.enumerated() {
            guard case .packet(let packet) = item, packet.track == tracks.movingVideo else { continue }
            if packet.isKeyframe, let packetTime = tracks.time(of: packet), packetTime <= time {
                firstIndex = indexAfterVideo
            }
            indexAfterVideo = index + 1
        }
        nextItemIndex = firstIndex
    }

    func advanceToKeyframe(after time: Int64, upTo limit: Int64) throws(MediaError) -> KeyframeMoveResult {
        calls.update { $0.searchCount += 1 }
        guard searchBlocksUntilCancelled else { return .notFound }
        _ = requests.wait { $0.seekIsPending || $0.isInterrupted ? true : nil }
        throw MediaError(.interrupted, "was cancelled")
    }

    func earlierSubtitle(of track: Int, before time: Int64) -> SubtitleStart? { nil }

    func close() { calls.update { $0.isClosed = true } }

    func interrupt() { requests.update { $0.isInterrupted = true } }

    /// Lets a hanging ``read()`` return.
    func finishHangingRead() { requests.update { $0.mayHangingReadReturn = true } }

    func setSeekIsPending(_ isPending: Bool) { requests.update { $0.seekIsPending = isPending } }
}
