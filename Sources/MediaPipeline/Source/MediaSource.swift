import SystemCalls

/// One file or address that is being played. It is read and decoded, and provides frames, audio and subtitles in
/// bounded queues.
///
/// ## Behaviour
///
/// `start()` begins to open the item. Either `.opened` follows, with all information about the item, or `.failed`,
/// after which no event follows. `.trackFailed`, `.audioDecoded`, `.requestFailed` and `.variantChanged` may precede
/// `.opened`. Frames arrive without a request. Audio arrives after ``setAudioFormat(_:)`` has set its format. Subtitles
/// arrive for the track chosen with ``selectSubtitles(_:generation:)``. The video and audio queues deliver `.end` after
/// the last item of a generation; a later seek continues them.
///
/// Times are nanoseconds on the item's timeline, which starts at 0. Every decoded item carries the generation of the
/// last seek (0 before the first), so that a consumer can distinguish old items from new items.
///
/// ## Process boundary
///
/// Arguments, results, items and events are values or shared frames (``VideoFrame``: memory that can be mapped into
/// another process). The protocol contains no closures and no types of a decoding library, so that an implementation
/// may represent a decoder in another process. Each implementation defines how it is created; ``LocalMediaSource``
/// decodes in this process.
///
/// ## Threads
///
/// Any thread may call any method. Only ``join(until:)`` and ``close()`` wait for reading, decoding or a device. The
/// descriptors passed at creation are signalled when an empty queue receives an item.
///
/// ## Ownership
///
/// The consumer owns the source and ends it: ``interrupt()``, then ``join(until:)``, then ``detachThreads()`` if
/// threads hang; or ``close()``, which does all three. Frames stay valid after that: each frame retains its memory. A
/// source cannot be opened twice.
///
/// ## Errors
///
/// Errors of the item are events (``MediaEvent``), not results. `.failed` ends the item, `.trackFailed` ends one track,
/// and `.seekFailed` ends one seek. After `.readingStopped`, everything read before is still played. `.warning` has no
/// effect on playback. Methods throw only if a resource of this process is missing, such as a thread. If a process that
/// implements a source crashes, the source reports `.failed`, or `.readingStopped` if the item is open.
package protocol MediaSource: AnyObject, Sendable {
    /// The path or address that the user requested.
    var location: String { get }
    /// The frames of the chosen video track; each costs 1.
    var video: any MediaOutput<DecodedVideo> { get }
    /// The blocks of the chosen audio track; each costs its duration in nanoseconds.
    var audio: any MediaOutput<DecodedAudio> { get }
    /// Returns the subtitles of a layer's chosen track; each costs its size in bytes.
    func subtitles(_ layer: SubtitleLayer) -> any MediaOutput<SubtitleItem>
    /// The events, in order. Warnings and failed requests are dropped while the queue is full; other events are not.
    var events: any MediaOutput<MediaEvent> { get }

    /// Begins to open the item. Call it once.
    ///
    /// - Throws: ``SystemCallError`` if no thread or process can be started; the source is then unusable.
    func start() throws(SystemCallError)

    /// Sets the audio output format. Audio decoding waits for the first call. nil disables audio permanently.
    func setAudioFormat(_ format: PCMFormat?)

    /// Sets the player's requirements for a stream with several variants, such as the size of its picture. They apply
    /// to segments that are requested from now on. No effect on other items.
    func setStreamDemand(_ requirements: StreamDemand.Requirements)

    /// The variants of a stream and the current choice; nil until a stream is open, and for other items.
    var streamStatus: StreamStatus? { get }

    /// The item's downloads so far, in order of time; empty for items that are not from the network. Each seek and each
    /// change of the variant begins a new element. At most 1000 elements are kept, the newest ones.
    var downloads: [DownloadRun] { get }

    /// Sets how far the item is read ahead and how a live stream is followed; applies from now on.
    func setReadingDemand(_ readingDemand: ReadingDemand)

    /// The segments of a stream that can be played, as last loaded; nil until a stream is open, and for other items.
    var segmentWindow: SegmentWindow? { get }

    /// Sets which pictures are deinterlaced; applies to pictures decoded from now on.
    func setDeinterlacing(_ deinterlacing: Deinterlacing)

    /// Sets the requirements for the video decoder. They apply to packets decoded from now on; the number of threads
    /// changes at the next keyframe at which replacing the decoder loses no picture.
    func setDecodingDemand(_ demand: DecodingDemand)

    /// Sets the largest number of video decoding threads, if the item's configuration sets no number; nil for no limit.
    /// Applies at the next keyframe at which replacing the decoder loses no picture.
    func setDecoderThreadLimit(_ limit: Int?)

    /// Seeks to another time. When this method returns, the frame and audio queues are empty, and new items carry
    /// `request.generation`. A newer seek cancels older ones without an event.
    ///
    /// `request.precision` determines the first frame. A failed seek is reported as `.seekFailed`; the item continues
    /// at its current position, with the new generation.
    func seek(_ request: SeekRequest)

    /// Switches to another audio track, or to none (nil), without interrupting the other tracks. The audio queue is
    /// empty when this method returns.
    ///
    /// - Parameters:
    ///   - time: The time from which the track is needed.
    ///   - generation: The generation of the new items; must be unique for each call.
    /// - Returns: false if the switch requires a seek; then use ``selectAtNextSeek(_:track:)``.
    func selectAudio(_ track: Int?, from time: Int64, generation: UInt32) throws(MediaError) -> Bool

    /// Sets the track of `kind` that is played after the next seek; nil plays none.
    func selectAtNextSeek(_ kind: MediaTrack.Kind, track: Int?)

    /// Switches a layer to another subtitle track, or to none (nil). The layer's queue is empty when this method
    /// returns; `.begin` precedes the new track's events.
    ///
    /// - Parameter generation: The generation of the new items; must be unique for each call.
    func selectSubtitles(_ track: Int?, layer: SubtitleLayer, generation: UInt32) throws(MediaError)

    /// Adds a subtitle file, which can then be selected. The file is opened when it is selected.
    func addSubtitleFile(_ file: SubtitleFinder.File) -> MediaTrack

    /// Adds or removes a separate audio file. `.audioFileAdded` or `.warning` follows if a file is added. If a removed
    /// track is played, no packets of it follow; deselect it with the next call.
    func changeAudioFiles(_ change: AudioFileChange)

    /// The state of reading ahead of playback.
    var buffering: BufferingState { get }

    /// The histogram of the decoding times of frames, excluding the time spent waiting for packets and for queue space.
    var decodeTimes: TimeHistogram { get }

    /// Requests that all threads end, and empties the queues. Does not wait. Idempotent.
    func interrupt()

    /// Waits for the threads to end after ``interrupt()``.
    ///
    /// - Parameter deadline: The deadline in host nanoseconds.
    /// - Returns: Whether all threads have ended.
    func join(until deadline: Int64) -> Bool

    /// Detaches threads that hang in an uninterruptible call: a name lookup, or a read from a file system that does not
    /// respond. Each thread retains what it uses until the call returns.
    func detachThreads()
}

/// The time limit for closing a ``MediaSource``.
package enum MediaSourceClosing {
    /// The time in nanoseconds for which ``MediaSource/close()`` waits for the threads.
    package static let closeTimeout: Int64 = 300_000_000
}

extension MediaSource {
    /// Ends the source. Waits until its threads have ended, but at most ``MediaSourceClosing/closeTimeout``; then
    /// detaches threads that hang.
    package func close() {
        interrupt()
        if !join(until: MonotonicTime.now + MediaSourceClosing.closeTimeout) { detachThreads() }
    }
}
