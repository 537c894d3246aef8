import SystemCalls

extension MediaSource {
    /// Tracks of files beside the media and of files that were named, after those of the container. On the demuxing thread.
    func externalTracks(after own: [MediaTrack]) -> [MediaTrack] {
        var found: [SubtitleFinder.Found] = configuration.subtitleFiles.map { SubtitleFinder.Found(path: $0) }
        if case .file(let path)? = try? configuration.policy.locate(location) {
            found += SubtitleFinder.beside(path, search: configuration.subtitleSearch).filter { one in !found.contains { $0.path == one.path } }
        }
        return found.map { addExternal($0) }
    }

    /// A file of subtitles that can be chosen from now on. It is opened when it is.
    package func addSubtitleFile(_ path: String) -> MediaTrack { addExternal(SubtitleFinder.Found(path: path)) }

    private func addExternal(_ found: SubtitleFinder.Found) -> MediaTrack {
        let id = control.withLock { control in
            let id = MediaTrack.externalBase + control.external.count
            control.external[id] = found.path
            return id
        }
        var track = MediaTrack(id: id, kind: .subtitle, codec: SubtitleFinder.codec(of: found.path))
        track.location = found.path
        track.title = found.path.split(separator: "/").last.map(String.init)
        track.language = found.language
        track.isForced = found.isForced
        track.isForHearingImpaired = found.isForHearingImpaired
        track.isBitmap = ["hdmv_pgs_subtitle", "dvd_subtitle"].contains(track.codec)
        return track
    }

    /// Decodes all of a file, on the thread "subtitle decode".
    func readSubtitleFile(_ location: String, _ track: Int, _ ticket: TrackTicket, _ generation: UInt32) throws(MediaError) {
        let opener: MediaOpener
        do {
            opener = try MediaOpener(policy: configuration.policy)
        } catch { throw MediaError(.outOfMemory, "no descriptor for a file of subtitles: \(error.reason)") }
        let isWanted = control.withLock { control in
            guard !control.isClosed, control.tickets[.subtitle] == ticket.number else { return false }
            control.subtitleOpener = opener
            return true
        }
        guard isWanted else { return }
        let file: any SubtitlePackets
        do throws(MediaError) {
            file = try SubtitleFile.open(location, opener)
        } catch { throw MediaError(error.code, "subtitles \(location): \(error.message)") }
        let decoder = try SubtitleDecoder(parameters: file.parameters, origin: 0)
        let header = decoder.header
        guard deliver(.begin(SubtitleFormat(track: track, header: header, fonts: header == nil ? [] : file.fonts)), generation) else { return }
        var batch: [SubtitleEvent] = []
        var cost = 0
        while let packet = try file.next() {
            for event in decoder.decode(packet) {
                batch.append(event)
                cost += event.cost
            }
            guard cost > 1 << 16 else { continue }
            guard deliver(.events(batch), generation) else { return }
            (batch, cost) = ([], 0)
        }
        if !batch.isEmpty { _ = deliver(.events(batch), generation) }
    }
}
