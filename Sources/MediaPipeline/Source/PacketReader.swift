import CFFmpeg
import SystemCalls

/// Reads a ``PacketSource`` and passes its packets to the decoders' queues. Runs on the reading thread.
///
/// The reader opens the source, starts the decoders, and reads while the buffer has space. It executes seeks and
/// determines the first frame after each seek.
struct PacketReader: ~Copyable {
    /// The source of the item's packets.
    let source: any PacketSource
    private let configuration: MediaSourceConfiguration
    /// The state shared with the decoders and with the ``LocalMediaSource``.
    let state: Monitor<PipelineState>
    /// The output queues, to which events are reported.
    let outputs: SourceOutputs
    /// Starts the decoders of tracks.
    let decoders: TrackDecoders
    /// The threads of the item, among which are those that open separate audio files.
    let threads: SourceThreads
    /// Returns tracks of separate subtitle files, to be listed last; may block.
    private let findExternalSubtitleTracks: () -> [MediaTrack]
    /// The kinds, formats and time origin of the tracks.
    var tracks = ReaderTracks()
    /// The seek whose first frame is not determined yet; nil if there is no such seek.
    var seekResolution: SeekResolution?
    /// The packets that wait until the first frame of a seek is determined.
    var heldPackets = HeldPackets()
    /// Whether the source was read to its end since the last seek.
    var isAtEnd = false
    /// The tracks that ended, with or without an error, before the first frame of a seek was determined.
    var endedTracks: [Int] = []
    /// The measured duration of the item that was reported last, in nanoseconds; nil if none was reported.
    private var reportedLength: Int64?

    /// Creates a reader of a source that is not open yet.
    ///
    /// - Parameter findExternalSubtitleTracks: Returns tracks of separate subtitle files, to be listed last; may block.
    init(
        _ source: any PacketSource, _ configuration: MediaSourceConfiguration, state: Monitor<PipelineState>,
        outputs: SourceOutputs, decoders: TrackDecoders, threads: SourceThreads,
        findExternalSubtitleTracks: @escaping () -> [MediaTrack]
    ) {
        (self.source, self.configuration, self.state) = (source, configuration, state)
        (self.outputs, self.decoders, self.threads) = (outputs, decoders, threads)
        self.findExternalSubtitleTracks = findExternalSubtitleTracks
    }

    /// Opens the source, then reads and seeks until the source is closed. Returns early if the source cannot be opened.
    mutating func run() {
        defer {
            discardAudioFiles()
            source.close()
        }
        do throws(MediaError) {
            let info = try open()
            // libavformat has probed the streams with temporary decoders, whose memory can be returned to the system.
            HeapTuning.trimHeap()
            outputs.report(.opened(info))
        } catch { return outputs.report(.failed(error)) }
        while true {
            switch nextWork() {
            case .seek(let request): seek(request)
            case .read: read { source throws(MediaError) in try source.read() }
            case .refresh: read { source throws(MediaError) in source.refresh() }
            case .waitAgain: break
            case .limitKeptBytes(let limit): threads.release(source.setKeptByteLimit(limit))
            case .announceGap: state.update { _ in }
            case .changeAudioFiles(let change): changeAudioFiles(change)
            case .addAudioFile(let file): add(file)
            case .close: return
            }
        }
    }

    // MARK: Opening

    /// Opens the source and starts the decoders of the played tracks.
    private mutating func open() throws(MediaError) -> MediaInfo {
        let contents = try source.open()
        state.withLock { $0.register(contents, keepsOtherAudio: configuration.readsOtherTracks) }
        tracks = ReaderTracks(contents)
        var info = contents.info, warnings: [String] = []
        // Audio that is not played and not needed for checksums is decoded only if there is no video.
        if decoders.ignoresAudio, info.video != nil { info.audio = nil }
        if let video = info.video, let error = startDecoder(.video, video.streamIndex, &info) {
            warnings.append(error.message)
            info.video = nil
        }
        if let audio = info.audio, let error = startDecoder(.audio, audio.streamIndex, &info) {
            warnings.append(error.message)
            info.audio = nil
        }
        tracks.playedTracks = PlayedTracks(video: info.video?.streamIndex, audio: info.audio?.streamIndex)
        source.select(tracks.playedTracks)
        guard info.video != nil || info.audio != nil else {
            throw warnings.isEmpty
                ? MediaError(.notMedia, Self.noMediaMessage(for: info))
                : MediaError(.unsupportedCodec, warnings.joined(separator: "; "))
        }
        info.warnings = warnings + contents.warnings
        info.tracks += findExternalSubtitleTracks()
        return info
    }

