import CFFmpeg

/// Executes the seeks that the player requests.
extension PacketReader {
    /// Executes a seek: switches tracks, moves the read position of the source, and begins to search for the first
    /// frame.
    mutating func seek(_ request: SeekRequest) {
        changeTracks()
        (seekResolution, heldPackets, endedTracks) = (nil, HeldPackets(), [])
        do throws(MediaError) {
            try source.seek(to: request.time)
            isAtEnd = false
            try readSubtitles(before: request.time)
        } catch {
            if isObsolete { return }
            outputs.report(.seekFailed(generation: request.generation, error))
        }
        if tracks.movingVideo != nil, !isAtEnd { seekResolution = SeekResolution(request) }
        if seekResolution == nil { finishSeek(request) }
        // After a failed seek, the source may still be at its end: end the tracks again, because the seek has restarted
        // them.
        if isAtEnd { endTracks() }
    }

    /// Enqueues the marker of a seek, followed by the packets that waited for the seek's target.
    mutating func finishSeek(_ request: SeekRequest) {
        state.update { state in
            // If a newer seek is pending, it has already discarded all packets.
            if state.seek == nil { state.packets.restart(request) }
        }
        for packet in heldPackets.take() { push(packet) }
        endPendingTracks()
    }

    /// Ends a track that failed or whose file has ended. During the search for the first frame of a seek, the track
    /// ends afterwards: the end of the search restarts all tracks.
    mutating func endTrack(_ track: Int, after error: MediaError?) {
        if let error { outputs.report(.warning(error)) }
        endedTracks.append(track)
        if seekResolution == nil { endPendingTracks() }
    }

    /// Ends the tracks whose end waited for the first frame of a seek.
    mutating func endPendingTracks() {
        let tracks = endedTracks
        endedTracks = []
        state.update { state in
            guard state.seek == nil else { return }
            for track in tracks { state.packets.end(track: track) }
        }
    }

    /// Switches to the tracks that were set for the next seek.
    private mutating func changeTracks() {
        let (video, audio) = state.withLock { ($0.nextVideoTrack.take(), $0.nextAudioTrack.take()) }
        guard video != nil || audio != nil else { return }
        if let video { tracks.playedTracks.video = video }
        if let audio { tracks.playedTracks.audio = audio }
        source.select(tracks.playedTracks)
        if let video { switchDecoder(.video, track: video) }
        if let audio { switchDecoder(.audio, track: audio) }
    }

    /// Starts the decoder of the track to which a seek switches. If `track` is nil, ends the decoder of `kind`.
    private func switchDecoder(_ kind: MediaTrack.Kind, track: Int?) {
        guard let track, let parameters = state.withLock({ $0.tracks.formats[track] }) else {
            return state.update { $0.endRun(kind) }
        }
        do throws(MediaError) {
            try kind == .video
                ? decoders.startVideo(parameters, track: track) : decoders.startAudio(parameters, track: track)
        } catch { outputs.report(.trackFailed(kind == .video ? .video : .audio, error)) }
    }

    /// The maximum number of bytes read to find one subtitle line.
    private static let subtitleSearchByteLimit = 16 << 20

    /// Reads, after a seek, the current lines of the chosen subtitle tracks that start before the position from which
    /// reading continues.
    private func readSubtitles(before time: Int64) throws(MediaError) {
        for track in state.withLock({ $0.subtitles.tracks }) {
            guard let start = source.earlierSubtitle(of: track, before: time),
                !state.withLock({ $0.subtitlePackets.hasPacket(of: track, at: start.timestamp) })
            else { continue }
            // Continue with the seek, whether or not the subtitle line could be read.
            try? fetchSubtitle(of: track, from: start)
            try source.seek(to: time)
        }
    }

    /// Reads packets from the start of a subtitle event until the event is found, and stores them.
    private func fetchSubtitle(of track: Int, from start: SubtitleStart) throws(MediaError) {
        var bytes = 0, isFound = false
        try source.seek(to: start.time)
        while !isFound, bytes < Self.subtitleSearchByteLimit, !isObsolete {
            guard case .packet(let packet) = try source.read() else { return }
            bytes += packet.byteCount
            guard tracks.kinds[packet.track] == .subtitle else { continue }
            isFound = packet.track == track && packet.pointer.pointee.pts >= start.timestamp
            storeSubtitlePacket(packet)
        }
    }
}
