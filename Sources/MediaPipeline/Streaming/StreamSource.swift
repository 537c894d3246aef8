import CFFmpeg
import DequeModule
import HTTPTransfer
import SystemCalls

/// A stream of segments (HLS) as a source of packets: follows its playlists, chooses a variant for each segment, and
/// places all packets on one timeline.
///
/// `@unchecked Sendable`: all variables belong to the reading thread. `interruption`, which other threads use, is
/// Sendable.
final class StreamSource: PacketSource, @unchecked Sendable {
    private let playlist: HLSPlaylist
    private let address: String
    private let choice: TrackChoice
    private let demand: StreamDemand
    private let fetcher: PlaylistFetcher
    private let interruption: ReadingInterruption
    private var clock = StreamClock()
    /// The reader of the variants; nil before ``open()`` and after ``close()``.
    private var main: RenditionReader?
    /// The reader of the played audio rendition; nil if the variants contain the sound.
    private var audio: RenditionReader?
    /// The audio renditions of the stream, with the identifiers of their tracks.
    private var renditions: [(track: Int, rendition: Rendition)] = []
    private var played = PlayedTracks()
    /// The items that were read ahead.
    private var items: Deque<PacketSourceItem> = []
    private var hold: KeyframeHold?

    /// The formats that the decoders of the tracks have.
    private var announcedFormats: [Int: CodecParameters] = [:]

    /// The identifier of the video track; the audio tracks follow it.
    private static let videoTrack = 0
    /// The number under which a reader of variants delivers their sound.
    private static let muxedTrack = 1

    init(
        _ playlist: HLSPlaylist, address: String, _ choice: TrackChoice, demand: StreamDemand,
        options: HTTPOptions, transfers: HTTPTransfers, interruption: ReadingInterruption
    ) {
        (self.playlist, self.address, self.choice, self.demand) = (playlist, address, choice, demand)
        self.interruption = interruption
        fetcher = PlaylistFetcher(options: options, transfers: transfers, interruption: interruption)
    }

    // MARK: Opening

    /// Opens the first segment and returns the tracks.
    func open() throws(MediaError) -> PacketSourceContents {
        let ladder = try makeLadder()
        // Until the first segment is open, it is not known whether the variants contain sound.
        let main = RenditionReader(
            .ladder(ladder), tracks: [.video: Self.videoTrack, .audio: Self.muxedTrack], from: 0, fetcher)
        self.main = main
        try openFirstSegment(of: main)
        listRenditions(ladder.variant(main.variant))
        var tracks: [MediaTrack] = [], formats: [Int: CodecParameters] = [:]
        var info = MediaInfo(container: "hls", duration: duration, isSeekable: duration != nil)
        if let stream = main.stream(AVMEDIA_TYPE_VIDEO), let format = main.format(of: Self.videoTrack) {
            var track = MediaTrack(id: Self.videoTrack, kind: .video, codec: format.codecName)
            (track.width, track.height) = (format.pictureSize.width, format.pictureSize.height)
            track.frameRate = format.frameRate
            tracks.append(track)
            formats[track.id] = format
            info.video = MediaInfo.Video(stream: stream, track: track.id)
        }
        let muxed = main.format(of: Self.muxedTrack)
        if renditions.isEmpty, let muxed { tracks.append(Self.audioTrack(Self.muxedTrack, muxed, nil)) }
        for (track, rendition) in renditions { tracks.append(Self.audioTrack(track, muxed, rendition)) }
        let selected = choice.choose(
            .audio, among: tracks, usual: renditions.first { $0.rendition.isDefault }?.track)
        played = PlayedTracks(
            video: choice.choose(.video, among: tracks)?.id, audio: selected?.id)
        if played.video == nil { info.video = nil }
        if let selected { info.audio = try openAudio(selected, main, &formats) }
        (info.tracks, info.variants) = (tracks, ladder.status.variants)
        info.streams = MediaInfo.StreamCounts(
            video: info.video == nil ? 0 : 1, audio: tracks.count { $0.kind == .audio },
            firstAudio: tracks.first { $0.kind == .audio }?.id)
        // Renditions that are not played have the format of the played one until they are opened.
        if let selected, let format = formats[selected.id] {
            for track in tracks where formats[track.id] == nil { formats[track.id] = format }
        }
        (fetcher.seekEndsWaits, announcedFormats) = (true, formats)
        return PacketSourceContents(info: info, origin: 0, formats: formats)
    }

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

    /// Reads up to the first segment. The items before it, such as warnings, are delivered later.
    private func openFirstSegment(of reader: RenditionReader) throws(MediaError) {
        while reader.containerFormat == nil {
            items += try reader.read(&clock)
            if reader.hasEnded { throw MediaError(.notMedia, "no segment of the stream can be read") }
        }
    }

    /// Lists the audio renditions that a variant can be played with.
    private func listRenditions(_ variant: VariantStream?) {
        guard case .multivariant(let playlist) = playlist, let variant else { return }
        let audio = playlist.renditions(.audio, of: variant)
        guard audio.count > 1 || audio.contains(where: { $0.address != nil }) else { return }
        renditions = audio.enumerated().map { (Self.videoTrack + 1 + $0.offset, $0.element) }
    }

    private static func audioTrack(_ id: Int, _ format: CodecParameters?, _ rendition: Rendition?) -> MediaTrack {
        var track = MediaTrack(id: id, kind: .audio, codec: format?.codecName ?? "")
        if let parameters = format?.pointer.pointee {
            track.sampleRate = max(0, Int(parameters.sample_rate))
            track.channels = max(0, Int(parameters.ch_layout.nb_channels))
        }
        guard let rendition else { return track }
        (track.title, track.language, track.isDefault) = (rendition.name, rendition.language, rendition.isDefault)
        track.isForVisualImpaired = rendition.characteristics.contains("public.accessibility.describes-video")
        if let count = rendition.channels?.split(separator: "/").first.flatMap({ Int($0) }) { track.channels = count }
        return track
    }

