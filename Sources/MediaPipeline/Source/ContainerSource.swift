/// The packets of one container: a file, an address, or a playlist that libavformat follows.
///
/// `@unchecked Sendable`: `demuxer` belongs to the reading thread, which calls every method except `interrupt` and
/// `setSeekIsPending`. These two methods use only `opener`, whose corresponding methods any thread may call.
final class ContainerSource: PacketSource, @unchecked Sendable {
    private let location: String
    /// The rules that select the played tracks.
    private let choice: TrackChoice
    /// Whether tracks that are not chosen are read, too.
    private let readsOtherTracks: Bool
    private let opener: MediaOpener
    /// The open container; nil before ``open()`` and after ``close()``.
    private var demuxer: Demuxer?
    /// The packet that ``read()`` returns next, because the previous call returned a warning instead of it; nil if
    /// there is none.
    private var nextPacket: Packet?

    init(_ location: String, _ choice: TrackChoice, readsOtherTracks: Bool, opener: MediaOpener) {
        (self.location, self.choice, self.readsOtherTracks, self.opener) = (location, choice, readsOtherTracks, opener)
    }

    /// Opens the container and returns its tracks.
    func open() throws(MediaError) -> PacketSourceContents {
        let demuxer = try Demuxer(
            location: location, opener: opener, choice: choice, readsOtherTracks: readsOtherTracks)
        self.demuxer = demuxer
        var formats: [Int: CodecParameters] = [:]
        for track in demuxer.tracks where track.isPlayable {
            guard let stream = demuxer.stream(track.id) else { continue }
            formats[track.id] = CodecParameters(stream: stream, crop: demuxer.crop(of: stream))
        }
        var contents = PacketSourceContents(info: demuxer.info, origin: demuxer.origin, formats: formats)
        contents.fonts = demuxer.tracks.contains { $0.kind == .subtitle && $0.codec == "ass" } ? demuxer.fonts : []
        contents.includesUnplayedAudio = readsOtherTracks && !demuxer.isPlaylist
        if demuxer.excludedVariantCount > 0 {
            contents.warnings = ["\(demuxer.excludedVariantCount) of the playlist's variants cannot be read"]
        }
        return contents
    }

    /// Sets the played tracks, whose packets ``read()`` returns from now on.
    func select(_ tracks: PlayedTracks) { demuxer?.select(video: tracks.video, audio: tracks.audio) }

    /// Returns the next packet, a warning about a missing part, or the end.
    func read() throws(MediaError) -> PacketSourceItem {
        if let packet = nextPacket.take() { return .packet(packet) }
        guard let demuxer, let packet = Packet() else {
            return .end(length: nil, failure: MediaError(.outOfMemory, "no memory for a packet"))
        }
        do throws(MediaError) {
            guard try demuxer.read(into: packet) else { return .end(length: demuxer.measuredDuration, failure: nil) }
        } catch  where error.code != .interrupted {
            return .end(length: demuxer.measuredDuration, failure: error)
        }
        guard let missingPart = demuxer.missingPart.take() else { return .packet(packet) }
        nextPacket = packet
        return .warning(missingPart.warning(origin: demuxer.origin))
    }

    /// Seeks to the keyframe at or before `time` (nanoseconds on the item's timeline).
    func seek(to time: Int64) throws(MediaError) {
        nextPacket = nil
        guard let demuxer else { throw MediaError(.input, "is not open") }
        try demuxer.seek(to: time)
    }

    /// Moves from the keyframe at `time` to the next keyframe, if it is at or before `limit`.
    func advanceToKeyframe(after time: Int64, upTo limit: Int64) throws(MediaError) -> KeyframeMoveResult {
        try demuxer?.advanceToKeyframe(after: time, upTo: limit) ?? .notFound
    }

    /// Returns the last subtitle line before `time`, if a seek to `time` starts to read after that line.
    func earlierSubtitle(of track: Int, before time: Int64) -> SubtitleStart? {
        demuxer?.earlierSubtitle(of: track, before: time)
    }

    /// Closes the container. No other method is called afterwards.
    func close() { (demuxer, nextPacket) = (nil, nil) }

    /// Interrupts blocking reads permanently. Callable from any thread.
    func interrupt() { opener.interrupt() }

    /// Sets whether a newer seek is pending, which cancels the current seek. Callable from any thread.
    func setSeekIsPending(_ isPending: Bool) { opener.setSeekIsPending(isPending) }
}
