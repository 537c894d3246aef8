import CFFmpeg
import SharedFrames
import SystemCalls

/// Starts the decoders of the video and audio tracks, each on a thread of its own.
final class TrackDecoders: Sendable {
    private let configuration: MediaSourceConfiguration
    private let pool: FramePool
    private let state: Monitor<PipelineState>
    private let outputs: SourceOutputs
    private let threads: SourceThreads
    /// The rule that selects the pictures to deinterlace; the video decoder reads it before each packet.
    private let deinterlacing: Monitor<Deinterlacing>
    /// The player's requirements for the video decoder, which reads them before each packet.
    private let demand = Monitor(DecodingDemand())
    /// The largest number of threads of the video decoder; nil for no limit.
    private let threadLimit: Monitor<Int?>
    /// The histogram of the decoding times of frames.
    private let decodeTimeHistogram = Monitor(TimeHistogram())

    init(
        _ configuration: MediaSourceConfiguration, pool: FramePool, state: Monitor<PipelineState>,
        outputs: SourceOutputs, threads: SourceThreads
    ) {
        (self.configuration, self.pool, self.state, self.outputs, self.threads) = (
            configuration, pool, state, outputs, threads
        )
        deinterlacing = Monitor(configuration.deinterlacing)
        threadLimit = Monitor(configuration.decoderThreadLimit)
    }

    /// The histogram of the decoding times of frames, excluding the time spent waiting.
    var decodeTimes: TimeHistogram { decodeTimeHistogram.withLock { $0 } }

    /// Sets which pictures are deinterlaced, for pictures decoded from now on.
    func setDeinterlacing(_ rule: Deinterlacing) { deinterlacing.withLock { $0 = rule } }

    /// Sets the requirements for the video decoder, for packets decoded from now on. A running decoder is replaced as
    /// for ``setThreadLimit(_:)``.
    func setDecodingDemand(_ demand: DecodingDemand) { self.demand.withLock { $0 = demand } }

    /// Sets the largest number of threads of the video decoder; nil for no limit. A running decoder is replaced at the
    /// next keyframe at which the replacement loses no picture.
    func setThreadLimit(_ limit: Int?) { threadLimit.withLock { $0 = limit } }

    /// Whether audio is not played and not needed for checksums, so that it is not decoded if there is video.
    var ignoresAudio: Bool { !configuration.decodesAudio && configuration.audioChecksumHash == nil }

    /// Starts to decode a video track from the next packets read.
    func startVideo(_ parameters: CodecParameters, track: Int) throws(MediaError) {
        let (decoderRun, origin) = state.update { ($0.beginRun(.video, track: track), $0.tracks.origin) }
        try startThread("video decode", track) { [self] in
            do throws(MediaError) {
                try decodeVideo(parameters, track, decoderRun, origin)
            } catch { reportFailure(of: decoderRun, error) }
        }
    }

