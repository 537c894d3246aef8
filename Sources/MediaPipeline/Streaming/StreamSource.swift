import CFFmpeg
import DequeModule
import HTTPTransfer
import StreamPlaylists
import SystemCalls

/// The packets of a stream of segments (HLS or DASH): follows its playlists, chooses a variant for each segment, and
/// places all packets on one timeline.
///
/// `@unchecked Sendable`: all variables belong to the reading thread. `interruption`, which other threads use, is
/// Sendable.
final class StreamSource: PacketSource, @unchecked Sendable {
    let playlist: HLSPlaylist
    private let address: String
    private let choice: TrackChoice
    let demand: StreamDemand
    let fetcher: PlaylistFetcher
    private let interruption: ReadingInterruption
    private var clock = StreamClock() { didSet { demand.timeline.publish(clock, window) } }
    /// The variants; nil before ``open()`` and after ``close()``.
    private var ladder: StreamLadder?
    /// The reader of the variants; nil before ``open()`` and after ``close()``.
    private(set) var variantReader: RenditionReader?
    /// The reader of the played audio rendition; nil if no audio rendition is played.
    private(set) var audioRenditionReader: RenditionReader?
    /// The audio renditions of the stream, with the identifiers of their tracks.
    private var renditions: [(track: Int, rendition: Rendition)] = []
    private(set) var playedTracks = PlayedTracks()
    /// The items that were read but not yet returned by ``read()``.
    private var items: Deque<PacketSourceItem> = []
    /// Holds back the items that were read since a seek; nil if no items are held back.
    private var keyframeHold: KeyframeHold?
    /// The load of the playlist whose window was reported last.
    var reportedLoad: PlaylistLoad?
    /// The start of the window that was reported last, in nanoseconds.
    var oldestStart: Int64 = 0
    /// Whether the stream was live when it was opened.
    private var wasLive = false

    /// The formats that the decoders have, or will have before the next packet, by track.
    private var announcedFormats: [Int: CodecParameters] = [:]

    /// The identifier of the video track; the audio tracks follow it.
    static let videoTrack = 0
    /// The internal track number of the audio that the variants contain (muxed audio).
    static let muxedTrack = 1

    init(
        _ playlist: HLSPlaylist, address: String, _ choice: TrackChoice, demand: StreamDemand,
        options: HTTPOptions, transfers: HTTPTransfers, store: SegmentStore, interruption: ReadingInterruption
    ) {
        (self.playlist, self.address, self.choice, self.demand) = (playlist, address, choice, demand)
        self.interruption = interruption
        fetcher = PlaylistFetcher(
            options: options, transfers: transfers, store: store, interruption: interruption)
    }

    // MARK: Opening

    /// Opens the first segment and returns the tracks of the stream.
    func open() throws(MediaError) -> PacketSourceContents {
        let ladder = try makeLadder()
        self.ladder = ladder
        ladder.playsVideo = choice.selections.video != .off
        // Whether the variants contain audio is known only after their first segment is open.
        let variantReader = RenditionReader(
            .ladder(ladder), tracks: [.video: Self.videoTrack, .audio: Self.muxedTrack], from: 0, fetcher)
        self.variantReader = variantReader
        variantReader.initialPosition = { [unowned self] in initialPosition($0) }
        try openFirstSegment(of: variantReader)
        listRenditions(ladder.variant(variantReader.variant))
        var tracks: [MediaTrack] = [], formats: [Int: CodecParameters] = [:]
        var info = MediaInfo(container: "hls", duration: duration, isSeekable: true)
        info.start = variantReader.segmentReader?.times.lowerBound ?? 0
        wasLive = duration == nil
        if let stream = variantReader.stream(AVMEDIA_TYPE_VIDEO),
            let format = variantReader.format(of: Self.videoTrack)
        {
            var track = MediaTrack(id: Self.videoTrack, kind: .video, codec: format.codecName)
            (track.width, track.height) = (format.pictureSize.width, format.pictureSize.height)
            track.frameRate = format.frameRate
            tracks.append(track)
            formats[track.id] = format
            info.video = MediaInfo.Video(stream: stream, track: track.id)
        }
        let muxedFormat = variantReader.format(of: Self.muxedTrack)
        if renditions.isEmpty, let muxedFormat { tracks.append(Self.audioTrack(Self.muxedTrack, muxedFormat, nil)) }
        for (track, rendition) in renditions { tracks.append(Self.audioTrack(track, muxedFormat, rendition)) }
        let selectedAudio = choice.choose(
            .audio, among: tracks, fallback: renditions.first { $0.rendition.isDefault }?.track)
        playedTracks = PlayedTracks(
            video: choice.choose(.video, among: tracks)?.id, audio: selectedAudio?.id)
        if playedTracks.video == nil { info.video = nil }
        if let selectedAudio { info.audio = try openPlayedAudio(selectedAudio, variantReader, &tracks, &formats) }
        ladder.playsVideo = playedTracks.video != nil
        (info.tracks, info.variants) = (tracks, ladder.status.variants)
        info.streams = MediaInfo.StreamCounts(
            video: info.video == nil ? 0 : 1, audio: tracks.count { $0.kind == .audio },
            firstAudioIndex: tracks.first { $0.kind == .audio }?.id)
        // Assume for each rendition that is not played the format of the played one, until the rendition is opened.
        if let format = selectedAudio.flatMap({ formats[$0.id] }) ?? muxedFormat {
            for track in tracks where track.kind == .audio && formats[track.id] == nil { formats[track.id] = format }
        }
        (fetcher.seekEndsWaits, announcedFormats) = (true, formats)
        reportWindow()
        let contents = PacketSourceContents(info: info, origin: 0, formats: formats)
        return addingSubtitles(of: ladder.variant(variantReader.variant), to: contents)
    }

