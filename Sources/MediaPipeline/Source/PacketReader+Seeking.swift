import CFFmpeg

/// Seeking.
extension PacketReader {
    mutating func seek(_ request: SeekRequest) {
        changeTracks()
        (landing, held) = (nil, HeldPackets())
        do throws(MediaError) {
            try source.seek(to: request.time)
            isAtEnd = false
            try readLine(before: request.time)
        } catch {
            if isObsolete { return }
            outputs.report(.seekFailed(generation: request.generation, error))
        }
        if tracks.moving != nil, !isAtEnd { landing = SeekLanding(request) }
        if landing == nil { land(request) }
        // After a failed seek the source stays at the end; signal the end to the tracks again.
        if isAtEnd { endTracks() }
    }

    /// Switches to the tracks that were set for the next seek.
    private mutating func changeTracks() {
        let (video, audio) = state.withLock { ($0.nextVideo.take(), $0.nextAudio.take()) }
        guard video != nil || audio != nil else { return }
        if let video { tracks.played.video = video }
        if let audio { tracks.played.audio = audio }
        source.select(tracks.played)
        if let video { restart(.video, track: video) }
        if let audio { restart(.audio, track: audio) }
    }

    private func restart(_ kind: MediaTrack.Kind, track: Int?) {
        guard let track, let parameters = state.withLock({ $0.tracks.formats[track] }) else {
            return state.update { $0.end(kind) }
        }
        do throws(MediaError) {
            try kind == .video
                ? decoders.startVideo(parameters, track: track) : decoders.startAudio(parameters, track: track)
        } catch { outputs.report(.trackFailed(kind == .video ? .video : .audio, error)) }
    }

    /// The maximum number of bytes read to find one subtitle line.
    private static let lineReach = 16 << 20

    /// Reads, after a seek, the current line of the chosen subtitle track, if it starts before the position from which
    /// reading continues.
    private func readLine(before time: Int64) throws(MediaError) {
        guard let track = state.withLock({ $0.tracks.running[.subtitle] }),
            let start = source.earlierSubtitle(of: track, before: time),
            !state.withLock({ $0.backlog.has(track, at: start.stamp) })
        else { return }
        // Continue with the seek, whether or not the line could be read.
        try? fetchLine(of: track, from: start)
        try source.seek(to: time)
    }

    private func fetchLine(of track: Int, from start: SubtitleStart) throws(MediaError) {
        var bytes = 0, isFound = false
        try source.seek(to: start.time)
        while !isFound, bytes < Self.lineReach, !isObsolete {
            guard case .packet(let packet) = try source.read() else { return }
            bytes += packet.byteCount
            guard tracks.kinds[packet.track] == .subtitle else { continue }
            isFound = packet.track == track && packet.pointer.pointee.pts >= start.stamp
            keep(packet)
        }
    }
}
