/// The packets of one container: a file, an address, or a playlist that libavformat follows.
///
/// `@unchecked Sendable`: `demuxer` belongs to the reading thread, which calls every method except `interrupt` and
/// `setSeekIsPending`. These two methods use only `opener`, whose corresponding methods any thread may call.
final class ContainerSource: PacketSource, @unchecked Sendable {
    private let location: String
    private let choice: TrackChoice
    private let readsOtherTracks: Bool
    private let opener: MediaOpener
    private var demuxer: Demuxer?
    /// The packet that was read together with a warning, to be returned next.
    private var next: Packet?

    init(_ location: String, _ choice: TrackChoice, readsOtherTracks: Bool, opener: MediaOpener) {
        (self.location, self.choice, self.readsOtherTracks, self.opener) = (location, choice, readsOtherTracks, opener)
    }

    func open() throws(MediaError) -> PacketSourceContents {
        let demuxer = try Demuxer(location: location, opener: opener, choice: choice, readsOthers: readsOtherTracks)
        self.demuxer = demuxer
        var formats: [Int: CodecParameters] = [:]
        for track in demuxer.tracks where track.isPlayable {
            guard let stream = demuxer.stream(track.id) else { continue }
            formats[track.id] = CodecParameters(stream: stream, crop: demuxer.crop(of: stream))
        }
        var contents = PacketSourceContents(info: demuxer.info, origin: demuxer.origin, formats: formats)
        contents.fonts = demuxer.tracks.contains { $0.kind == .subtitle && $0.codec == "ass" } ? demuxer.fonts : []
        contents.givesOtherAudio = readsOtherTracks && !demuxer.isPlaylist
        if demuxer.leftOut > 0 { contents.warnings = ["\(demuxer.leftOut) of the playlist's variants cannot be read"] }
        return contents
    }

    func select(_ tracks: PlayedTracks) { demuxer?.select(video: tracks.video, audio: tracks.audio) }

    func read() throws(MediaError) -> PacketSourceItem {
        if let packet = next.take() { return .packet(packet) }
        guard let demuxer, let packet = Packet() else {
            return .end(length: nil, failure: MediaError(.outOfMemory, "no memory for a packet"))
        }
        do throws(MediaError) {
            guard try demuxer.read(into: packet) else { return .end(length: demuxer.lengthRead, failure: nil) }
        } catch  where error.code != .interrupted {
            return .end(length: demuxer.lengthRead, failure: error)
        }
        guard let hole = demuxer.hole.take() else { return .packet(packet) }
        next = packet
        return .warning(hole.warning(origin: demuxer.origin))
    }

    func seek(to time: Int64) throws(MediaError) {
        next = nil
        guard let demuxer else { throw MediaError(.input, "is not open") }
        try demuxer.seek(to: time)
    }

    func advanceToKeyframe(after time: Int64, upTo limit: Int64) throws(MediaError) -> KeyframeOutcome {
        try demuxer?.advanceToKeyframe(after: time, upTo: limit) ?? .none
    }

    func earlierSubtitle(of track: Int, before time: Int64) -> SubtitleStart? {
        demuxer?.earlierLine(of: track, before: time)
    }

    func close() { (demuxer, next) = (nil, nil) }

    func interrupt() { opener.interrupt() }

    func setSeekIsPending(_ isPending: Bool) { opener.setSeekIsPending(isPending) }
}
