import CFFmpeg
import SystemCalls

/// Says which run of a track's decoder somebody belongs to: another choice makes it void.
struct TrackTicket: Sendable {
    let kind: MediaTrack.Kind
    let number: UInt32
}

extension MediaSource.Control {
    /// A decoder of `kind` begins with `track`; the one before it, if there is one, ends.
    ///
    /// - Parameter marker: what was read of the track from then on comes first; nil: what is read next does.
    mutating func begin(_ kind: MediaTrack.Kind, track: Int, from marker: SeekRequest? = nil) -> TrackTicket {
        end(kind)
        running[kind] = track
        if kind == .audio {
            if let marker {
                packets.activate(track, marker: marker, from: marker.time &+ origin)
            } else {
                packets.removeIdle(track)
                packets.addTrack(track)
            }
        } else if kind == .video {
            packets.addTrack(track)
        }
        return TrackTicket(kind: kind, number: tickets[kind] ?? 0)
    }

    /// The decoder of `kind` ends.
    mutating func end(_ kind: MediaTrack.Kind) {
        tickets[kind] = (tickets[kind] ?? 0) &+ 1
        guard let old = running.removeValue(forKey: kind), kind != .subtitle else { return }
        packets.removeTrack(old)
        if kind == .audio, hasIdleSound { packets.addIdle(old) }
    }
}

extension MediaSource {
    /// Remembers what tracks there are, on the demuxing thread.
    func register(_ demuxer: Demuxer) {
        let fonts = demuxer.tracks.contains { $0.kind == .subtitle && $0.codec == "ass" } ? demuxer.fonts : []
        control.withLock { control in
            control.origin = demuxer.origin
            control.fonts = fonts
            control.hasIdleSound = configuration.readsOtherTracks && !demuxer.isPlaylist
            for track in demuxer.tracks where track.isPlayable {
                guard let stream = demuxer.stream(track.id), let parameters = CodecParameters(stream: stream, crop: demuxer.crop(of: stream)) else { continue }
                control.parameters[track.id] = parameters
                if track.kind == .subtitle { control.backlog.add(track.id, isBitmap: track.isBitmap) }
                if track.kind == .audio, control.hasIdleSound { control.packets.addIdle(track.id) }
            }
        }
    }

    /// Goes over to another sound track, or to none, while everything else goes on. What was decoded of the old one is gone.
    ///
    /// - Parameters:
    ///   - time: from where on it is wanted, nanoseconds on the item's timeline.
    ///   - generation: what comes carries it.
    /// - Returns: false when that needs a seek: ``selectAtNextSeek(_:track:)``.
    package func selectSound(_ track: Int?, from time: Int64, generation: UInt32) throws(MediaError) -> Bool {
        let found: CodecParameters?? = control.withLock { control in
            guard control.seek == nil else { return nil }
            guard let track else { return .some(nil) }
            guard control.hasIdleSound, let parameters = control.parameters[track] else { return nil }
            return .some(parameters)
        }
        guard let found else { return false }
        audio.reset(to: generation)
        guard let track, let parameters = found else {
            control.update { $0.end(.audio) }
            return true
        }
        let origin = control.withLock { $0.origin }
        try startAudio(
            parameters, track: track, origin: origin, from: SeekRequest(time: time, precision: .exact, generation: generation))
        return true
    }

    /// The next seek goes on with another track of `kind`, or without.
    package func selectAtNextSeek(_ kind: MediaTrack.Kind, track: Int?) {
        control.withLock { control in
            if kind == .video { control.nextVideo = .some(track) }
            if kind == .audio { control.nextAudio = .some(track) }
        }
    }

    /// Does what ``selectAtNextSeek(_:track:)`` asked for, on the demuxing thread.
    func changeTracks(of demuxer: Demuxer) {
        let (video, audio) = control.withLock { control in (control.nextVideo.take(), control.nextAudio.take()) }
        if let video {
            demuxer.setVideo(video)
            restart(.video, track: video, demuxer)
        }
        if let audio {
            demuxer.setAudio(audio)
            restart(.audio, track: audio, demuxer)
        }
    }

    private func restart(_ kind: MediaTrack.Kind, track: Int?, _ demuxer: Demuxer) {
        guard let track, let parameters = control.withLock({ $0.parameters[track] }) else {
            control.update { $0.end(kind) }
            return
        }
        do throws(MediaError) {
            if kind == .video {
                try startVideo(parameters, track: track, origin: demuxer.origin)
            } else {
                try startAudio(parameters, track: track, origin: demuxer.origin)
            }
        } catch { report(.trackFailed(kind == .video ? .video : .audio, error)) }
    }
}
