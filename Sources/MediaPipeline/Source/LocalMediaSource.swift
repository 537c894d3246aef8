import SharedFrames
import SystemCalls

/// A ``MediaSource`` that reads and decodes in this process.
///
/// Threads: "demux" (``PacketReader``), "video decode" and "audio decode" (``TrackDecoders``), "subtitle decode"
/// (``SubtitleTracks``). They share ``PipelineState``. Each thread retains what it uses, so that a detached thread
/// keeps it until the thread returns.
package final class LocalMediaSource: MediaSource {
    package let location: String
    private let configuration: MediaSourceConfiguration
    private let packets: any PacketSource
    let outputs: SourceOutputs
    let state: Monitor<PipelineState>
    private let threads: SourceThreads
    private let decoders: TrackDecoders
    private let subtitleTracks: SubtitleTracks
    private let isRemote: Bool

    /// - Parameters:
    ///   - pool: The memory for decoded frames; owned by the user of the frames.
    ///   - arrival: Signalled when a frame or an event arrives in an empty queue.
    ///   - soundArrival: Signalled when audio arrives in an empty queue.
    package convenience init(
        location: String, configuration: MediaSourceConfiguration, pool: FramePool, arrival: EventDescriptor,
        soundArrival: EventDescriptor
    ) throws(SystemCallError) {
        let opener = try MediaOpener(policy: configuration.policy)
        self.init(
            ContainerSource(
                location, configuration.tracks, readsOtherTracks: configuration.readsOtherTracks, opener: opener),
            location: location, configuration: configuration, pool: pool, arrival: arrival, soundArrival: soundArrival)
    }

    /// Creates a source that plays the packets of `packets`.
    init(
        _ packets: any PacketSource, location: String, configuration: MediaSourceConfiguration, pool: FramePool,
        arrival: EventDescriptor,
        soundArrival: EventDescriptor
    ) {
        Self.silenceFFmpeg
        (self.location, self.configuration, self.packets) = (location, configuration, packets)
        isRemote = if case .network? = try? configuration.policy.locate(location) { true } else { false }
        var state = PipelineState()
        state.packets.limit = configuration.packetLimit ?? (isRemote ? .network : PacketBuffer.Limit())
        self.state = Monitor(state)
        outputs = SourceOutputs(configuration, arrival: arrival, soundArrival: soundArrival)
        threads = SourceThreads()
        decoders = TrackDecoders(configuration, pool: pool, state: self.state, outputs: outputs, threads: threads)
        subtitleTracks = SubtitleTracks(configuration, state: self.state, outputs: outputs, threads: threads)
    }

    /// Silences FFmpeg's log once per process, unless the program has set a level: by default FFmpeg writes to standard
    /// error.
    static let silenceFFmpeg: Void = FFmpegLog.setDefault()

    package var video: any MediaOutput<VideoItem> { outputs.video }
    package var audio: any MediaOutput<AudioItem> { outputs.audio }
    package var subtitles: any MediaOutput<SubtitleItem> { outputs.subtitles }
    package var events: any MediaOutput<MediaEvent> { outputs.events }

    package func start() throws(SystemCallError) {
        try threads.spawn("demux") { [packets, configuration, state, outputs, decoders, subtitleTracks, location] in
            var reader = PacketReader(packets, configuration, state: state, outputs: outputs, decoders: decoders) {
                subtitleTracks.tracks(beside: location)
            }
            reader.run()
        }
    }

    package func setSoundFormat(_ format: PCMFormat?) {
        state.update { $0.sound = format.map { .format($0) } ?? .refused }
        // A decoder must not wait for space in a queue that is no longer read.
        if format == nil { outputs.audio.close() }
    }

    package func setDeinterlacing(_ new: Deinterlacing) { decoders.setDeinterlacing(new) }

    package func seek(_ request: SeekRequest) {
        var request = request
        request.time = request.time.boundedTime
        // Reset the queues first. Otherwise a short item could be read and decoded again before the queues accept the
        // new generation, and be refused.
        outputs.video.reset(to: request.generation)
        outputs.audio.reset(to: request.generation)
        state.update {
            $0.seek = request
            packets.setSeekIsPending(true)
            $0.packets.restart(nil)
            $0.backlog.restart()
        }
    }

    package func selectSound(_ track: Int?, from time: Int64, generation: UInt32) throws(MediaError) -> Bool {
        let found: CodecParameters?? = state.withLock { state in
            guard state.seek == nil else { return nil }
            guard let track else { return .some(nil) }
            guard state.tracks.givesOtherAudio, let parameters = state.tracks.formats[track] else { return nil }
            return .some(parameters)
        }
        guard let found else { return false }
        outputs.audio.reset(to: generation)
        guard let track, let parameters = found else {
            state.update { $0.end(.audio) }
            return true
        }
        try decoders.startAudio(
            parameters, track: track, from: SeekRequest(time: time, precision: .exact, generation: generation))
        return true
    }

    package func selectAtNextSeek(_ kind: MediaTrack.Kind, track: Int?) {
        state.withLock { state in
            if kind == .video { state.nextVideo = .some(track) }
            if kind == .audio { state.nextAudio = .some(track) }
        }
    }

    package func selectSubtitles(_ track: Int?, generation: UInt32) throws(MediaError) {
        try subtitleTracks.select(track, generation: generation)
    }

    package func addSubtitleFile(_ path: String) -> MediaTrack { subtitleTracks.add(path) }

    package var buffering: BufferingState {
        let isIdle = outputs.video.count == 0 && outputs.audio.count == 0
        return state.withLock { state in
            let packets = state.packets
            return BufferingState(
                isEmpty: isIdle && packets.isEmpty, isFull: packets.hasTracks && !packets.wantsMore,
                hasReadAll: packets.hasEnded,
                readAhead: packets.readAhead, readUntil: packets.readUntil.map { $0 - state.tracks.origin },
                bytesRead: packets.bytesRead,
                isRemote: isRemote)
        }
    }

    package var decodeTimes: TimeHistogram { decoders.decodeTimes }

    package func interrupt() {
        packets.interrupt()
        threads.close()
        state.update {
            $0.isClosed = true
            $0.subtitleOpener.take()?.interrupt()
        }
        outputs.close()
    }

    package func join(until deadline: Int64) -> Bool { threads.join(until: deadline) }

    package func leaveBehind() { threads.leaveBehind() }
}
