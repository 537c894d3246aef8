/// The state that the threads of a ``LocalMediaSource`` share behind one monitor: the packets between them, and the
/// consumer's requests.
struct PipelineState: Sendable {
    /// The consumer's choice of an audio format.
    enum SoundDemand: Sendable, Equatable {
        /// The consumer has not chosen yet.
        case undecided
        case format(PCMFormat)
        /// Audio is permanently disabled.
        case refused
    }

    var packets = PacketBuffer()
    var backlog = SubtitleBacklog()
    var tracks = TrackTable()
    /// The pending seek, which the reader has not started yet.
    var seek: SeekRequest?
    var sound = SoundDemand.undecided
    /// The tracks to play after the next seek; an inner nil plays no track of the kind.
    var nextVideo: Int??
    var nextAudio: Int??
    var isClosed = false
    /// The opener of the chosen subtitle file.
    var subtitleOpener: MediaOpener?

    /// Whether a pending seek or closing makes the current read obsolete.
    var isReadingObsolete: Bool { seek != nil || isClosed }

    /// Whether `ticket` still belongs to the current decoder of its kind.
    func isCurrent(_ ticket: TrackTicket) -> Bool { !isClosed && tracks.isCurrent(ticket) }

    /// Starts a decoder of `kind` for `track`, and ends the previous one, if there is one.
    ///
    /// - Parameter marker: If not nil, decoding starts with the track's kept packets from the marker's time on; nil
    ///   starts with the next packets read.
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

    /// Ends the decoder of `kind`.
    mutating func end(_ kind: MediaTrack.Kind) {
        guard let old = tracks.end(kind), kind != .subtitle else { return }
        packets.removeTrack(old)
        if kind == .audio, tracks.givesOtherAudio { packets.addIdle(old) }
    }

    /// Stores the contents that the source has found.
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

/// Identifies one run of a track's decoder; selecting another track invalidates it.
struct TrackTicket: Sendable, Equatable {
    let kind: MediaTrack.Kind
    let number: UInt32
}

/// The tracks of an item, and which of them are being decoded. A pure value.
struct TrackTable: Sendable {
    /// The source's clock at the item's start, in nanoseconds.
    var origin: Int64 = 0
    /// The formats of all tracks that can be chosen.
    var formats: [Int: CodecParameters] = [:]
    var fonts: [SubtitleFont] = []
    /// Whether packets of audio tracks that are not played are read and kept.
    var givesOtherAudio = true
    private(set) var running: [MediaTrack.Kind: Int] = [:]
    private var tickets: [MediaTrack.Kind: UInt32] = [:]
    /// The paths of tracks in separate files.
    private(set) var files: [Int: String] = [:]

    func isCurrent(_ ticket: TrackTicket) -> Bool { (tickets[ticket.kind] ?? 0) == ticket.number }

    mutating func begin(_ kind: MediaTrack.Kind, track: Int) -> TrackTicket {
        running[kind] = track
        return TrackTicket(kind: kind, number: tickets[kind] ?? 0)
    }

    /// Ends the decoder of `kind`.
    ///
    /// - Returns: The track whose decoder ends.
    mutating func end(_ kind: MediaTrack.Kind) -> Int? {
        tickets[kind] = (tickets[kind] ?? 0) &+ 1
        return running.removeValue(forKey: kind)
    }

    /// Adds the track of a separate file.
    ///
    /// - Returns: The number of the new track.
    mutating func addFile(_ path: String) -> Int {
        let id = MediaTrack.externalBase + files.count
        files[id] = path
        return id
    }
}
