import SystemCalls

/// One file or address that is being played: it is read and decoded, and offers frames, sound and subtitles in bounded
/// queues.
///
/// ## Meaning
///
/// `start()` begins to open. Either `.opened` follows, with all that is known of the item, or `.failed`, after which
/// nothing more comes; `.trackFailed` and `.soundDecoded` may come before `.opened`. Frames come without further
/// request. Sound comes once ``setSoundFormat(_:)`` has said in which form. Subtitles come of the track that
/// ``selectSubtitles(_:generation:)`` has chosen. Video and audio queues deliver `.end` after the last item of a
/// generation; a seek afterwards makes them go on.
///
/// Times are nanoseconds on the item's timeline, which starts at 0. Everything decoded carries the generation of the
/// seek before it (0 before the first), so that a consumer can tell old items from new ones.
///
/// ## Vocabulary
///
/// Arguments, results, items and events are values and shared frames (``VideoFrame``: memory that can be mapped into
/// another process). No closure crosses this protocol, and no type of a decoding library. Therefore an implementation
/// may stand for a decoder in another process. How an implementation is created is its own affair; ``LocalMediaSource``
/// decodes in this process.
///
/// ## Threads
///
/// Any thread may call any method. No method but ``join(until:)`` and ``close()`` waits for reading, decoding or a
/// device. The descriptors that an implementation is created with are signalled when a queue that was empty receives an
/// item.
///
/// ## Ownership
///
/// The consumer owns the source and ends it: ``interrupt()``, then ``join(until:)``, then ``leaveBehind()`` if threads
/// hang; or ``close()``, which does all three. Frames stay valid after that: each holds its memory until the last
/// reference goes. A source is not opened twice.
///
/// ## Errors
///
/// Errors of the item are events (``MediaEvent``), not results: `.failed` ends the item, `.trackFailed` ends one track,
/// `.seekFailed` ends one seek, `.readingStopped` means that what was read before still plays, and `.warning` stops
/// nothing. Methods throw only where a resource of this process is missing, such as a thread. A process that implements
/// a source and crashes reports `.failed`, or `.readingStopped` if the item is open.
package protocol MediaSource: AnyObject, Sendable {
    /// What the user asked for: a path or an address.
    var location: String { get }
    /// Frames of the chosen video track, each costing 1.
    var video: any MediaOutput<VideoItem> { get }
    /// Blocks of the chosen audio track, each costing its nanoseconds.
    var audio: any MediaOutput<AudioItem> { get }
    /// Subtitles of the chosen track, each costing its bytes.
    var subtitles: any MediaOutput<SubtitleItem> { get }
    /// What happened, in order. Warnings are dropped while the queue is full; other events are not.
    var events: any MediaOutput<MediaEvent> { get }

    /// Begins to open. Called once.
    ///
    /// - Throws: when no thread (or process) can be started; the source is then of no use.
    func start() throws(SystemCallError)

    /// Chooses the form in which sound is given; decoding of sound waits for the first call. nil: no sound is wanted,
    /// for good.
    func setSoundFormat(_ format: PCMFormat?)

    /// Chooses which pictures are deinterlaced, of those decoded from now on.
    func setDeinterlacing(_ new: Deinterlacing)

    /// Goes to another time. When this returns, the queues of frames and sound are empty, and what comes carries
    /// `request.generation`. Of several seeks the newest counts; older ones are called off without an event.
    ///
    /// The first frame is the one that `request.precision` describes. A seek that fails is reported by `.seekFailed`;
    /// the item goes on from where it is, with the new generation.
    func seek(_ request: SeekRequest)

    /// Goes over to another audio track, or to none, while everything else goes on. The queue of sound is empty when
    /// this returns.
    ///
    /// - Parameters:
    ///   - time: from where on the track is wanted.
    ///   - generation: what comes carries it; each call needs another.
    /// - Returns: false when the change needs a seek: ``selectAtNextSeek(_:track:)``.
    func selectSound(_ track: Int?, from time: Int64, generation: UInt32) throws(MediaError) -> Bool

    /// Makes the next seek go on with another track of `kind`, or (nil) without one.
    func selectAtNextSeek(_ kind: MediaTrack.Kind, track: Int?)

    /// Gives the subtitles of another track, or of none. The queue of subtitles is empty when this returns; `.begin`
    /// comes before the new track's events.
    ///
    /// - Parameter generation: each call needs another.
    func selectSubtitles(_ track: Int?, generation: UInt32) throws(MediaError)

    /// Adds a file of subtitles, which can be chosen from now on. It is opened when it is chosen.
    func addSubtitleFile(_ path: String) -> MediaTrack

    /// How much there is to play at once.
    var buffering: BufferingState { get }

    /// What each frame cost the decoding thread, without the time it waited for packets and for room.
    var decodeTimes: TimeHistogram { get }

    /// Makes all threads end soon and empties the queues. Does not wait. Idempotent.
    func interrupt()

    /// Waits for the threads after ``interrupt()``.
    ///
    /// - Parameter deadline: host nanoseconds.
    /// - Returns: whether all threads have ended.
    func join(until deadline: Int64) -> Bool

    /// Gives up threads that hang in a call which cannot be called off: a name look-up, or a read from a file system
    /// that does not answer. Each keeps what it uses until the call returns.
    func leaveBehind()
}

/// How long closing a ``MediaSource`` waits.
package enum MediaSourceClosing {
    /// Nanoseconds that closing waits for the threads.
    package static let patience: Int64 = 300_000_000
}

extension MediaSource {
    /// Ends the source: returns when its threads have ended, or after ``MediaSourceClosing/patience``, leaving behind
    /// those that hang.
    package func close() {
        interrupt()
        if !join(until: MonotonicTime.now + MediaSourceClosing.patience) { leaveBehind() }
    }
}
