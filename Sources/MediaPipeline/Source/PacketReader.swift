import CFFmpeg
import SystemCalls

/// Reads a ``PacketSource`` and feeds the decoders, on the thread "demux".
///
/// Opens the source, starts the decoders, and reads while the buffer has space. Executes seeks and determines where
/// each one lands.
struct PacketReader: ~Copyable {
    let source: any PacketSource
    private let configuration: MediaSourceConfiguration
    let state: Monitor<PipelineState>
    let outputs: SourceOutputs
    let decoders: TrackDecoders
    private let findOtherTracks: () -> [MediaTrack]
    var tracks = ReaderTracks()
    /// The seek whose landing is not known yet, and the packets held until it is known.
    var landing: SeekLanding?
    var held = HeldPackets()
    var isAtEnd = false
    private var reportedLength: Int64?

    /// - Parameter findOtherTracks: Returns the tracks of separate files, which follow those of the source; may block.
    init(
        _ source: any PacketSource, _ configuration: MediaSourceConfiguration, state: Monitor<PipelineState>,
        outputs: SourceOutputs,
        decoders: TrackDecoders, findOtherTracks: @escaping () -> [MediaTrack]
    ) {
        (self.source, self.configuration, self.state) = (source, configuration, state)
        (self.outputs, self.decoders, self.findOtherTracks) = (outputs, decoders, findOtherTracks)
    }

    /// Runs until the source is closed or cannot be opened.
    mutating func run() {
        defer { source.close() }
        do throws(MediaError) {
            let info = try open()
            // Probing has opened and closed decoders of its own.
            ProcessMemory.trimHeap()
            outputs.report(.opened(info))
        } catch { return outputs.report(.failed(error)) }
        while true {
            switch nextWork() {
            case .seek(let request): seek(request)
            case .read: read()
            case .tellOfGap: state.update { _ in }
            case .close: return
            }
        }
    }

    // MARK: Opening

    private mutating func open() throws(MediaError) -> MediaInfo {
        let contents = try source.open()
        state.withLock { $0.register(contents, keepsOtherAudio: configuration.readsOtherTracks) }
        tracks = ReaderTracks(contents)
        var info = contents.info, warnings: [String] = []
        // Audio that is neither played nor measured is decoded only if there is no video.
        if decoders.ignoresAudio, info.video != nil { info.audio = nil }
        if let video = info.video, let fault = start(.video, video.streamIndex, &info) {
            warnings.append(fault.message)
            info.video = nil
        }
        if let audio = info.audio, let fault = start(.audio, audio.streamIndex, &info) {
            warnings.append(fault.message)
            info.audio = nil
        }
        tracks.played = PlayedTracks(video: info.video?.streamIndex, audio: info.audio?.streamIndex)
        source.select(tracks.played)
        guard info.video != nil || info.audio != nil else {
            throw warnings.isEmpty
                ? MediaError(.notMedia, Self.emptiness(of: info))
                : MediaError(.unsupportedCodec, warnings.joined(separator: "; "))
        }
        info.warnings = warnings + contents.warnings
        info.tracks += findOtherTracks()
        return info
    }

    /// Returns the error message for an item without video and audio.
    static func emptiness(of info: MediaInfo) -> String {
        let nothing = "has neither picture nor sound"
        return info.streams.subtitle > 0
            ? "there is nothing to play in it but subtitles, which need a film: \(nothing)" : nothing
    }

