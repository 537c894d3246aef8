/// The state that the threads of a ``LocalMediaSource`` share, protected by one monitor: the packets between them,
/// and the player's requests.
struct PipelineState: Sendable {
    /// The player's choice of an audio format.
    enum AudioDemand: Sendable, Equatable {
        /// The player has not chosen an audio format yet.
        case undecided
        /// Audio is converted to this format.
        case format(PCMFormat)
        /// Audio is permanently disabled.
        case refused
    }

    /// The packets of video and audio tracks.
    var packets = PacketBuffer()
    /// The packets of subtitle tracks.
    var subtitlePackets = SubtitlePacketCache()
    /// The tracks, and the running decoders of video and audio.
    var tracks = TrackTable()
    /// The running decoders of subtitles.
    var subtitles = SubtitleRuns()
    /// The pending seek, which the reader has not started yet.
    var seek: SeekRequest?
    /// The player's choice of an audio format.
    var audioDemand = AudioDemand.undecided
    /// The video track to play after the next seek: nil keeps the current track; `.some(nil)` plays no video.
    var nextVideoTrack: Int??
    /// The audio track to play after the next seek: nil keeps the current track; `.some(nil)` plays no audio.
    var nextAudioTrack: Int??
    /// The new number of received bytes to keep, until the reader has passed it to the source; then nil.
    var newKeptByteLimit: Int?
    /// The separate audio files to add and remove. The reader takes each change out of the array to carry it out.
    var audioFileChanges: [AudioFileChange] = []
    /// The separate audio files that were opened for the reader and that it has not added yet.
    var openedAudioFiles: [OpenedAudioFile] = []
    /// Whether the source was interrupted, so that all threads must end.
    var isClosed = false

    /// Whether a pending seek or closing makes the current read obsolete.
    var isReadingObsolete: Bool { seek != nil || isClosed }

    /// Returns whether the decoder with this identity is still the current decoder of its kind; false after closing.
    func isCurrent(_ decoderRun: DecoderRun) -> Bool { !isClosed && tracks.isCurrent(decoderRun) }

    /// Returns whether the decoder with this identity is still the current decoder of its layer; false after closing.
    func isCurrent(_ subtitleRun: SubtitleRun) -> Bool { !isClosed && subtitles.isCurrent(subtitleRun) }

    /// Starts a decoder of `kind` for `track`, and ends the previous decoder of that kind. Returns the identity of the
    /// new decoder.
    ///
    /// - Parameter marker: The time and generation at which decoding of the track's kept packets starts; nil
    ///   decodes the packets that are read next.
    mutating func beginRun(_ kind: MediaTrack.Kind, track: Int, from marker: SeekRequest? = nil) -> DecoderRun {
        endRun(kind)
        let decoderRun = tracks.beginRun(kind, track: track)
        switch kind {
        case .audio:
            if let marker {
                packets.activate(track, marker: marker, from: marker.time &+ tracks.origin)
            } else {
                packets.removeIdleTrack(track)
                packets.addTrack(track)
            }
        // Subtitles are decoded by ``SubtitleRuns``.
        case .video, .subtitle: packets.addTrack(track)
        }
        return decoderRun
    }

    /// Ends the decoder of `kind`.
    mutating func endRun(_ kind: MediaTrack.Kind) {
        guard let track = tracks.endRun(kind) else { return }
        packets.removeTrack(track)
        if kind == .audio, tracks.keepsUnplayedPackets(of: track) { packets.addIdleTrack(track) }
    }

    /// Stores the tracks and formats that the source has found.
    mutating func register(_ contents: PacketSourceContents, keepsOtherAudio: Bool) {
        tracks.origin = contents.origin
        tracks.fonts = contents.fonts
        tracks.includesUnplayedAudio = keepsOtherAudio && contents.includesUnplayedAudio
        tracks.formats = contents.formats
        tracks.subtitleRenditions = contents.subtitleRenditions
        for track in contents.info.tracks where contents.formats[track.id] != nil {
            if track.kind == .subtitle { subtitlePackets.add(track.id, isBitmap: track.isBitmap) }
            if track.kind == .audio, tracks.keepsUnplayedPackets(of: track.id) { packets.addIdleTrack(track.id) }
        }
    }
}

/// The identity of one decoder of a track, from its start to its end. When another track of the same kind is selected,
/// the identity becomes invalid, and the decoder ends.
struct DecoderRun: Sendable, Equatable {
    /// The kind of the decoder's track.
    let kind: MediaTrack.Kind
    /// The value, at the start of the decoder, of a counter that increases whenever a decoder of this kind is ended.
    let number: UInt32
}

/// The tracks of an item, and which of them are being decoded. A pure value.
struct TrackTable: Sendable {
    /// The time on the source's clock at which the item starts, in nanoseconds.
    var origin: Int64 = 0
    /// The formats of all tracks that can be chosen, by track identifier.
    var formats: [Int: CodecParameters] = [:]
    /// The fonts that the item carries for its subtitles.
    var fonts: [SubtitleFont] = []
    /// The subtitle tracks of a stream, which are fetched apart from its packets, by track identifier.
    var subtitleRenditions: [Int: SubtitleRendition] = [:]
    /// Whether packets of audio tracks that are not played are read and kept.
    var includesUnplayedAudio = true
    /// The identifier of the track that is decoded, by kind.
    private(set) var decodedTracks: [MediaTrack.Kind: Int] = [:]
    /// The number of the current decoder, by kind of track; see ``DecoderRun/number``.
    private var runNumbers: [MediaTrack.Kind: UInt32] = [:]
    /// The file of each track in a separate subtitle file, by track identifier.
    private(set) var subtitleFiles: [Int: SubtitleFinder.File] = [:]

    /// Returns whether packets of an audio track are read and kept while it is not played. Separate files are read only
    /// while they are played.
    func keepsUnplayedPackets(of track: Int) -> Bool { includesUnplayedAudio && track < MediaTrack.firstFileID }

    /// Returns whether no decoder of the same kind has ended since the decoder with this identity started.
    func isCurrent(_ decoderRun: DecoderRun) -> Bool { (runNumbers[decoderRun.kind] ?? 0) == decoderRun.number }

    /// Records that a decoder of `kind` starts for `track`, and returns the identity of the decoder.
    mutating func beginRun(_ kind: MediaTrack.Kind, track: Int) -> DecoderRun {
        decodedTracks[kind] = track
        return DecoderRun(kind: kind, number: runNumbers[kind] ?? 0)
    }

    /// Ends the decoder of `kind`.
    ///
    /// - Returns: The track whose decoder ends.
    mutating func endRun(_ kind: MediaTrack.Kind) -> Int? {
        runNumbers[kind] = (runNumbers[kind] ?? 0) &+ 1
        return decodedTracks.removeValue(forKey: kind)
    }

    /// Adds the track of a separate subtitle file.
    ///
    /// - Returns: The identifier of the new track.
    mutating func addFile(_ file: SubtitleFinder.File) -> Int {
        let id = MediaTrack.firstFileID + subtitleFiles.count
        subtitleFiles[id] = file
        return id
    }
}
