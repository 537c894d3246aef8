import HTTPTransfer
import SystemCalls

/// The packets of an item, merged with the packets of separate audio files.
///
/// While a track of an audio file is played, its packets are returned up to the time that the item's own source has
/// reached. Without such a track, the item's own source is read unchanged.
///
/// `@unchecked Sendable`: the reading thread uses everything but `interruptibleSources`.
final class MergedSource: PacketSource, @unchecked Sendable {
    /// The sources that any thread may interrupt.
    private struct InterruptibleSources: Sendable {
        var sources: [any PacketSource]
        var isInterrupted = false
        var isSeekPending = false
    }

    /// The item's own source.
    private let main: any PacketSource
    /// The audio files that are added when the item is opened.
    private let configuredFiles: [AudioFile]
    /// The rules that select the played audio track when the item is opened.
    private let choice: TrackChoice
    /// Returns the source of a file's packets.
    private let makeSource: (String) throws(MediaError) -> any PacketSource
    private let interruptibleSources: Monitor<InterruptibleSources>

    /// The open audio files.
    private var files: [AudioFileReader] = []
    /// The number of received bytes to keep of each source; nil until it is set.
    private var keptByteLimit: Int?
    /// The number of files that were added, including files that could not be opened or were removed.
    private var addedFileCount = 0
    /// The contents of the item's own source; nil before ``open()``.
    private var mainContents: PacketSourceContents?
    /// The played tracks.
    private var playedTracks = PlayedTracks()
    /// The file that contains the played audio track; nil if the item's own source contains that track.
    private var playedFile: AudioFileReader?
    /// The decoding time up to which the item's own source was read, in nanoseconds on its clock.
    private var mainTime = Int64.min
    /// The end of the item's own source, which is returned after the end of the played file; nil before that end.
    private var mainEnd: PacketSourceItem?
    /// The time of a seek, in nanoseconds on the item's timeline, until the played file follows that seek. The file
    /// continues at the keyframe to which the item's own source has moved.
    private var fileSeekTime: Int64?

    init(
        _ main: any PacketSource, files: [AudioFile], choice: TrackChoice,
        makeSource: @escaping (String) throws(MediaError) -> any PacketSource
    ) {
        (self.main, configuredFiles, self.choice, self.makeSource) = (main, files, choice, makeSource)
        interruptibleSources = Monitor(InterruptibleSources(sources: [main]))
    }

    // MARK: Opening and tracks

    func open() throws(MediaError) -> PacketSourceContents {
        var contents = try main.open()
        mainContents = contents
        for file in configuredFiles {
            do throws(MediaError) {
                let reader = try makeAudioFileReader(file)
                do throws(MediaError) { try reader.open() } catch {
                    discard(reader)
                    throw error
                }
                add(reader)
                contents.info.tracks += reader.contents.tracks
                contents.formats.merge(reader.contents.formats) { own, _ in own }
            } catch {
                if error.code == .interrupted { throw error }
                contents.warnings.append(error.message)
            }
        }
        guard let firstTrack = files.first?.contents.tracks.first else { return contents }
        let chosenTrack = choice.choose(.audio, among: contents.info.tracks, fallback: firstTrack.id)
        if chosenTrack?.id != contents.info.audio?.streamIndex {
            contents.info.audio = chosenTrack.map { MediaInfo.Audio($0) }
        }
        return contents
    }

    func makeAudioFileReader(_ file: AudioFile) throws(MediaError) -> AudioFileReader {
        let firstID = MediaTrack.firstAudioFileID + addedFileCount * MediaTrack.tracksPerAudioFile
        addedFileCount += 1
        let source = try makeSource(file.location)
        interruptibleSources.withLock { state in
            state.sources.append(source)
            if state.isInterrupted { source.interrupt() }
            source.setSeekIsPending(state.isSeekPending)
        }
        return AudioFileReader(file, source, firstID: firstID, origin: mainContents?.origin ?? 0)
    }

    func add(_ file: AudioFileReader) {
        if let keptByteLimit { for bytes in file.source.setKeptByteLimit(keptByteLimit) { bytes.release() } }
        files.append(file)
    }

    func discard(_ file: AudioFileReader) { close(file.source) }

    func removeAudioFile(ofTrack track: Int) -> [MediaTrack] {
        guard let index = files.firstIndex(where: { $0.contents.formats[track] != nil }) else { return [] }
        let file = files.remove(at: index)
        if file === playedFile { select(PlayedTracks(video: playedTracks.video)) }
        close(file.source)
        return file.contents.tracks
    }

    /// Closes the source of an audio file.
    private func close(_ source: any PacketSource) {
        interruptibleSources.withLock { state in state.sources.removeAll { $0 === source } }
        source.close()
    }

