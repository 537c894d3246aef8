import SharedFrames
import SystemCalls

/// Decodes the selected subtitle track of each layer, from the container, a separate file or a rendition of a stream.
/// Each layer has a thread of its own.
final class SubtitleTracks: Sendable {
    private let configuration: MediaSourceConfiguration
    let state: Monitor<PipelineState>
    let outputs: SourceOutputs
    private let threads: SourceThreads

    init(
        _ configuration: MediaSourceConfiguration, state: Monitor<PipelineState>, outputs: SourceOutputs,
        threads: SourceThreads
    ) {
        (self.configuration, self.state, self.outputs, self.threads) = (configuration, state, outputs, threads)
    }

    // MARK: Files

    /// Returns the tracks of the configured subtitle files and of the files found beside the media. Reads the media's
    /// folder.
    func tracks(beside location: String) -> [MediaTrack] {
        var files = configuration.subtitleFiles
        if case .file(let path)? = try? configuration.policy.locate(location) {
            files += SubtitleFinder.files(beside: path, search: configuration.subtitleSearch).filter { candidate in
                !files.contains { $0.path == candidate.path }
            }
        }
        return files.map { add($0) }
    }

    /// Adds the track of a subtitle file, without opening the file.
    func add(_ file: SubtitleFinder.File) -> MediaTrack {
        let id = state.withLock { $0.tracks.addFile(file) }
        var track = MediaTrack(id: id, kind: .subtitle, codec: SubtitleFinder.codec(of: file.path))
        track.location = file.path
        track.title = file.title ?? MediaLocation.displayedName(file.path)
        track.language = file.language
        track.isForced = file.isForced
        track.isForHearingImpaired = file.isForHearingImpaired
        track.isBitmap = ["hdmv_pgs_subtitle", "dvd_subtitle"].contains(track.codec)
        return track
    }

    // MARK: Selection

    /// Ends the current subtitle decoder of a layer, and starts one for `track`; nil starts none.
    func select(_ track: Int?, layer: SubtitleLayer, generation: UInt32) throws(MediaError) {
        outputs.subtitles(layer).reset(to: generation)
        let newRun = state.update { $0.subtitles.select(track, layer: layer) }
        guard let track, let run = newRun else { return }
        do throws(SystemCallError) {
            // Only the previous thread of the same layer is joined.
            try threads.spawn(layer == .primary ? "subtitle decode" : "second subtitle") { [self] in
                do throws(MediaError) {
                    let (file, rendition) = state.withLock {
                        ($0.tracks.subtitleFiles[track], $0.tracks.subtitleRenditions[track])
                    }
                    if let file {
                        try decodeFile(file, track, run, generation)
                    } else if let rendition {
                        try decodeRendition(rendition, track, run, generation)
                    } else {
                        try decode(track, run, generation)
                    }
                } catch {
                    if state.withLock({ $0.isCurrent(run) }) { outputs.report(.warning(error)) }
                }
            }
        } catch { throw MediaError(.outOfMemory, "cannot start a thread: \(error.reason)") }
    }

    /// Decodes the container's packets of a track, as they are read, until another track is selected.
    private func decode(_ track: Int, _ run: SubtitleRun, _ generation: UInt32) throws(MediaError) {
        let (trackTable, videoSize) = state.withLock { state in
            (state.tracks, state.tracks.decodedTracks[.video].flatMap { state.tracks.formats[$0]?.pictureSize })
        }
        guard let parameters = trackTable.formats[track] else {
            throw MediaError(.notFound, "there is no subtitle track \(track)")
        }
        let decoder = try SubtitleDecoder(
            parameters: parameters, origin: trackTable.origin, videoSize: videoSize ?? PixelSize(width: 0, height: 0))
        let header = decoder.header, fonts = header == nil ? [] : trackTable.fonts
        guard outputs.deliver(.begin(SubtitleFormat(track: track, header: header, fonts: fonts)), run.layer, generation)
        else {
            return
        }
        var position = 0
        while true {
            let result: (entry: SubtitlePacketCache.Entry, next: Int)?? = state.wait { state in
                guard state.isCurrent(run) else { return .some(nil) }
                return state.subtitlePackets.entry(track, at: position).map { .some($0) }
            }
            guard let nextEntry = result ?? nil else { return }
            position = nextEntry.next
            switch nextEntry.entry {
            case .packet(let packet):
                let events = decoder.decode(packet)
                if !events.isEmpty { guard outputs.deliver(.events(events), run.layer, generation) else { return } }
            case .gap(let end):
                decoder.flush()
                guard outputs.deliver(.gap(after: end), run.layer, generation) else { return }
            }
        }
    }

    /// Decodes a complete subtitle file.
    private func decodeFile(
        _ subtitleFile: SubtitleFinder.File, _ track: Int, _ run: SubtitleRun, _ generation: UInt32
    ) throws(MediaError) {
        let location = subtitleFile.path
        let opener: MediaOpener
        do {
            opener = try MediaOpener(policy: configuration.policy)
        } catch { throw MediaError(.outOfMemory, "no descriptor for a subtitle file: \(error.reason)") }
        let isWanted = state.withLock { state in
            guard state.isCurrent(run) else { return false }
            state.subtitles.setOpener(opener, of: run)
            return true
        }
        guard isWanted else { return }
        let file: any SubtitlePacketSource
        do throws(MediaError) {
            file = try SubtitleFile.open(
                location, opener, characterSet: subtitleFile.characterSet ?? configuration.subtitleCharacterSet)
        } catch { throw MediaError(error.code, "subtitles \(MediaLocation.displayed(location)): \(error.message)") }
        let decoder = try SubtitleDecoder(parameters: file.parameters, origin: 0)
        let header = decoder.header, fonts = header == nil ? [] : file.fonts
        guard outputs.deliver(.begin(SubtitleFormat(track: track, header: header, fonts: fonts)), run.layer, generation)
        else {
            return
        }
        var batch: [SubtitleEvent] = []
        var cost = 0
        while let packet = try file.next() {
            for event in decoder.decode(packet) {
                batch.append(event)
                cost += event.cost
            }
            guard cost > 1 << 16 else { continue }
            guard outputs.deliver(.events(batch), run.layer, generation) else { return }
            (batch, cost) = ([], 0)
        }
        if !batch.isEmpty { _ = outputs.deliver(.events(batch), run.layer, generation) }
    }
}
