import CFFmpeg

/// The reader's information about the tracks. A pure value.
struct ReaderTracks: Sendable {
    private(set) var kinds: [Int: MediaTrack.Kind] = [:]
    private(set) var formats: [Int: CodecParameters] = [:]
    private var covers: Set<Int> = []
    private var origin: Int64 = 0
    var played = PlayedTracks()

    init() {}

    init(_ contents: PacketSourceContents) {
        (formats, origin) = (contents.formats, contents.origin)
        for track in contents.info.tracks where formats[track.id] != nil {
            kinds[track.id] = track.kind
            if track.isAttachedPicture { covers.insert(track.id) }
        }
        played = PlayedTracks(video: contents.info.video?.streamIndex, audio: contents.info.audio?.streamIndex)
    }

    /// The played video track, unless it is a cover: a single picture for the whole audio track.
    var moving: Int? { played.video.flatMap { covers.contains($0) ? nil : $0 } }

    func isStill(_ track: Int) -> Bool { track == played.video && covers.contains(track) }

    /// Returns a packet's presentation time, in nanoseconds on the item's timeline.
    func time(of packet: Packet) -> Int64? {
        formats[packet.track]?.timeBase.nanoseconds(packet.pointer.pointee.pts).map { $0 &- origin }
    }

    /// Returns a packet's decoding time, in nanoseconds on the source's clock.
    func decodingTime(of packet: Packet) -> Int64? {
        formats[packet.track]?.timeBase.nanoseconds(packet.pointer.pointee.dts)
    }
}
