import HTTPTransfer
import SharedFrames
import SystemCalls

/// A ``MediaSource`` that reads and decodes in this process.
///
/// The reading thread (named "demux") runs the ``PacketReader``. ``TrackDecoders`` starts the threads that decode video
/// and audio, and ``SubtitleTracks`` starts the thread that decodes subtitles. The threads share ``PipelineState``.
/// Each thread retains the objects that it uses, so that these objects outlive the source if the thread is detached.
package final class LocalMediaSource: MediaSource {
    /// The path or address that the user requested.
    package let location: String
    private let configuration: MediaSourceConfiguration
    /// The source of the item's packets.
    private let packetSource: any PacketSource
    /// The queues from which the player takes frames, audio, subtitles and events.
    let outputs: SourceOutputs
    /// The state that the threads of this source share.
    let state: Monitor<PipelineState>
    private let threads: SourceThreads
    private let decoders: TrackDecoders
    private let subtitleTracks: SubtitleTracks
    /// The player's requirements for a stream, and the state of the stream.
    private let demand: StreamDemand
    /// Whether the item comes from the network.
    private let isRemote: Bool
    /// The limits of reading ahead that the item's configuration sets, or the default ones.
    private let basePacketLimit: PacketBuffer.Limit

    /// Creates a source for a path or an address. Does not open it yet.
    ///
    /// - Parameters:
    ///   - pool: The memory for decoded frames; owned by the user of the frames.
    ///   - arrival: Signalled when a frame arrives in the empty frame queue, or an event in the empty event queue.
    ///   - audioArrival: Signalled when audio arrives in the empty audio queue.
    package convenience init(
        location: String, configuration: MediaSourceConfiguration, pool: FramePool, arrival: EventDescriptor,
        audioArrival: EventDescriptor
    ) throws(SystemCallError) {
        let demand = StreamDemand(configuration.streamDemand)
        var configuration = configuration
        configuration.policy.http.observation = TransferObservation(demand.downloads)
        self.init(
            try Self.packetSource(of: location, configuration, demand: demand), location: location,
            configuration: configuration, demand: demand, pool: pool, arrival: arrival, audioArrival: audioArrival)
        demand.downloads.setReporter { [outputs] in outputs.report($0) }
        demand.setPlayhead { [state] in
            state.withLock { state in
                state.packets.playhead.map { $0 &- state.tracks.origin }
            }
        }
    }

    /// Returns the source of an item's packets, including the packets of its separate audio files.
    private static func packetSource(
        of location: String, _ configuration: MediaSourceConfiguration, demand: StreamDemand
    ) throws(SystemCallError) -> MergedSource {
        var audioConfiguration = configuration
        audioConfiguration.tracks = TrackChoice()
        audioConfiguration.tracks.selections.video = .off
        audioConfiguration.readsOtherTracks = false
        audioConfiguration.policy.http.observation = nil
        return MergedSource(
            try ItemSource(location, configuration, demand: demand), files: configuration.audioFiles,
            choice: configuration.tracks
        ) { [audioConfiguration] location throws(MediaError) in
            do throws(SystemCallError) {
                return try ItemSource(location, audioConfiguration, demand: StreamDemand())
            } catch { throw MediaError(.outOfMemory, "no descriptor for an audio file: \(error.reason)") }
        }
    }

    /// Creates a source that plays the packets of `packets`.
    init(
        _ packets: any PacketSource, location: String, configuration: MediaSourceConfiguration,
        demand: StreamDemand = StreamDemand(), pool: FramePool, arrival: EventDescriptor, audioArrival: EventDescriptor
    ) {
        Self.silenceFFmpeg
        self.demand = demand
        (self.location, self.configuration, self.packetSource) = (location, configuration, packets)
        isRemote = if case .network? = try? configuration.policy.locate(location) { true } else { false }
        var state = PipelineState()
        state.packets.limit = configuration.packetLimit ?? (isRemote ? .network : PacketBuffer.Limit())
        basePacketLimit = state.packets.limit
        if let time = configuration.readingDemand.readAhead { state.packets.limit.time = time }
        if isRemote, configuration.packetLimit == nil, let bytes = configuration.readingDemand.byteLimit {
            state.packets.limit.bytes = min(bytes, basePacketLimit.bytes)
        }
        demand.set(configuration.readingDemand)
        state.newKeptByteLimit = Self.keptByteLimit(configuration.readingDemand, configuration)
        self.state = Monitor(state)
        outputs = SourceOutputs(configuration, arrival: arrival, audioArrival: audioArrival)
        threads = SourceThreads()
        decoders = TrackDecoders(configuration, pool: pool, state: self.state, outputs: outputs, threads: threads)
        subtitleTracks = SubtitleTracks(configuration, state: self.state, outputs: outputs, threads: threads)
    }

    /// Silences FFmpeg's log once per process, unless the program has set a level: by default FFmpeg writes to standard
    /// error.
    static let silenceFFmpeg: Void = FFmpegLog.setDefaultLevel()

    /// The queue of decoded frames.
    package var video: any MediaOutput<DecodedVideo> { outputs.video }
    /// The queue of decoded audio blocks.
    package var audio: any MediaOutput<DecodedAudio> { outputs.audio }
    /// Returns the queue of decoded subtitle events of a layer.
    package func subtitles(_ layer: SubtitleLayer) -> any MediaOutput<SubtitleItem> { outputs.subtitles(layer) }
    /// The queue of the events of the item, such as its errors.
    package var events: any MediaOutput<MediaEvent> { outputs.events }

    /// Starts the reading thread, which opens the item.
    package func start() throws(SystemCallError) {
        try threads.spawn("demux") {
            [packetSource, configuration, state, outputs, decoders, threads, subtitleTracks, location] in
            var reader = PacketReader(
                packetSource, configuration, state: state, outputs: outputs, decoders: decoders, threads: threads
            ) { subtitleTracks.tracks(beside: location) }
            reader.run()
        }
    }

    /// Sets the audio output format, for which audio decoding waits; nil disables audio permanently.
    package func setAudioFormat(_ format: PCMFormat?) {
        state.update { $0.audioDemand = format.map { .format($0) } ?? .refused }
        // A decoder must not wait for space in a queue that is no longer read.
        if format == nil { outputs.audio.close() }
    }

    /// Sets the player's requirements for a stream. They apply to segments that are requested from now on.
    package func setStreamDemand(_ requirements: StreamDemand.Requirements) { demand.set(requirements) }

    /// The variants of a stream and the current choice; nil until a stream is open, and for other items.
    package var streamStatus: StreamStatus? { demand.streamStatus }

    /// The item's downloads so far, in order of time; empty for items that are not from the network.
    package var downloads: [DownloadRun] { isRemote ? demand.downloads.runs : [] }

    /// Sets how far the item is read ahead and how a live stream is followed.
    package func setReadingDemand(_ readingDemand: ReadingDemand) {
        demand.set(readingDemand)
        // Wake the reading thread, whose next action may depend on the new settings.
        state.update { state in
            state.packets.limit.time = readingDemand.readAhead ?? basePacketLimit.time
            state.packets.limit.bytes = byteLimit(readingDemand)
            state.newKeptByteLimit = Self.keptByteLimit(readingDemand, configuration)
        }
    }

    /// Returns the number of received bytes to keep, also of separate audio files; nil if the item's configuration sets
    /// a limit.
    private static func keptByteLimit(_ demand: ReadingDemand, _ configuration: MediaSourceConfiguration) -> Int? {
        configuration.keptByteLimit == nil ? demand.cacheByteLimit : nil
    }

    /// Returns the number of bytes to read ahead. A local file is read ahead by time, and a configured limit is kept.
    private func byteLimit(_ demand: ReadingDemand) -> Int {
        guard isRemote, configuration.packetLimit == nil else { return basePacketLimit.bytes }
        return min(basePacketLimit.bytes, demand.byteLimit ?? .max)
    }

    /// The segments of a stream that can be played; nil until a stream is open, and for other items.
    package var segmentWindow: SegmentWindow? { demand.segmentWindow }

    /// Sets which pictures are deinterlaced, for pictures decoded from now on.
    package func setDeinterlacing(_ deinterlacing: Deinterlacing) { decoders.setDeinterlacing(deinterlacing) }

    /// Sets the requirements for the video decoder, for packets decoded from now on.
    package func setDecodingDemand(_ demand: DecodingDemand) { decoders.setDecodingDemand(demand) }

    /// Sets the largest number of video decoding threads; nil for no limit.
    package func setDecoderThreadLimit(_ limit: Int?) { decoders.setThreadLimit(limit) }

    /// Empties the queues and requests a seek; an older pending seek is cancelled.
    package func seek(_ request: SeekRequest) {
        var request = request
        request.time = request.time.boundedTime
        // Reset the queues first. Otherwise a short item could be read and decoded again before the queues accept the
        // new generation, and be refused.
        outputs.video.reset(to: request.generation)
        outputs.audio.reset(to: request.generation)
        state.update {
            $0.seek = request
            packetSource.setSeekIsPending(true)
            $0.subtitles.announceSeek()
            $0.packets.restart(nil)
            $0.subtitlePackets.restart()
        }
    }

    /// Switches to the kept packets of another audio track, or plays no audio (nil).
    ///
    /// - Returns: false if the switch requires a seek.
    package func selectAudio(_ track: Int?, from time: Int64, generation: UInt32) throws(MediaError) -> Bool {
        let selection: CodecParameters?? = state.withLock { state in
            guard state.seek == nil else { return nil }
            guard let track else { return .some(nil) }
            guard state.tracks.keepsUnplayedPackets(of: track), let parameters = state.tracks.formats[track],
                state.tracks.decodedTracks[.audio].map({ state.tracks.keepsUnplayedPackets(of: $0) }) != false
            else { return nil }
            return .some(parameters)
        }
        guard let selection else { return false }
        outputs.audio.reset(to: generation)
        guard let track, let parameters = selection else {
            state.update { $0.endRun(.audio) }
            return true
        }
        try decoders.startAudio(
            parameters, track: track, from: SeekRequest(time: time, precision: .exact, generation: generation))
        return true
    }

    /// Sets the video or audio track that is played after the next seek; nil plays none.
    package func selectAtNextSeek(_ kind: MediaTrack.Kind, track: Int?) {
        state.withLock { state in
            if kind == .video { state.nextVideoTrack = .some(track) }
            if kind == .audio { state.nextAudioTrack = .some(track) }
        }
    }

    /// Switches to another subtitle track; nil shows no subtitles.
    package func selectSubtitles(
        _ track: Int?, layer: SubtitleLayer = .primary, generation: UInt32
    ) throws(MediaError) {
        try subtitleTracks.select(track, layer: layer, generation: generation)
    }

    /// Adds the track of a subtitle file, without opening the file.
    package func addSubtitleFile(_ file: SubtitleFinder.File) -> MediaTrack { subtitleTracks.add(file) }

    /// Adds or removes a separate audio file.
    package func changeAudioFiles(_ change: AudioFileChange) { state.update { $0.audioFileChanges.append(change) } }

    /// The current state of reading and decoding ahead.
    package var buffering: BufferingState {
        let isIdle = outputs.video.count == 0 && outputs.audio.count == 0
        let playlist = demand.segmentWindow?.playlist
        return state.withLock { state in
            let packets = state.packets
            return BufferingState(
                isEmpty: isIdle && packets.isEmpty, isFull: packets.hasTracks && !packets.needsPackets,
                hasReadAll: packets.hasEnded,
                readAhead: packets.readAhead, readUntil: packets.readUntil.map { $0 - state.tracks.origin },
                bytesRead: packets.bytesRead, packetBytes: packets.byteCount,
                isRemote: isRemote,
                liveTargetDuration: playlist.flatMap { $0.isComplete ? nil : $0.targetDuration })
        }
    }

    /// The histogram of the decoding times of frames, excluding the time spent waiting.
    package var decodeTimes: TimeHistogram { decoders.decodeTimes }

    /// Requests that all threads end, and closes the output queues. Does not wait for the threads.
    package func interrupt() {
        packetSource.interrupt()
        threads.close()
        state.update {
            $0.isClosed = true
            $0.subtitles.interrupt()
        }
        outputs.close()
    }

    /// Waits for all threads to end; returns whether they have ended before `deadline` (host nanoseconds).
    package func join(until deadline: Int64) -> Bool { threads.join(until: deadline) }

    /// Detaches threads that hang in an uninterruptible system call.
    package func detachThreads() { threads.detachAll() }
}