    /// Returns the error message for an item without video and audio.
    static func noMediaMessage(for info: MediaInfo) -> String {
        info.streams.subtitle > 0 ? "contains only subtitles, no video or audio" : "contains no video or audio"
    }

    /// Starts the decoder of a track. If that fails, marks the track as not playable and returns the
    /// error.
    private func startDecoder(_ kind: MediaTrack.Kind, _ track: Int, _ info: inout MediaInfo) -> MediaError? {
        do throws(MediaError) {
            guard let parameters = tracks.formats[track] else {
                throw MediaError(.outOfMemory, "no memory for a decoder")
            }
            guard avcodec_find_decoder(parameters.pointer.pointee.codec_id) != nil else {
                throw MediaError(.unsupportedCodec, "there is no decoder for \(parameters.codecName)")
            }
            try kind == .video
                ? decoders.startVideo(parameters, track: track) : decoders.startAudio(parameters, track: track)
            return nil
        } catch {
            for index in info.tracks.indices where info.tracks[index].id == track {
                info.tracks[index].isPlayable = false
            }
            state.withLock { state in
                state.tracks.formats[track] = nil
                state.packets.removeIdleTrack(track)
            }
            return error
        }
    }

    // MARK: Reading

    /// The next action of the reader.
    private enum Work: Sendable {
        /// End the reader, read the next item, or wake a decoder whose queue has received a gap: a part of the track
        /// without packets.
        case close, read, announceGap
        /// Reload the playlist of a live stream, or wait again because the time of that reload has changed.
        case refresh, waitAgain
        case seek(SeekRequest)
        /// Release received bytes above a limit.
        case limitKeptBytes(Int)
        case changeAudioFiles(AudioFileChange)
        case addAudioFile(OpenedAudioFile)
    }

    /// Waits until a seek, reading or closing is due, and returns that action.
    private func nextWork() -> Work {
        let refreshTime = isAtEnd ? nil : source.refreshTime
        return state.wait(until: refreshTime) { [source, isAtEnd] state -> Work? in
            if state.isClosed { return .close }
            if let request = state.seek.take() {
                source.setSeekIsPending(false)
                return .seek(request)
            }
            if let limit = state.newKeptByteLimit.take() { return .limitKeptBytes(limit) }
            if !state.audioFileChanges.isEmpty { return .changeAudioFiles(state.audioFileChanges.removeFirst()) }
            if !state.openedAudioFiles.isEmpty { return .addAudioFile(state.openedAudioFiles.removeFirst()) }
            if isAtEnd { return nil }
            if state.packets.reportGap() { return .announceGap }
            if state.packets.hasTracks && state.packets.needsPackets { return .read }
            return source.refreshTime == refreshTime ? nil : .waitAgain
        } ?? .refresh
    }

    /// Takes the next item of the source and passes it to its decoder or, as an event, to the player.
    private mutating func read(_ readItem: (any PacketSource) throws(MediaError) -> PacketSourceItem?) {
        do throws(MediaError) {
            guard let item = try readItem(source) else { return }
            switch item {
            case .packet(let packet): handle(packet)
            case .formatChange(let track, let parameters): changeFormat(track, to: parameters)
            case .warning(let error): outputs.report(.warning(error))
            case .discard(let times): discard(from: times)
            case .trackEnd(let track, let error): endTrack(track, after: error)
            case .fellBehind(let rejoin):
                outputs.report(.fellBehind(resumingAt: rejoin.time, isImmediate: rejoin.isImmediate))
                finishReading(nil)
            case .end(let length, let failure):
                if let failure { outputs.report(.readingStopped(failure)) }
                finishReading(length)
            }
        } catch {
            // If a newer seek or closing cancelled the read, the source is not at its end.
            if !isObsolete { finishReading(nil) }
        }
    }

    /// Whether the current read is obsolete, because a newer seek is pending or the source is closed.
    var isObsolete: Bool { state.withLock { $0.isReadingObsolete } }

