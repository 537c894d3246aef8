import CFFmpeg

/// The information about the tracks that ``PacketReader`` needs. A pure value.
struct ReaderTracks: Sendable {
    /// The kinds of the playable tracks, by track identifier.
    private(set) var kinds: [Int: MediaTrack.Kind] = [:]
    /// The formats of the playable tracks, by track identifier.
    private(set) var formats: [Int: CodecParameters] = [:]
    /// The identifiers of the tracks that are cover pictures.
    private var coverPictureTracks: Set<Int> = []
    /// The time on the source's clock at which the item starts, in nanoseconds.
    private var origin: Int64 = 0
    /// The identifiers of the video and audio tracks that are played now.
    var playedTracks = PlayedTracks()

    init() {}

    init(_ contents: PacketSourceContents) {
        (formats, origin) = (contents.formats, contents.origin)
        for track in contents.info.tracks where formats[track.id] != nil {
            kinds[track.id] = track.kind
            if track.isAttachedPicture { coverPictureTracks.insert(track.id) }
        }
        playedTracks = PlayedTracks(video: contents.info.video?.streamIndex, audio: contents.info.audio?.streamIndex)
    }

    /// Adds the tracks of a separate audio file.
    mutating func add(_ contents: AudioFileContents) {
        for track in contents.tracks { (kinds[track.id], formats[track.id]) = (track.kind, contents.formats[track.id]) }
    }

    /// The played video track; nil if it is a cover picture, which is one picture for the whole audio track.
    var movingVideo: Int? { playedTracks.video.flatMap { coverPictureTracks.contains($0) ? nil : $0 } }

    /// Returns whether the track is the played cover picture.
    func isCoverPicture(_ track: Int) -> Bool { track == playedTracks.video && coverPictureTracks.contains(track) }

    /// Returns a packet's presentation time, in nanoseconds on the item's timeline.
    func time(of packet: Packet) -> Int64? {
        formats[packet.track]?.timeBase.nanoseconds(packet.pointer.pointee.pts).map { $0 &- origin }
    }

    /// Returns a packet's decoding time, in nanoseconds on the source's clock.
    func decodingTime(of packet: Packet) -> Int64? {
        formats[packet.track]?.timeBase.nanoseconds(packet.pointer.pointee.dts)
    }
}
