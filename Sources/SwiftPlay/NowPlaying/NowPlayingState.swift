import DesktopBus
import FoundationEssentials
import MediaPipeline

/// The state of a player for the desktop, in the terms of MPRIS. A pure value.
struct NowPlayingState: Equatable, Sendable {
    /// The description of the current item.
    struct Track: Equatable, Sendable {
        /// The number that identifies the item within this process.
        var number: UInt64
        /// The title, or else the file name.
        var title: String
        /// The artist; nil if unknown.
        var artist: String?
        /// The album; nil if unknown.
        var album: String?
        /// The duration in microseconds; nil if unknown.
        var length: Int64?
        /// The address of the item as a URL; nil for standard input.
        var address: String?
        /// The address of a picture of the item, such as its cover; nil if there is none.
        var artAddress: String?
    }

    /// The current item; nil if there is none.
    var track: Track?
    /// Whether playback was requested (the rate is not 0).
    var isPlaying = false
    /// Whether the player was stopped and has not played since.
    var isStopped = false
    /// The playback rate. It is never 0, which MPRIS forbids.
    var rate = 1.0
    /// The volume on a cubic scale: the amplitude factor is its third power.
    var volume = 1.0
    /// The repeat mode of the program: off, one item or all items.
    var repeatType = NowPlayingSession.RepeatType.off
    /// Whether the program plays its list in random order; nil if it has no such mode.
    var isShuffled: Bool?
    /// Whether the desktop's command to go to the next item has an effect.
    var canGoToNextTrack = false
    /// Whether the desktop's command to go to the previous item has an effect.
    var canGoToPreviousTrack = false
    /// Whether the desktop may change the position.
    var canSeek = false

    /// The object path by which MPRIS states that there is no track.
    static let noTrack = "/org/mpris/MediaPlayer2/TrackList/NoTrack"

    /// The D-Bus object path that identifies the current item.
    var trackID: String { track.map { Self.trackID(of: $0.number) } ?? Self.noTrack }

    /// Returns the object path of the item with a number.
    static func trackID(of number: UInt64) -> String { "/org/swiftplay/track/\(number)" }

    /// The MPRIS properties of this state by their names, without the position, whose changes are not signaled.
    var properties: [String: BusValue] {
        [
            "PlaybackStatus": .string(
                track == nil || isStopped && !isPlaying ? "Stopped" : isPlaying ? "Playing" : "Paused"),
            "LoopStatus": .string(Self.name(of: repeatType)), "Rate": .double(rate), "Volume": .double(volume),
            "Metadata": .dictionary(metadata), "Shuffle": .bool(isShuffled ?? false),
            "CanGoNext": .bool(canGoToNextTrack), "CanGoPrevious": .bool(canGoToPreviousTrack),
            "CanPlay": .bool(track != nil),
            "CanPause": .bool(track != nil), "CanSeek": .bool(canSeek),
        ]
    }

    /// The description of the current item as MPRIS metadata.
    var metadata: [String: BusValue] {
        var metadata: [String: BusValue] = ["mpris:trackid": .objectPath(trackID)]
        guard let track else { return metadata }
        metadata["xesam:title"] = .string(track.title)
        metadata["xesam:artist"] = track.artist.map { .strings([$0]) }
        metadata["xesam:album"] = track.album.map { .string($0) }
        metadata["mpris:length"] = track.length.map { .int64($0) }
        metadata["xesam:url"] = track.address.map { .string($0) }
        metadata["mpris:artUrl"] = track.artAddress.map { .string($0) }
        return metadata
    }

    /// Returns the MPRIS name (LoopStatus) of a repeat type.
    static func name(of type: NowPlayingSession.RepeatType) -> String {
        switch type {
        case .off: "None"
        case .one: "Track"
        case .all: "Playlist"
        }
    }

    /// Returns the repeat type with an MPRIS name; nil for other names.
    static func repeatType(named name: String?) -> NowPlayingSession.RepeatType? {
        [.off, .one, .all].first { Self.name(of: $0) == name }
    }

    // MARK: Addresses

    /// Returns the URL for a path or network address of an item; nil for standard input.
    static func address(of location: String) -> String? {
        if location.hasPrefix("http://") || location.hasPrefix("https://") { return location }
        guard case .file(let path)? = try? OpenPolicy().locate(location) else { return nil }
        return MediaLocation.fileURL(of: path)
    }

    /// Returns the path or network address for a URL that another program wants to open; nil if its scheme is not
    /// permitted.
    static func location(of address: String) -> String? {
        guard let url = URL(string: address), let scheme = url.scheme?.lowercased() else { return nil }
        switch scheme {
        case "http", "https": return address
        case "file":
            guard url.path(percentEncoded: true).hasPrefix("/"), ["", "localhost"].contains(url.host ?? "") else {
                return nil
            }
            return Asset.location(of: url)
        default: return nil
        }
    }

    /// Returns the time for a number of microseconds, clamped to 253 years.
    static func time(_ microseconds: Int64) -> MediaTime {
        let limit: Int64 = 8_000_000_000_000_000
        return MediaTime(nanoseconds: min(max(microseconds, -limit), limit) * 1000)
    }
}
