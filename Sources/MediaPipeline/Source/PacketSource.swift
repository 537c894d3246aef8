import HTTPTransfer

/// The source of an item's packets: a container (``ContainerSource``), or an HLS or DASH stream (``StreamSource``).
///
/// ## Behaviour
///
/// ``open()`` returns the available tracks. ``select(_:)`` sets the played tracks. ``read()`` then returns packets in
/// the order in which they are stored, and the decoders receive them in this order. ``seek(to:)`` continues reading at
/// another position.
///
/// A packet's timestamps are in the time base of its track's ``CodecParameters``, on the source's own clock, which
/// shows ``PacketSourceContents/origin`` at the item's start. The clock never jumps: a source compensates timestamp
/// jumps. `time` parameters and results are nanoseconds on the item's timeline, which is the source's clock minus the
/// origin.
///
/// ## Threads
///
/// One thread, the reading thread, calls all methods except ``interrupt()`` and ``setSeekIsPending(_:)``. Any thread
/// may call these two at any time, also before ``open()`` and during other calls. ``open()``, ``read()``, ``seek(to:)``
/// and the searches may block while the disk or the network blocks. A source that may block for long polls whether it
/// was interrupted and whether a newer seek is pending.
///
/// ## Ownership
///
/// The reader owns the source, and calls ``close()`` last, on the reading thread. The reader owns a packet once
/// ``read()`` has returned it; the source keeps no reference to it and does not change it.
///
/// ## Errors
///
/// If ``open()`` throws, the item cannot be played, and only ``close()`` is called afterwards. Each call throws
/// `.interrupted` if it was cancelled. After any other error the source stays usable, and reading continues at its
/// current position.
protocol PacketSource: AnyObject, Sendable {
    /// Opens the source and reads its contents.
    ///
    /// - Throws: The reason why the item cannot be played; `.interrupted` after ``interrupt()``.
    func open() throws(MediaError) -> PacketSourceContents

    /// Sets the played tracks, whose packets ``read()`` returns from now on. Called after ``open()``, and before a seek
    /// that changes the tracks. Packets of subtitle tracks are always returned, unless the source was configured to
    /// skip tracks that are not played.
    func select(_ tracks: PlayedTracks)

    /// Reads the next packet, format change, warning or end.
    ///
    /// - Throws: `.interrupted`, without reading an item. Any other read error is a
    ///   ``PacketSourceItem/end(length:failure:)``.
    func read() throws(MediaError) -> PacketSourceItem

    /// Seeks to the keyframe of the played video track at or before `time`. If no video or only a cover picture is
    /// played, seeks to the audio at `time`. The next item may belong to any track. A time outside the item seeks to
    /// its first or last keyframe.
    ///
    /// - Throws: `.interrupted` if a newer seek is pending; otherwise the reason why the source cannot seek.
    func seek(to time: Int64) throws(MediaError)

    /// Moves from the keyframe at `time`, whose packet was read last, to the next keyframe, if it is at or before
    /// `limit`.
    ///
    /// - Throws: `.interrupted` if a newer seek is pending.
    func advanceToKeyframe(after time: Int64, upTo limit: Int64) throws(MediaError) -> KeyframeMoveResult

    /// Returns the last event of a subtitle track before `time`, if a seek to `time` starts to read after that event;
    /// nil also if the source has no index of subtitle events.
    func earlierSubtitle(of track: Int, before time: Int64) -> SubtitleStart?

    /// The host time, in nanoseconds, at which ``refresh()`` is called if the reader does not read until then; nil if
    /// it need not be called.
    var refreshTime: Int64? { get }

    /// Updates the playlist of a live stream while the reader does not read. May block.
    ///
    /// - Returns: An item that the reader handles as if it had been read; usually nil.
    func refresh() -> PacketSourceItem?

    /// Sets the number of received bytes of a single network resource that are kept for seeking back. A stream applies
    /// its own limit of kept segments. No effect on other sources.
    ///
    /// - Returns: The bytes above the limit, which the caller releases.
    func setKeptByteLimit(_ limit: Int) -> [DroppedBytes]

    /// Returns the reader of a separate audio file. ``AudioFileReader/open()`` opens it, on any thread, before
    /// ``add(_:)`` or ``discard(_:)``.
    ///
    /// - Throws: The reason why the source cannot have this file.
    func makeAudioFileReader(_ file: AudioFile) throws(MediaError) -> AudioFileReader

