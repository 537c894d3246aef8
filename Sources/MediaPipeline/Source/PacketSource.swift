/// Where the packets of an item come from: a container (``ContainerSource``), or a playlist that is followed by other
/// means.
///
/// ## Meaning
///
/// ``open()`` says which tracks there are. ``select(_:)`` says which of them are played. ``read()`` then gives packets
/// in the order in which they are stored; the decoders are fed in this order. ``seek(to:)`` continues reading at
/// another place.
///
/// Stamps of a packet are in the time base of its track's ``CodecParameters``, on the source's own clock, which shows
/// ``PacketSourceContents/origin`` at the item's start. The clock never jumps: a source joins stamps that do. `time`
/// parameters and results are nanoseconds on the item's timeline: the source's clock less the origin.
///
/// ## Threads
///
/// One thread, "demux", calls everything but ``interrupt()`` and ``setSeekIsPending(_:)``, which any thread may call at
/// any time, also before ``open()`` and during each other call. ``open()``, ``read()``, ``seek(to:)`` and the searches
/// may block as long as the disk or the network does; a source that may block for long polls the two signals.
///
/// ## Ownership
///
/// The reader owns the source. It calls ``close()`` last, on the reading thread. A packet belongs to the reader once
/// ``read()`` has returned it; the source keeps no reference and changes it no more.
///
/// ## Errors
///
/// ``open()`` throws why the item cannot be played; only ``close()`` is called after it. Each call throws
/// `.interrupted` when it was called off. A call that another error ends leaves the source usable: reading goes on from
/// wherever it is then.
protocol PacketSource: AnyObject, Sendable {
    /// Opens, and finds out what is in it.
    ///
    /// - Throws: why it cannot be played; `.interrupted` after ``interrupt()``.
    func open() throws(MediaError) -> PacketSourceContents

    /// Chooses the tracks that are played, from the next packet on. Called after ``open()``, and before a seek that
    /// changes them. Packets of subtitle tracks are given always, unless the source was told to leave out what is not
    /// played.
    func select(_ tracks: PlayedTracks)

    /// Reads on.
    ///
    /// - Throws: `.interrupted`, with nothing read; any other error of reading is a
    ///   ``PacketSourceItem/end(length:failure:)``.
    func read() throws(MediaError) -> PacketSourceItem

    /// Goes to the keyframe at or before `time` of the played video track; without moving video, to the sound at
    /// `time`. The first item that is read afterwards may be of any track. A time outside of the item goes to its first
    /// or last keyframe.
    ///
    /// - Throws: `.interrupted` when a newer seek waits; otherwise why the source cannot go there.
    func seek(to time: Int64) throws(MediaError)

    /// Goes from the keyframe at `time`, whose packet was read last, to the next one, if that lies at or before
    /// `limit`.
    ///
    /// - Throws: `.interrupted` when a newer seek waits.
    func advanceToKeyframe(after time: Int64, upTo limit: Int64) throws(MediaError) -> KeyframeOutcome

    /// The last event of a subtitle track before `time`, if a seek to `time` begins to read after it; nil also where
    /// the source cannot know.
    func earlierSubtitle(of track: Int, before time: Int64) -> SubtitleStart?

    /// Ends the source. The other calls are not made afterwards.
    func close()

    /// Makes blocking calls return soon, for good. Any thread.
    func interrupt()

    /// Says whether a newer seek waits: the seek or search that runs is then called off. Any thread.
    func setSeekIsPending(_ isPending: Bool)
}

/// What ``PacketSource/read()`` gives.
enum PacketSourceItem: Sendable {
    /// The next packet of a played track, or of one that may be chosen at any moment.
    case packet(Packet)
    /// What follows of a track needs another decoder. Its kind, its time base and its number stay.
    case formatChange(track: Int, CodecParameters)
    /// Something failed, or is missing before the next item; reading goes on.
    case warning(MediaError)
    /// Nothing more comes before a seek.
    ///
    /// - Parameters:
    ///   - length: nanoseconds up to the end, where the contents did not state it or could not know it.
    ///   - failure: why this is not the end of the item; nil when it is.
    case end(length: Int64?, failure: MediaError?)
}

/// What ``PacketSource/open()`` finds.
struct PacketSourceContents: Sendable {
    /// Its tracks, and those of them that are played: `info.video` and `info.audio`.
    var info: MediaInfo
    /// What the source's clock shows at the item's start, nanoseconds.
    var origin: Int64
    /// The formats of all tracks that can be played, by their numbers.
    var formats: [Int: CodecParameters]
    /// Fonts that come with the item, for its subtitles.
    var fonts: [SubtitleFont] = []
    /// Packets of audio tracks that are not played are given as well.
    var givesOtherAudio = false
    /// Where the only tracks that could be read are not all there should be.
    var warnings: [String] = []
}

/// The numbers of the video and audio tracks that are played; nil: none of the kind.
struct PlayedTracks: Sendable, Equatable {
    var video: Int?
    var audio: Int?
}

/// Where an event of a subtitle track begins.
struct SubtitleStart: Sendable, Equatable {
    /// Nanoseconds on the item's timeline.
    var time: Int64
    /// The presentation stamp of its packet.
    var stamp: Int64
}
