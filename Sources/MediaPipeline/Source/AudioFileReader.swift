import CFFmpeg

/// Reads one audio track of a separate file. The packets carry the item's track identifiers, and times on the clock of
/// the item's source: the start of the file is played at the start of the item.
///
/// `@unchecked Sendable`: one thread at a time uses it. The thread that opens the file passes the reader to the reading
/// thread through a monitor.
final class AudioFileReader: @unchecked Sendable {
    /// An item that the reader returns.
    enum Item {
        /// A packet with its decoding time in nanoseconds on the clock of the item's source.
        case packet(Packet, time: Int64?)
        /// A format change, a warning or the request to discard packets.
        case other(PacketSourceItem)
        /// The end of the track with the error that ended it.
        case end(MediaError?)
    }

    /// The source of the file's packets.
    let source: any PacketSource
    /// The audio tracks of the file, and their formats; empty until the file is open.
    private(set) var contents = AudioFileContents(tracks: [], formats: [:])
    private let file: AudioFile
    /// The identifier of the file's first stream among the item's tracks.
    private let firstID: Int
    /// The time on the clock of the item's source, minus the time on the file's clock, in nanoseconds. Before the file
    /// is open: the time on the clock of the item's source at which the item starts.
    private var offset: Int64
    /// The track that is played; nil for none.
    private var playedTrack: Int?
    /// The item that ``take()`` returns next; nil if it has not been read.
    private var nextItem: Item?
    /// Whether the end of the track was returned since the last seek.
    private(set) var hasEnded = false

    /// Creates a reader of a file that is not open yet.
    ///
    /// - Parameters:
    ///   - source: The source of the file's packets, which is not open.
    ///   - firstID: The identifier of the file's first stream among the item's tracks.
    ///   - origin: The time on the clock of the item's source at which the item starts, in nanoseconds.
    init(_ file: AudioFile, _ source: any PacketSource, firstID: Int, origin: Int64) {
        (self.file, self.source, self.firstID, offset) = (file, source, firstID, origin)
    }

    /// Opens the file. May block.
    ///
    /// - Throws: The reason why the file cannot be played, with its name; `.interrupted` if its source was interrupted.
    func open() throws(MediaError) {
        do throws(MediaError) { try openSource() } catch {
            if error.code == .interrupted { throw error }
            throw MediaError(error.code, "audio file \(name): \(error.message)")
        }
    }

    /// Opens the source of the file, and reads its tracks.
    private func openSource() throws(MediaError) {
        let fileContents = try source.open()
        for track in fileContents.info.tracks where track.kind == .audio && track.id < MediaTrack.tracksPerAudioFile {
            guard let format = fileContents.formats[track.id] else { continue }
            var addedTrack = track
            addedTrack.id = firstID + track.id
            addedTrack.location = file.location
            addedTrack.title = file.title ?? track.title ?? MediaLocation.displayedName(file.location)
            addedTrack.language = file.language ?? track.language
            contents.tracks.append(addedTrack)
            contents.formats[addedTrack.id] = format
        }
        guard !contents.tracks.isEmpty else { throw MediaError(.notMedia, "contains no audio") }
        offset &-= fileContents.origin
    }

    /// Sets the track that is played; nil for none.
    func select(_ track: Int?) {
        guard track != playedTrack else { return }
        (playedTrack, nextItem) = (track, nil)
        source.select(PlayedTracks(audio: track.map { $0 - firstID }))
    }

    /// Returns the item that ``take()`` returns next.
    func peek() throws(MediaError) -> Item {
        if let nextItem { return nextItem }
        let item = try readItem()
        nextItem = item
        return item
    }

    /// Returns the next item of the track.
    func take() throws(MediaError) -> Item {
        let item = try peek()
        nextItem = nil
        if case .end = item { hasEnded = true }
        return item
    }

    /// Seeks to `time`, in nanoseconds on the item's timeline. If the file is not seekable, its track ends.
    func seek(to time: Int64) throws(MediaError) {
        (nextItem, hasEnded) = (nil, false)
        do throws(MediaError) { try source.seek(to: time) } catch {
            if error.code == .interrupted { throw error }
            nextItem = .end(error)
        }
    }

    /// The name of the file in messages.
    private var name: String { MediaLocation.displayed(file.location) }

    /// Reads the next item of the track.
    private func readItem() throws(MediaError) -> Item {
        while true {
            switch try source.read() {
            case .packet(let packet):
                let track = packet.track + firstID
                guard track == playedTrack, let timeBase = contents.formats[track]?.timeBase else { continue }
                packet.move(to: track, addingTime: timeBase.timestamp(nanoseconds: offset))
                return .packet(packet, time: timeBase.nanoseconds(packet.pointer.pointee.dts))
            case .formatChange(let track, let parameters):
                contents.formats[track + firstID] = parameters
                return .other(.formatChange(track: track + firstID, parameters))
            case .warning(let error): return .other(.warning(error))
            case .discard(let times):
                let shiftedTimes = times.map { track, time in (track + firstID, time &+ offset) }
                return .other(.discard(from: Dictionary(uniqueKeysWithValues: shiftedTimes)))
            case .trackEnd(let track, let error):
                guard track + firstID == playedTrack else { continue }
                return .end(error)
            case .fellBehind: return .end(MediaError(.input, "audio file \(name): the live stream was left behind"))
            case .end(_, let failure): return .end(failure)
            }
        }
    }
}

extension Packet {
    /// Gives the packet to another track, and adds `offset`, in the track's time base, to its timestamps.
    fileprivate func move(to track: Int, addingTime offset: Int64) {
        pointer.pointee.stream_index = Int32(clamping: track)
        if pointer.pointee.pts != cffmpeg_no_pts { pointer.pointee.pts &+= offset }
        if pointer.pointee.dts != cffmpeg_no_pts { pointer.pointee.dts &+= offset }
    }
}