    func select(_ tracks: PlayedTracks) {
        playedTracks = tracks
        playedFile = tracks.audio.flatMap { track in files.first { $0.contents.formats[track] != nil } }
        for file in files { file.select(file === playedFile ? tracks.audio : nil) }
        guard playedFile != nil else {
            (mainEnd, fileSeekTime) = (nil, nil)
            return main.select(tracks)
        }
        // Without moving video, the item's own audio determines how far its subtitles are read.
        main.select(PlayedTracks(video: tracks.video, audio: movingVideo == nil ? mainAudio : nil))
        if !isMainRead { mainEnd = .end(length: nil, failure: nil) }
    }

    /// The played video track; nil if it is a cover picture.
    private var movingVideo: Int? {
        guard let video = playedTracks.video,
            mainContents?.info.tracks.contains(where: { $0.id == video && $0.isAttachedPicture }) != true
        else { return nil }
        return video
    }

    /// The first audio track of the item's own source.
    private var mainAudio: Int? {
        mainContents?.info.tracks.first { $0.kind == .audio && mainContents?.formats[$0.id] != nil }?.id
    }

    /// Whether the item's own source contains a track by which the progress of reading is measured.
    private var isMainRead: Bool { movingVideo != nil || mainAudio != nil }

    // MARK: Reading

    func read() throws(MediaError) -> PacketSourceItem {
        guard let file = playedFile else { return try main.read() }
        if mainEnd == nil, try isMainNext(file) {
            let item = try main.read()
            guard case .end = item else {
                if case .packet(let packet) = item { try advance(after: packet, file) }
                return item
            }
            mainEnd = item
            // If the item cannot be read further, the audio file does not continue alone.
            if case .end(_, .some) = item { return item }
            try moveToSeekTime(.max, file)
            if let video = playedTracks.video, !file.hasEnded { return .trackEnd(track: video, nil) }
        }
        if file.hasEnded, let mainEnd { return mainEnd }
        switch try file.take() {
        case .packet(let packet, _): return .packet(packet)
        case .other(let item): return item
        case .end(let error): return .trackEnd(track: playedTracks.audio ?? 0, error)
        }
    }

    /// Returns whether the next item is read from the item's own source.
    private func isMainNext(_ file: AudioFileReader) throws(MediaError) -> Bool {
        if file.hasEnded || fileSeekTime != nil { return true }
        guard case .packet(_, let time?) = try file.peek() else { return false }
        return time > mainTime
    }

    /// Records how far the item's own source was read.
    private func advance(after packet: Packet, _ file: AudioFileReader) throws(MediaError) {
        guard let contents = mainContents, let timeBase = contents.formats[packet.track]?.timeBase else { return }
        let timestamps = packet.pointer.pointee
        if let time = timeBase.nanoseconds(timestamps.dts) { mainTime = max(mainTime, time) }
        guard packet.track == playedTracks.video else { return }
        try moveToSeekTime((timeBase.nanoseconds(timestamps.pts) ?? .max).boundedTime &- contents.origin, file)
    }

    /// Moves the played file to the time of the last seek, but at most to `limit`, if it has not followed that seek.
    private func moveToSeekTime(_ limit: Int64, _ file: AudioFileReader) throws(MediaError) {
        guard let time = fileSeekTime else { return }
        try file.seek(to: max(0, min(time, limit)))
        fileSeekTime = nil
    }

    func seek(to time: Int64) throws(MediaError) {
        guard let file = playedFile else { return try main.seek(to: time) }
        guard isMainRead else { return try file.seek(to: time) }
        try main.seek(to: time)
        (mainTime, mainEnd, fileSeekTime) = (.min, nil, time)
        if movingVideo == nil { try moveToSeekTime(time, file) }
    }

    func advanceToKeyframe(after time: Int64, upTo limit: Int64) throws(MediaError) -> KeyframeMoveResult {
        try main.advanceToKeyframe(after: time, upTo: limit)
    }

    func earlierSubtitle(of track: Int, before time: Int64) -> SubtitleStart? {
        main.earlierSubtitle(of: track, before: time)
    }

    var refreshTime: Int64? { main.refreshTime }
    func refresh() -> PacketSourceItem? { main.refresh() }

    func setKeptByteLimit(_ limit: Int) -> [DroppedBytes] {
        keptByteLimit = limit
        return main.setKeptByteLimit(limit) + files.flatMap { $0.source.setKeptByteLimit(limit) }
    }

    func close() {
        playedFile = nil
        for file in files { close(file.source) }
        files = []
        main.close()
    }

    func interrupt() {
        interruptibleSources.withLock { state in
            state.isInterrupted = true
            for source in state.sources { source.interrupt() }
        }
    }

    func setSeekIsPending(_ isPending: Bool) {
        interruptibleSources.withLock { state in
            state.isSeekPending = isPending
            for source in state.sources { source.setSeekIsPending(isPending) }
        }
    }
}