    /// Decodes a video track until the track is no longer selected. Runs on the video decoding thread.
    private func decodeVideo(_ parameters: CodecParameters, _ track: Int, _ decoderRun: DecoderRun, _ origin: Int64)
        throws(MediaError)
    {
        var parameters = parameters, hasChangedParameters = false, entryPoints = DecoderEntryPoints(parameters)
        var plan = DecoderThreadPlan(), x264Build: Int32?
        var threading = self.threading(parameters, plan)
        func makeDecoder(_ parameters: CodecParameters) throws(MediaError) -> VideoDecoder {
            try VideoDecoder(
                parameters: parameters, origin: origin, pool: pool, threading: threading, x264Build: x264Build,
                checksumHash: configuration.checksumHash, warn: { [outputs] in outputs.report(.warning($0)) })
        }
        let video = outputs.video
        func isWanted(_ generation: UInt32) -> Bool { video.accepts(generation: generation) }
        func deliver(_ item: DecodedVideo, _ generation: UInt32) -> Bool {
            video.push(item, cost: 1, generation: generation)
        }
        var decoder = try makeDecoder(parameters), latestSeek: SeekRequest?
        while true {
            let item = nextItem(track, decoderRun, parameters.timeBase)
            decoder.deinterlacing = deinterlacing.withLock { $0 }
            decoder.apply(demand.withLock { $0 })
            switch item {
            case .flush(let request):
                latestSeek = request
                plan.recordSeek()
                let seekThreading = self.threading(parameters, plan)
                if seekThreading != threading, !hasChangedParameters, !decoder.canContinue(to: request) {
                    threading = seekThreading
                    decoder = try makeDecoder(parameters)
                }
                decoder.restart(request)
            case .packet(let packet):
                plan.recordPacket(frameRate: parameters.frameRate, processorTime: MonotonicTime.processorTime)
                let newThreading = self.threading(parameters, plan)
                hasChangedParameters = hasChangedParameters || packet.changesParameters
                if newThreading != threading, !hasChangedParameters, decoder.canBeReplaced,
                    entryPoints.contains(packet)
                {
                    threading = newThreading
                    try decoder.drain(isWanted: isWanted, deliver: deliver)
                    decoder = try makeDecoder(parameters)
                    if let latestSeek { decoder.restart(latestSeek) }
                }
                // Joined streams may come from different builds: the newest number applies.
                if parameters.isH264, let number = X264Build.number(in: packet) { x264Build = number }
                let startTime = MonotonicTime.now
                var waitTime: Int64 = 0
                let wasDecoded = try decoder.decode(packet, isWanted: isWanted) { item, generation in
                    let waitStart = MonotonicTime.now
                    defer { waitTime += MonotonicTime.now - waitStart }
                    return deliver(item, generation)
                }
                let decodeTime = MonotonicTime.now - startTime - waitTime
                if wasDecoded {
                    decodeTimeHistogram.withLock { $0.record(nanoseconds: decodeTime) }
                    plan.recordDecoding(decodeTime, threadCount: threading.count, frameRate: parameters.frameRate)
                }
            case .format(let newParameters):
                try decoder.drain(isWanted: isWanted, deliver: deliver)
                (parameters, entryPoints) = (newParameters, DecoderEntryPoints(newParameters))
                hasChangedParameters = false
                x264Build = nil
                plan = DecoderThreadPlan()
                threading = self.threading(newParameters, plan)
                decoder = try makeDecoder(newParameters)
                if let latestSeek { decoder.restart(latestSeek) }
            case .end: try decoder.decode(nil, isWanted: isWanted, deliver: deliver)
            case .gap: break
            case nil: return
            }
        }
    }

    /// Returns the threads with which a video track is decoded at present. A limit of threads means that the program is
    /// in the background, or that memory is short.
    private func threading(_ parameters: CodecParameters, _ plan: DecoderThreadPlan) -> DecoderThreading {
        let limit = threadLimit.withLock { $0 }, demand = self.demand.withLock { $0 }
        let count = configuration.decoderThreads ?? plan.threadCount(for: parameters.pictureSize, limit: limit, demand)
        return DecoderThreading(
            count: count, priority: limit != nil && count > 1 ? .backgroundDecoding : nil,
            dividesPictures: DecoderThreads.dividesPictures(
                of: parameters.pictureSize, hasWavefronts: parameters.hasWavefronts))
    }

    /// Starts to decode an audio track.
    ///
    /// - Parameter marker: The time and generation at which decoding of the track's kept packets starts; nil
    ///   decodes the packets that are read next.
    func startAudio(_ parameters: CodecParameters, track: Int, from marker: SeekRequest? = nil) throws(MediaError) {
        let (decoderRun, origin) = state.update { ($0.beginRun(.audio, track: track, from: marker), $0.tracks.origin) }
        try startThread("audio decode", track) { [self] in
            do throws(MediaError) {
                try decodeAudio(parameters, track, decoderRun, origin)
            } catch { reportFailure(of: decoderRun, error) }
        }
    }