    /// Adds the audio tracks of a separate file that is open.
    func add(_ file: AudioFileReader)

    /// Closes a separate audio file that was not added.
    func discard(_ file: AudioFileReader)

    /// Removes the separate audio file that contains a track, and closes it.
    ///
    /// - Returns: The removed tracks.
    func removeAudioFile(ofTrack track: Int) -> [MediaTrack]

    /// Closes the source. No other method is called afterwards.
    func close()

    /// Interrupts blocking reads permanently. Callable from any thread.
    func interrupt()

    /// Sets whether a newer seek is pending, which cancels the current seek or search. Callable from any thread.
    func setSeekIsPending(_ isPending: Bool)
}

extension PacketSource {
    var refreshTime: Int64? { nil }
    func refresh() -> PacketSourceItem? { nil }
    func setKeptByteLimit(_ limit: Int) -> [DroppedBytes] { [] }
    func makeAudioFileReader(_ file: AudioFile) throws(MediaError) -> AudioFileReader {
        throw MediaError(.input, "cannot have separate audio files")
    }
    func add(_ file: AudioFileReader) {}
    func discard(_ file: AudioFileReader) {}
    func removeAudioFile(ofTrack track: Int) -> [MediaTrack] { [] }
}

/// An item that ``PacketSource/read()`` returns: a packet, a format change, a warning, or an end.
enum PacketSourceItem: Sendable {
    /// The next packet of a played track, or of a track that may be chosen at any time.
    case packet(Packet)
    /// The following packets of `track` need a new decoder with these parameters. The track's kind, time base and
    /// identifier stay unchanged.
    case formatChange(track: Int, CodecParameters)
    /// An error, or a missing part before the next item; reading continues.
    case warning(MediaError)
    /// No packet of `track` follows until the next seek, because of an error or, without one, because a separate file
    /// has ended; the other tracks continue.
    case trackEnd(track: Int, MediaError?)
    /// The packets that were returned from these decoding times on are to be discarded, unless they are decoded
    /// already; the following items replace them. The times are nanoseconds on the source's clock, by track.
    case discard(from: [Int: Int64])
    /// The next segment of a live stream was removed from its playlist. No item follows until the next seek.
    case fellBehind(LiveRejoin)
    /// The end of reading. No item follows until the next seek.
    ///
    /// - Parameters:
    ///   - length: The measured duration in nanoseconds, if the container did not state it or could not know it.
    ///   - failure: The error that ended reading; nil at the true end of the item.
    case end(length: Int64?, failure: MediaError?)
}

extension PacketSourceItem {
    /// The track of a packet or of a format change; nil for other items.
    var track: Int? {
        switch self {
        case .packet(let packet): packet.track
        case .formatChange(let track, _): track
        case .warning, .trackEnd, .discard, .fellBehind, .end: nil
        }
    }
}

/// The tracks of a packet source and their formats, which ``PacketSource/open()`` returns.
struct PacketSourceContents: Sendable {
    /// The source's tracks; `info.video` and `info.audio` are the played tracks.
    var info: MediaInfo
    /// The time on the source's clock at which the item starts, in nanoseconds.
    var origin: Int64
    /// The formats of all playable tracks, by track identifier.
    var formats: [Int: CodecParameters]
    /// The fonts that the item carries for its subtitles.
    var fonts: [SubtitleFont] = []
    /// The subtitle tracks that are fetched apart from the packets, by track identifier.
    var subtitleRenditions: [Int: SubtitleRendition] = [:]
    /// Whether packets of audio tracks that are not played are returned too.
    var includesUnplayedAudio = false
    /// Warnings about tracks or variants that could not be read.
    var warnings: [String] = []
}

/// The identifiers of the played video and audio tracks; nil if no track of the kind is played.
struct PlayedTracks: Sendable, Equatable {
    var video: Int?
    var audio: Int?
}

/// The start of a subtitle event.
struct SubtitleStart: Sendable, Equatable {
    /// The start of the event on the item's timeline, in nanoseconds.
    var time: Int64
    /// The presentation timestamp of the event's packet, in the time base of the track.
    var timestamp: Int64
}