    /// Creates the ladder of the variants, or of the single media playlist.
    private func makeLadder() throws(MediaError) -> StreamLadder {
        switch playlist {
        case .multivariant(let playlist): return try StreamLadder(playlist, address: address, fetcher, demand)
        case .media(let playlist):
            guard !playlist.segments.isEmpty || !playlist.isComplete else {
                throw MediaError(.notMedia, "the playlist lists no segments")
            }
            guard let ladder = StreamLadder(playlist, address: address, fetcher, demand) else {
                throw MediaError(.notMedia, "the playlist lists no segments")
            }
            return ladder
        }
    }

    /// Reads until the first segment is open. Items read before it, such as warnings, are delivered later.
    private func openFirstSegment(of reader: RenditionReader) throws(MediaError) {
        while reader.containerFormat == nil {
            items += try reader.read(&clock)
            if reader.hasEnded { throw MediaError(.notMedia, "no segment of the stream can be read") }
        }
    }

    /// Lists the audio renditions with which a variant can be played.
    private func listRenditions(_ variant: VariantStream?) {
        guard case .multivariant(let playlist) = playlist, let variant else { return }
        let audio = playlist.renditions(.audio, of: variant)
        guard audio.count > 1 || audio.contains(where: { $0.address != nil }) else { return }
        renditions = audio.enumerated().map { (Self.videoTrack + 1 + $0.offset, $0.element) }
    }

    /// Opens the played audio track. If that fails, the video is played without audio.
    private func openPlayedAudio(
        _ track: MediaTrack, _ variantReader: RenditionReader, _ tracks: inout [MediaTrack],
        _ formats: inout [Int: CodecParameters]
    ) throws(MediaError) -> MediaInfo.Audio? {
        do throws(MediaError) { return try openAudio(track, variantReader, &formats) } catch {
            guard playedTracks.video != nil, error.code != .interrupted else { throw error }
            (audioRenditionReader, playedTracks.audio) = (nil, nil)
            for index in tracks.indices where tracks[index].id == track.id { tracks[index].isPlayable = false }
            items.append(.warning(error))
            return nil
        }
    }

    /// Opens the played audio track.
    ///
    /// - Returns: The description of the track; nil if it contains no audio.
    private func openAudio(
        _ track: MediaTrack, _ variantReader: RenditionReader, _ formats: inout [Int: CodecParameters]
    ) throws(MediaError) -> MediaInfo.Audio? {
        guard let rendition = renditions.first(where: { $0.track == track.id })?.rendition,
            let reader = try makeReader(rendition, track: track.id, from: variantReader.nextTime)
        else {
            formats[track.id] = variantReader.format(of: Self.muxedTrack)
            return variantReader.stream(AVMEDIA_TYPE_AUDIO).flatMap { MediaInfo.Audio(stream: $0, track: track.id) }
        }
        audioRenditionReader = reader
        try openFirstSegment(of: reader)
        formats[track.id] = reader.format(of: track.id)
        return reader.stream(AVMEDIA_TYPE_AUDIO).flatMap { MediaInfo.Audio(stream: $0, track: track.id) }
    }

    /// Returns a reader of an audio rendition; nil if the variants contain the rendition's audio.
    private func makeReader(_ rendition: Rendition, track: Int, from time: Int64) throws(MediaError) -> RenditionReader?
    {
        guard case .multivariant(let playlist) = playlist, let address = rendition.address else { return nil }
        let followedPlaylist = try FollowedPlaylist(
            address.url, imports: playlist.variables, alignedWith: variantReader?.playlist?.window, fetcher)
        let reader = RenditionReader(.rendition(followedPlaylist), tracks: [.audio: track], from: time, fetcher)
        // If the rendition has another format than the decoder, a format change precedes its first segment.
        reader.formats[track] = announcedFormats[track]
        return reader
    }

    // MARK: Reading