    /// Removes queued packets from the given decoding times on, because the packets read next replace them.
    private func discard(from times: [Int: Int64]) {
        state.update { [tracks] state in
            guard state.seek == nil else { return }
            for (track, time) in times {
                state.packets.removeLast(of: track, from: time) { tracks.decodingTime(of: $0) }
            }
        }
    }

    /// Handles the end of the source: ends all tracks and a pending search for the first frame. `length` is the
    /// measured duration.
    private mutating func finishReading(_ length: Int64?) {
        isAtEnd = true
        if let length, length != reportedLength {
            reportedLength = length
            outputs.report(.durationKnown(length))
        }
        if let request = seekResolution.take()?.request { finishSeek(request) }
        endTracks()
    }

    /// Ends all tracks, unless a newer seek is pending. A seek requires running tracks, because ended tracks request no
    /// packets.
    func endTracks() { state.update { if $0.seek == nil { $0.packets.end() } } }

    /// Records a track's new format, and passes it to the decoder after the packets of the old format.
    private func changeFormat(_ track: Int, to parameters: CodecParameters) {
        state.update { state in
            state.tracks.formats[track] = parameters
            state.packets.changeFormat(of: track, to: parameters)
        }
    }

    /// Passes a packet to its decoder. The first packets after an inexact seek decide at which time playback continues.
    private mutating func handle(_ packet: Packet) {
        let track = packet.track
        guard let kind = tracks.kinds[track] else { return }
        if packet.isEncrypted { return failEncryptedTrack(track) }
        if kind == .subtitle { return storeSubtitlePacket(packet) }
        guard var resolution = seekResolution.take() else { return push(packet) }
        var action = resolution.handle(
            track == tracks.movingVideo ? .video(time: tracks.time(of: packet), isKeyframe: packet.isKeyframe) : .audio)
        do throws(MediaError) {
            if case .advance(let time, let limit) = action {
                action = resolution.handleMoveResult(try source.advanceToKeyframe(after: time, upTo: limit))
            }
            if case .seekExactly(let request) = action { try source.seek(to: request.time) }
        } catch {
            if isObsolete { return }
            // Only the seek failed: continue reading at the current position.
            outputs.report(.seekFailed(generation: resolution.request.generation, error))
            heldPackets = HeldPackets()
            return finishSeek(resolution.request)
        }
        switch action {
        case .resolved(let request):
            finishSeek(request)
            push(packet)
        case .seekExactly(let request):
            heldPackets = HeldPackets()
            finishSeek(request)
        case .hold:
            heldPackets.hold(packet)
            seekResolution = resolution
        case .skip, .advance:
            heldPackets = HeldPackets()
            seekResolution = resolution
        }
    }

    /// Enqueues a packet for its decoder, unless a newer seek makes the packet obsolete.
    func push(_ packet: Packet) {
        let track = packet.track, time = tracks.decodingTime(of: packet), isCoverPicture = tracks.isCoverPicture(track)
        state.update { state in
            guard state.seek == nil else { return }
            if let time {
                let readUntil = state.subtitlePackets.readUntil ?? .min
                state.subtitlePackets.readUntil = max(readUntil, time &- state.tracks.origin)
            }
            state.packets.push(packet, track: track, time: time)
            // A cover picture consists of one packet, so no more packets are needed.
            if isCoverPicture { state.packets.end(track: track) }
        }
    }

    /// Stores a subtitle packet for the thread that decodes its track, now or after a later selection.
    func storeSubtitlePacket(_ packet: Packet) {
        state.update { state in
            // Packets read before a pending seek are obsolete.
            if state.seek == nil { state.subtitlePackets.push(packet, track: packet.track) }
        }
    }

    /// Ends a track whose packets are encrypted, and reports an error.
    private func failEncryptedTrack(_ track: Int) {
        let wasPlayed = state.update { state in
            defer { state.packets.removeTrack(track) }
            return state.packets.hasTrack(track)
        }
        guard wasPlayed else { return }
        let error = MediaError(.unsupportedCodec, "is encrypted, and no key is available")
        outputs.report(.trackFailed(track == tracks.playedTracks.video ? .video : .audio, error))
    }
}
