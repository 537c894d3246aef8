import CFFmpeg
import Glibc
import SharedFrames
import SystemCalls

/// One file or address being played: reads, decodes, and offers frames and sound in bounded queues.
///
/// Threads: "demux", and for each track "video decode" and "audio decode"; started by ``start()``, joined by ``close()``.
/// Everything that comes out is a value or shared memory; any thread may call anything.
package final class MediaSource: Sendable {
    package struct Configuration: Sendable {
        package var policy = OpenPolicy()
        package var tracks = TrackChoice()
        /// Also those that are not chosen, so that choosing them needs no seek.
        package var readsOtherTracks = true
        /// Files of subtitles, and where else to look for some.
        package var subtitleFiles: [String] = []
        package var subtitleSearch = SubtitleFinder.Search.no
        /// Frames decoded ahead of the one that is shown, until the player knows their size.
        package var frameLimit = 2
        /// Nanoseconds of sound decoded ahead.
        package var soundLimit = 600_000_000
        /// nil: what suits the picture.
        package var decoderThreads: Int?
        /// Sound comes out as blocks; else it is only decoded, for ``soundTap`` or as all that there is, and its end told.
        package var givesSound = true
        /// Sees the sound as it was decoded, on the thread "audio decode".
        package var soundTap: (@Sendable (SoundChecksum) -> Void)?
        package var deinterlacing = Deinterlacing.automatic
        /// Each frame says what was decoded for it (``VideoFrame/decoded``).
        package var takesChecksums = false
        /// How far is read ahead; nil: as far as suits a file, or an address.
        package var packetLimit: PacketBuffer.Limit?
        package init() {}
    }

    package let location: String
    /// It is fetched from an address.
    package let isRemote: Bool
    /// Frames, each costing 1.
    package let video: BoundedQueue<VideoItem>
    /// Blocks of sound, costing their nanoseconds.
    package let audio: BoundedQueue<AudioItem>
    /// Subtitles of the chosen track, costing their bytes.
    package let subtitles: BoundedQueue<SubtitleItem>
    /// What happened, in order.
    package let events: BoundedQueue<MediaEvent>

    let configuration: Configuration
    let pool: FramePool
    let opener: MediaOpener
    let control = Monitor(Control())
    let deinterlacing: Monitor<Deinterlacing>
    private let threads = Monitor<[NamedThread]>([])
    let decoding = Monitor(TimeHistogram())

    struct Control {
        var packets = PacketBuffer()
        var seek: SeekRequest?
        var soundFormat: PCMFormat?
        var soundIsRefused = false
        var isClosed = false
        /// Nanoseconds that the container's clock shows at the item's start.
        var origin: Int64 = 0
        /// Of every track that can be chosen.
        var parameters: [Int: CodecParameters] = [:]
        /// Whose decoder runs, and since which change of it.
        var running: [MediaTrack.Kind: Int] = [:]
        var tickets: [MediaTrack.Kind: UInt32] = [:]
        /// The picture that the next seek goes on with; `.some(nil)`: none.
        var nextVideo: Int??
        var nextAudio: Int??
        var hasIdleSound = true
        var backlog = SubtitleBacklog()
        var fonts: [SubtitleFont] = []
        var external: [Int: String] = [:]
        /// Of the file of subtitles that is being read.
        var subtitleOpener: MediaOpener?
    }

    /// - Parameters:
    ///   - pool: where the decoder finds memory; the user of the frames owns it.
    ///   - arrival: signalled when a frame or an event arrives.
    ///   - soundArrival: signalled when sound arrives.
    package init(location: String, configuration: Configuration, pool: FramePool, arrival: EventDescriptor, soundArrival: EventDescriptor) throws(SystemCallError) {
        Self.silenceFFmpeg
        self.location = location
        self.configuration = configuration
        self.pool = pool
        deinterlacing = Monitor(configuration.deinterlacing)
        opener = try MediaOpener(policy: configuration.policy)
        isRemote = if case .network? = try? configuration.policy.locate(location) { true } else { false }
        let limit = configuration.packetLimit ?? (isRemote ? .network : PacketBuffer.Limit())
        control.withLock { $0.packets.limit = limit }
        video = BoundedQueue(limit: configuration.frameLimit, arrival: arrival)
        audio = BoundedQueue(limit: configuration.soundLimit, arrival: soundArrival)
        subtitles = BoundedQueue(limit: Self.subtitleLimit)
        events = BoundedQueue(limit: 64, arrival: arrival)
    }

    /// Once a process, unless a program has chosen a level before: FFmpeg's default writes to standard error.
    static let silenceFFmpeg: Void = FFmpegLog.setDefault()

    /// Begins to open. The outcome is an event.
    package func start() throws(SystemCallError) {
        let thread = try NamedThread("demux") { self.runDemuxer() }
        threads.withLock { $0.append(thread) }
    }

    /// The form in which sound is wanted; decoding of it waits for this, unless none is given out. nil: no sound is wanted.
    package func setSoundFormat(_ format: PCMFormat?) {
        control.update {
            $0.soundFormat = format
            $0.soundIsRefused = format == nil
        }
        // Whoever decodes it must not wait for room that nobody makes.
        if format == nil { audio.close() }
    }

    /// Which pictures are deinterlaced, of those decoded from now on.
    package func setDeinterlacing(_ new: Deinterlacing) { deinterlacing.withLock { $0 = new } }

    /// Goes elsewhere. What was decoded before is gone when this returns; what comes carries `request.generation`.
    package func seek(_ request: SeekRequest) {
        var request = request
        request.time = request.time.boundedTime
        // First: a short item may have been read and decoded anew, and refused here as too new, before the last line.
        video.reset(to: request.generation)
        audio.reset(to: request.generation)
        control.update {
            $0.seek = request
            opener.setSeekIsPending(true)
            $0.packets.restart(nil)
            $0.backlog.restart()
        }
    }

    /// What each frame cost the decoding thread, waiting for packets and for room left out.
    package var decodeTimes: TimeHistogram { decoding.withLock { $0 } }

    /// Nanoseconds read ahead of the decoders.
    package var readAhead: Int64 { control.withLock { $0.packets.readAhead } }

    /// Nanoseconds that closing waits for the threads.
    package static let closingPatience: Int64 = 300_000_000

    /// Makes all threads end soon, and gives up what is queued. Does not wait; idempotent.
    package func interrupt() {
        opener.interrupt()
        control.update {
            $0.isClosed = true
            $0.subtitleOpener.take()?.interrupt()
        }
        video.close()
        audio.close()
        subtitles.close()
        events.close()
    }

    /// Waits for the threads after ``interrupt()``, until `deadline` (host nanoseconds).
    ///
    /// - Returns: whether all of them are gone.
    package func join(until deadline: Int64) -> Bool {
        while let thread = threads.withLock({ $0.popLast() }) {
            guard thread.join(until: deadline) else {
                threads.withLock { $0.append(thread) }
                return false
            }
        }
        return true
    }

    /// Waits no more for threads that hang in a call which cannot be called off: looking up a name, reading from a file system that does
    /// not answer. Each holds this object and everything it uses, and lets go of it when the call returns, if ever.
    package func leaveBehind() {
        while let thread = threads.withLock({ $0.popLast() }) { thread.leaveBehind() }
    }

    /// Ends all threads and gives up what is queued. Returns when they are gone, or after ``closingPatience``: those that hang are left
    /// behind.
    package func close() {
        interrupt()
        if !join(until: MonotonicTime.now + Self.closingPatience) { leaveBehind() }
    }

    /// Of warnings no more are kept than the queue's limit: a damaged file has one for each of its packets.
    func report(_ event: MediaEvent) {
        if case .warning = event, events.count >= events.limit { return }
        _ = events.pushWithoutWaiting(event, cost: 1, generation: 0)
    }

    /// Starts a thread of a track. One of the same name that was there before is joined by it first: it is on its way out.
    func spawn(_ name: String, _ body: @escaping @Sendable () -> Void) throws(SystemCallError) {
        try threads.withLock { (threads: inout [NamedThread]) throws(SystemCallError) in
            // A demuxer that was left behind may come back after the threads were joined: no owner joins what it starts.
            guard !control.withLock({ $0.isClosed }) else { throw SystemCallError(call: "pthread_create", number: ECANCELED) }
            let old = threads.filter { $0.name == name }
            threads.removeAll { $0.name == name }
            do throws(SystemCallError) {
                threads.append(try NamedThread(name) {
                    for thread in old { thread.join() }
                    body()
                })
            } catch {
                threads += old
                throw error
            }
        }
    }
}