    /// Starts the decoder of a track. If that fails, marks the track as not playable.
    private func start(_ kind: MediaTrack.Kind, _ track: Int, _ info: inout MediaInfo) -> MediaError? {
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
                state.packets.removeIdle(track)
            }
            return error
        }
    }

    // MARK: Reading

    private enum Work: Sendable {
        case close, read, tellOfGap
        case seek(SeekRequest)
    }

    private func nextWork() -> Work {
        state.wait { [source, isAtEnd] state -> Work? in
            if state.isClosed { return .close }
            if let request = state.seek.take() {
                source.setSeekIsPending(false)
                return .seek(request)
            }
            if isAtEnd { return nil }
            if state.packets.tellOfGap() { return .tellOfGap }
            return state.packets.hasTracks && state.packets.wantsMore ? .read : nil
        } ?? .close
    }

    private mutating func read() {
        do throws(MediaError) {
            switch try source.read() {
            case .packet(let packet): take(packet)
            case .formatChange(let track, let parameters): change(track, to: parameters)
            case .warning(let error): outputs.report(.warning(error))
            case .end(let length, let failure):
                if let failure { outputs.report(.readingStopped(failure)) }
                reachEnd(length)
            }
        } catch {
            // A newer seek or closing cancelled the read: more packets may follow.
            if !isObsolete { reachEnd(nil) }
        }
    }

    /// Whether a newer seek is pending or the source is closed.
    var isObsolete: Bool { state.withLock { $0.isReadingObsolete } }

    private mutating func reachEnd(_ length: Int64?) {
        isAtEnd = true
        if let length, length != reportedLength {
            reportedLength = length
            outputs.report(.durationKnown(length))
        }
        if let request = landing.take()?.request { land(request) }
        endTracks()
    }

    /// Ends all tracks, unless a newer seek is pending. A seek requires running tracks, because ended tracks request no
    /// packets.
    func endTracks() { state.update { if $0.seek == nil { $0.packets.end() } } }

    private func change(_ track: Int, to parameters: CodecParameters) {
        state.update { state in
            state.tracks.formats[track] = parameters
            if state.seek == nil { state.packets.changeFormat(of: track, to: parameters) }
        }
    }

    /// Passes a packet to its decoder, and determines where the preceding seek lands.
    private mutating func take(_ packet: Packet) {
        let track = packet.track
        guard let kind = tracks.kinds[track] else { return }
        if packet.isEncrypted { return refuse(track) }
        if kind == .subtitle { return keep(packet) }
        guard var pending = landing.take() else { return push(packet) }
        var step = pending.arrive(
            track == tracks.moving ? .video(time: tracks.time(of: packet), isKeyframe: packet.isKeyframe) : .audio)
        do throws(MediaError) {
            if case .advance(let time, let limit) = step {
                step = pending.advanced(try source.advanceToKeyframe(after: time, upTo: limit))
            }
            if case .goBack(let request) = step { try source.seek(to: request.time) }
        } catch {
            if isObsolete { return }
            // Only the seek failed: continue reading at the current position.
            outputs.report(.seekFailed(generation: pending.request.generation, error))
            held = HeldPackets()
            return land(pending.request)
        }
        switch step {
        case .land(let request):
            land(request)
            push(packet)
        case .goBack(let request):
            held = HeldPackets()
            land(request)
        case .hold:
            held.hold(packet)
            landing = pending
        case .skip, .advance:
            held = HeldPackets()
            landing = pending
        }
    }

    /// Enqueues a seek's marker, followed by the packets held for it.
    mutating func land(_ request: SeekRequest) {
        state.update { state in
            // A newer seek has already discarded everything.
            if state.seek == nil { state.packets.restart(request) }
        }
        for packet in held.take() { push(packet) }
    }

    private func push(_ packet: Packet) {
        let track = packet.track, time = tracks.decodingTime(of: packet), isWhole = tracks.isStill(track)
        state.update { state in
            guard state.seek == nil else { return }
            if let time { state.backlog.readUntil = max(state.backlog.readUntil ?? .min, time &- state.tracks.origin) }
            state.packets.push(packet, track: track, time: time)
            // A cover consists of one packet.
            if isWhole { state.packets.end(track: track) }
        }
    }

    /// Keeps a subtitle packet for the thread that decodes its track, if there is one.
    func keep(_ packet: Packet) {
        state.update { state in
            // Packets read before a pending seek are obsolete.
            if state.seek == nil { state.backlog.push(packet, track: packet.track) }
        }
    }

    private func refuse(_ track: Int) {
        let wasPlayed = state.update { state in
            defer { state.packets.removeTrack(track) }
            return state.packets.hasTrack(track)
        }
        guard wasPlayed else { return }
        let error = MediaError(.unsupportedCodec, "is encrypted, and no key is available")
        outputs.report(.trackFailed(track == tracks.played.video ? .video : .audio, error))
    }
}