    func select(_ tracks: PlayedTracks) {
        if playedTracks.video == nil, tracks.video != nil, let audioRenditionReader {
            variantReader?.seek(to: audioRenditionReader.readEndTime)
        }
        ladder?.playsVideo = tracks.video != nil
        guard tracks.audio != playedTracks.audio else { return playedTracks = tracks }
        playedTracks = tracks
        // The seek that follows opens the rendition. If the variants contain the new track's audio, its first packet
        // follows a format change where necessary.
        audioRenditionReader = nil
        variantReader?.formats[Self.muxedTrack] = tracks.audio.flatMap { announcedFormats[$0] }
    }

    /// Opens the rendition of the played audio track, if it has one.
    private func openRendition(from time: Int64) {
        guard let track = playedTracks.audio, let rendition = renditions.first(where: { $0.track == track })?.rendition
        else { return }
        do throws(MediaError) {
            audioRenditionReader = try makeReader(rendition, track: track, from: time)
        } catch {
            if error.code != .interrupted { add(.trackEnd(track: track, error)) }
        }
    }

    func read() throws(MediaError) -> PacketSourceItem {
        if keyframeHold == nil, items.isEmpty, playsVariant, let times = variantReader?.replaceBufferedSegments() {
            let isMuxed = audioRenditionReader == nil
            return .discard(
                from: isMuxed ? withTrackIdentifiers(times) : times.filter { $0.key == Self.videoTrack })
        }
        if keyframeHold == nil, items.isEmpty, let item = refreshIfOutdated() { return item }
        while true {
            if keyframeHold == nil, let item = items.popFirst() {
                if let track = item.track, track != playedTracks.video, track != playedTracks.audio { continue }
                if case .formatChange(let track, let format) = item { announcedFormats[track] = format }
                return item
            }
            guard let reader = nextReader, fellBehindItem == nil else {
                if deliverHeldItems() { continue }
                return fellBehindItem ?? .end(length: wasLive ? window?.end : nil, failure: nil)
            }
            do throws(MediaError) {
                defer { reportWindow() }
                for item in try reader.read(&clock) {
                    if let item = withPlayedAudioTrack(item, from: reader) { add(item) }
                }
            } catch  where error.code != .interrupted {
                // If an audio rendition cannot be read, playback continues without its audio.
                if reader === audioRenditionReader, playedTracks.video != nil, let track = playedTracks.audio {
                    add(.trackEnd(track: track, error))
                    continue
                }
                _ = deliverHeldItems()
                return .end(length: nil, failure: error)
            }
        }
    }

    /// Adds an item that was read. Delivers the items held since a seek once the keyframe for the sought picture is
    /// known.
    private func add(_ item: PacketSourceItem) {
        guard keyframeHold != nil else { return items.append(item) }
        if keyframeHold?.add(item) == true { _ = deliverHeldItems() }
    }

    /// Delivers the items that were held since a seek; returns false if no items were held.
    private func deliverHeldItems() -> Bool {
        guard var hold = keyframeHold.take() else { return false }
        items += hold.take()
        return true
    }

    // MARK: Seeking

    func seek(to time: Int64) throws(MediaError) {
        loadWindowForSeek()
        guard let window else { throw MediaError(.input, "is not open") }
        let lastSegmentStart = window.segments.last.flatMap { window.times(of: $0.number)?.lowerBound } ?? window.start
        let targetTime = min(max(time, window.start), max(lastSegmentStart, window.end - 1))
        var undeliveredItems = items
        if var hold = keyframeHold.take() { undeliveredItems += hold.take() }
        items = []
        variantReader?.seek(to: targetTime)
        audioRenditionReader?.seek(to: targetTime)
        keyframeHold = playedTracks.video.map { KeyframeHold(target: targetTime, track: $0) }
        // Keep undelivered format changes: they apply to the packets after the seek, and the readers do not repeat
        // them.
        for item in undeliveredItems { if case .formatChange = item { add(item) } }
        if audioRenditionReader == nil { openRendition(from: targetTime) }
    }

    func advanceToKeyframe(after time: Int64, upTo limit: Int64) throws(MediaError) -> KeyframeMoveResult { .notFound }

    func earlierSubtitle(of track: Int, before time: Int64) -> SubtitleStart? { nil }

    /// Applies the stream's own limit of kept segments (``StreamDemand/Requirements/keptByteLimit``), which otherwise
    /// applies when the next segment is chosen.
    func setKeptByteLimit(_ limit: Int) -> [DroppedBytes] {
        fetcher.store.setLimit(demand.currentRequirements.keptByteLimit).map { [$0] } ?? []
    }

    func close() { (ladder, variantReader, audioRenditionReader, items, keyframeHold) = (nil, nil, nil, [], nil) }

    func interrupt() { interruption.interrupt() }
    func setSeekIsPending(_ isPending: Bool) { interruption.setSeekIsPending(isPending) }
}
