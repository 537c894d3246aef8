/// What the threads of a ``LocalMediaSource`` share, behind one monitor: the packets between them, and what the
/// consumer asked for.
struct PipelineState: Sendable {
    /// The form in which sound is wanted.
    enum SoundDemand: Sendable, Equatable {
        /// The consumer has not said yet.
        case undecided
        case format(PCMFormat)
        /// No sound is wanted, for good.
        case refused
    }

    var packets = PacketBuffer()
    var backlog = SubtitleBacklog()
    var tracks = TrackTable()
    /// The seek that the reader has not begun yet.
    var seek: SeekRequest?
    var sound = SoundDemand.undecided
    /// The tracks that the next seek goes on with; the inner nil: none of the kind.
    var nextVideo: Int??
    var nextAudio: Int??
    var isClosed = false
    /// Reads the file of subtitles that is chosen now.
    var subtitleOpener: MediaOpener?

    /// Whether something waits that makes what is being read worthless.
    var isReadingObsolete: Bool { seek != nil || isClosed }

    /// Whether the decoder that `ticket` was given to is still the one of its kind.
    func isCurrent(_ ticket: TrackTicket) -> Bool { !isClosed && tracks.isCurrent(ticket) }

    /// A decoder of `kind` begins with `track`; the one before it, if there is one, ends.
    ///
    /// - Parameter marker: what was read of the track from then on comes first; nil: what is read next does.
    mutating func begin(_ kind: MediaTrack.Kind, track: Int, from marker: SeekRequest? = nil) -> TrackTicket {
        end(kind)
        let ticket = tracks.begin(kind, track: track)
        switch kind {
        case .audio:
            if let marker {
                packets.activate(track, marker: marker, from: marker.time &+ tracks.origin)
            } else {
                packets.removeIdle(track)
                packets.addTrack(track)
            }
        case .video: packets.addTrack(track)
        case .subtitle: break
        }
        return ticket
    }

    /// The decoder of `kind` ends.
    mutating func end(_ kind: MediaTrack.Kind) {
        guard let old = tracks.end(kind), kind != .subtitle else { return }
        packets.removeTrack(old)
        if kind == .audio, tracks.givesOtherAudio { packets.addIdle(old) }
    }

    /// Registers what the source has found.
    mutating func register(_ contents: PacketSourceContents, keepsOtherAudio: Bool) {
        tracks.origin = contents.origin
        tracks.fonts = contents.fonts
        tracks.givesOtherAudio = keepsOtherAudio && contents.givesOtherAudio
        tracks.formats = contents.formats
        for track in contents.info.tracks where contents.formats[track.id] != nil {
            if track.kind == .subtitle { backlog.add(track.id, isBitmap: track.isBitmap) }
            if track.kind == .audio, tracks.givesOtherAudio { packets.addIdle(track.id) }
        }
    }
}

/// Identifies one run of a track's decoder: another choice makes it void.
struct TrackTicket: Sendable, Equatable {
    let kind: MediaTrack.Kind
    let number: UInt32
}

/// The tracks of an item, and which of them are being decoded. A pure value.
struct TrackTable: Sendable {
    /// Nanoseconds that the source's clock shows at the item's start.
    var origin: Int64 = 0
    /// The formats of all tracks that can be chosen.
    var formats: [Int: CodecParameters] = [:]
    var fonts: [SubtitleFont] = []
    /// Packets of audio tracks that are not played are read and kept.
    var givesOtherAudio = true
    private(set) var running: [MediaTrack.Kind: Int] = [:]
    private var tickets: [MediaTrack.Kind: UInt32] = [:]
    /// The files of the tracks that lie in files of their own.
    private(set) var files: [Int: String] = [:]

    func isCurrent(_ ticket: TrackTicket) -> Bool { (tickets[ticket.kind] ?? 0) == ticket.number }

    mutating func begin(_ kind: MediaTrack.Kind, track: Int) -> TrackTicket {
        running[kind] = track
        return TrackTicket(kind: kind, number: tickets[kind] ?? 0)
    }

    /// - Returns: the track whose decoder ends.
    mutating func end(_ kind: MediaTrack.Kind) -> Int? {
        tickets[kind] = (tickets[kind] ?? 0) &+ 1
        return running.removeValue(forKey: kind)
    }

    /// - Returns: the number of the new track.
    mutating func addFile(_ path: String) -> Int {
        let id = MediaTrack.externalBase + files.count
        files[id] = path
        return id
    }
}