    /// Opens the played audio track.
    ///
    /// - Returns: Its description; nil if it contains no sound.
    private func openAudio(
        _ track: MediaTrack, _ main: RenditionReader, _ formats: inout [Int: CodecParameters]
    ) throws(MediaError) -> MediaInfo.Audio? {
        guard let rendition = renditions.first(where: { $0.track == track.id })?.rendition,
            let reader = try makeReader(rendition, track: track.id, from: main.nextTime)
        else {
            formats[track.id] = main.format(of: Self.muxedTrack)
            return main.stream(AVMEDIA_TYPE_AUDIO).flatMap { MediaInfo.Audio(stream: $0, track: track.id) }
        }
        audio = reader
        try openFirstSegment(of: reader)
        formats[track.id] = reader.format(of: track.id)
        return reader.stream(AVMEDIA_TYPE_AUDIO).flatMap { MediaInfo.Audio(stream: $0, track: track.id) }
    }

    /// Returns the reader of an audio rendition; nil if the variants contain its sound.
    private func makeReader(_ rendition: Rendition, track: Int, from time: Int64) throws(MediaError) -> RenditionReader?
    {
        guard case .multivariant(let playlist) = playlist, let address = rendition.address else { return nil }
        let followed = try FollowedPlaylist(
            address.url, imports: playlist.variables, alignedWith: main?.playlist?.window, fetcher)
        let reader = RenditionReader(.rendition(followed), tracks: [.audio: track], from: time, fetcher)
        // If the rendition has another format, its first segment is preceded by a change of the format.
        reader.formats[track] = announcedFormats[track]
        return reader
    }

    /// The duration of the stream in nanoseconds; nil while it is live.
    private var duration: Int64? {
        guard let window = main?.playlist?.window, window.playlist.isComplete else { return nil }
        return window.end - window.start
    }

    // MARK: Reading

    func select(_ tracks: PlayedTracks) {
        guard tracks.audio != played.audio else { return played = tracks }
        played = tracks
        audio = nil
        guard let track = tracks.audio, let rendition = renditions.first(where: { $0.track == track })?.rendition,
            let main
        else { return }
        do throws(MediaError) {
            audio = try makeReader(rendition, track: track, from: main.readTime)
        } catch { items.append(.warning(error)) }
    }

    func read() throws(MediaError) -> PacketSourceItem {
        while true {
            if hold == nil, let item = items.popFirst() {
                if let track = Self.track(of: item), track != played.video, track != played.audio { continue }
                return item
            }
            guard let reader = nextReader else {
                if releaseHold() { continue }
                return .end(length: nil, failure: nil)
            }
            do throws(MediaError) {
                for item in try reader.read(&clock) {
                    if let item = placed(item, from: reader) { add(item) }
                }
            } catch  where error.code != .interrupted {
                _ = releaseHold()
                return .end(length: nil, failure: error)
            }
        }
    }

    /// The reader that is behind; nil if all have ended.
    private var nextReader: RenditionReader? {
        let running = [main, audio].compactMap { $0 }.filter { !$0.hasEnded }
        return running.min { $0.readTime < $1.readTime }
    }

    /// Gives the sound in the variants the identifier of the played audio track; nil if a rendition is played instead.
    private func placed(_ item: PacketSourceItem, from reader: RenditionReader) -> PacketSourceItem? {
        guard reader === main, Self.track(of: item) == Self.muxedTrack else { return item }
        guard audio == nil, let track = played.audio else { return nil }
        switch item {
        case .packet(let packet): packet.pointer.pointee.stream_index = Int32(clamping: track)
        case .formatChange(_, let format): return .formatChange(track: track, format)
        default: break
        }
        return item
    }

    private static func track(of item: PacketSourceItem) -> Int? {
        switch item {
        case .packet(let packet): packet.track
        case .formatChange(let track, _): track
        default: nil
        }
    }

    /// Adds an item that was read, and ends the search for the keyframe of a seek if it is found.
    private func add(_ item: PacketSourceItem) {
        guard hold != nil else { return items.append(item) }
        if hold?.add(item) == true { _ = releaseHold() }
    }

    /// Delivers the items that were held after a seek; returns false if there were none.
    private func releaseHold() -> Bool {
        guard var held = hold.take() else { return false }
        items += held.take()
        return true
    }

    // MARK: Seeking

    func seek(to time: Int64) throws(MediaError) {
        guard let window = main?.playlist?.window else { throw MediaError(.input, "is not open") }
        let last = window.segments.last.flatMap { window.times(of: $0.number)?.lowerBound } ?? window.start
        let target = min(max(time, window.start), max(last, window.end - 1))
        items = []
        main?.seek(to: target)
        audio?.seek(to: target)
        hold = played.video.map { KeyframeHold(target: target, track: $0) }
    }

    func advanceToKeyframe(after time: Int64, upTo limit: Int64) throws(MediaError) -> KeyframeOutcome { .none }

    func earlierSubtitle(of track: Int, before time: Int64) -> SubtitleStart? { nil }

    func close() { (main, audio, items, hold) = (nil, nil, [], nil) }

    func interrupt() { interruption.interrupt() }
    func setSeekIsPending(_ isPending: Bool) { interruption.setSeekIsPending(isPending) }
}