    /// Decodes an audio track until the track is no longer selected; waits first until the player has chosen an audio
    /// format. Runs on the audio decoding thread.
    private func decodeAudio(_ parameters: CodecParameters, _ track: Int, _ decoderRun: DecoderRun, _ origin: Int64)
        throws(MediaError)
    {
        /// The output that the player requires of the audio decoder.
        enum Demand: Sendable {
            case stop
            case blocks(PCMFormat)
            case checksumsOnly
        }
        let demand: Demand? = state.wait { [deliversAudio = configuration.decodesAudio] state in
            if !state.isCurrent(decoderRun) { return .stop }
            switch state.audioDemand {
            case .refused: return .stop
            case .format(let format) where deliversAudio: return .blocks(format)
            case .undecided where deliversAudio: return nil
            case .format, .undecided: return .checksumsOnly
            }
        }
        let format: PCMFormat?
        switch demand {
        case .blocks(let blockFormat): format = blockFormat
        case .checksumsOnly: format = nil
        case .stop, nil: return endUnneededTrack(of: decoderRun)
        }
        var checksumHandler: (@Sendable (AudioChecksum) -> Void)?
        if configuration.audioChecksumHash != nil { checksumHandler = { [outputs] in outputs.report(decoded: $0) } }
        let checksumHash = configuration.audioChecksumHash ?? .md5
        func deliver(_ item: DecodedAudio, _ generation: UInt32) -> Bool { outputs.deliver(item, generation) }
        var decoder = try AudioDecoder(
            parameters: parameters, origin: origin, format: format, checksumHash: checksumHash,
            checksumHandler: checksumHandler)
        var latestSeek: SeekRequest?
        while true {
            switch nextItem(track, decoderRun, parameters.timeBase) {
            case .flush(let request):
                latestSeek = request
                decoder.restart(request)
            case .packet(let packet): try decoder.decode(packet, deliver: deliver)
            case .format(let newParameters):
                try decoder.drain(deliver: deliver)
                decoder = try AudioDecoder(
                    parameters: newParameters, origin: origin, format: format, checksumHash: checksumHash,
                    checksumHandler: checksumHandler)
                if let latestSeek { decoder.restart(latestSeek) }
            case .end: try decoder.decode(nil, deliver: deliver)
            case .gap(let end): decoder.fillGap(until: end, deliver: deliver)
            case nil: return
            }
        }
    }

    /// Starts a decoding thread. If that fails, removes the track's queue.
    private func startThread(_ name: String, _ track: Int, _ body: @escaping @Sendable () -> Void) throws(MediaError) {
        do {
            try threads.spawn(name, body)
        } catch {
            state.withLock { $0.packets.removeTrack(track) }
            throw MediaError(.outOfMemory, "cannot start a thread: \(error.reason)")
        }
    }

    /// Waits for the next item of the track's queue and returns it; nil if the decoder must end.
    private func nextItem(_ track: Int, _ decoderRun: DecoderRun, _ timeBase: TimeBase) -> PacketBuffer.Item? {
        var mayResumeReading = false
        let item: PacketBuffer.Item?? = state.wait { state in
            guard state.isCurrent(decoderRun) else { return .some(nil) }
            let item = state.packets.pop(track: track) { timeBase.nanoseconds($0.pointer.pointee.dts) }
            mayResumeReading = state.packets.mayResumeReading
            return item.map { .some($0) }
        }
        if mayResumeReading { state.notify() }
        return item ?? nil
    }

    /// Ends a track whose decoder failed, and reports the failure.
    private func reportFailure(of decoderRun: DecoderRun, _ error: MediaError) {
        if endTrack(of: decoderRun) { outputs.report(.trackFailed(decoderRun.kind == .video ? .video : .audio, error)) }
    }

    /// Ends the track of an audio decoder whose output is not needed, unless another decoder has replaced that decoder.
    private func endUnneededTrack(of decoderRun: DecoderRun) { _ = endTrack(of: decoderRun) }

    /// Ends the track of a decoder that stops, so that the track's packets do not block the other tracks.
    ///
    /// - Returns: false if another decoder of the same kind has already replaced this one.
    private func endTrack(of decoderRun: DecoderRun) -> Bool {
        state.update { state in
            guard state.tracks.isCurrent(decoderRun) else { return false }
            state.endRun(decoderRun.kind)
            return true
        }
    }
}
