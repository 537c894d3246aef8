import DesktopBus
import FoundationEssentials

/// The state of a player for the desktop, in the terms of MPRIS. A pure value.
struct NowPlayingFacts: Equatable, Sendable {
    struct Track: Equatable, Sendable {
        /// The number of the item in this process.
        var number: UInt64
        var title: String
        var artist: String?
        var album: String?
        /// The duration in microseconds; nil if unknown.
        var length: Int64?
        var address: String?
    }

    var track: Track?
    var isPlaying = false
    var isStopped = false
    /// The rate; never 0.
    var rate = 1.0
    /// The volume as a cubic factor.
    var volume = 1.0
    var repeatType = NowPlayingSession.RepeatType.off
    var canGoToNextTrack = false
    var canGoToPreviousTrack = false
    var canSeek = false

    static let noTrack = "/org/mpris/MediaPlayer2/TrackList/NoTrack"

    var trackID: String { track.map { "/org/swiftplay/track/\($0.number)" } ?? Self.noTrack }

    /// The state without the position, whose changes are not signaled.
    var properties: [String: BusValue] {
        [
            "PlaybackStatus": .string(
                track == nil || isStopped && !isPlaying ? "Stopped" : isPlaying ? "Playing" : "Paused"),
            "LoopStatus": .string(Self.name(of: repeatType)), "Rate": .double(rate), "Volume": .double(volume),
            "Metadata": .dictionary(metadata),
            "CanGoNext": .bool(canGoToNextTrack), "CanGoPrevious": .bool(canGoToPreviousTrack),
            "CanPlay": .bool(track != nil),
            "CanPause": .bool(track != nil), "CanSeek": .bool(canSeek),
        ]
    }

    private var metadata: [String: BusValue] {
        var metadata: [String: BusValue] = ["mpris:trackid": .objectPath(trackID)]
        guard let track else { return metadata }
        metadata["xesam:title"] = .string(track.title)
        metadata["xesam:artist"] = track.artist.map { .strings([$0]) }
        metadata["xesam:album"] = track.album.map { .string($0) }
        metadata["mpris:length"] = track.length.map { .int64($0) }
        metadata["xesam:url"] = track.address.map { .string($0) }
        return metadata
    }

    static func name(of type: NowPlayingSession.RepeatType) -> String {
        switch type {
        case .off: "None"
        case .one: "Track"
        case .all: "Playlist"
        }
    }

    static func repeatType(named name: String?) -> NowPlayingSession.RepeatType? {
        [.off, .one, .all].first { Self.name(of: $0) == name }
    }

    // MARK: Addresses

    /// Returns the address of an item's location; nil for standard input.
    static func address(of location: String) -> String? {
        if location.hasPrefix("http://") || location.hasPrefix("https://") { return location }
        return location == "-" ? nil : URL(fileURLWithPath: location).absoluteString
    }

    /// Returns the location for an address; nil for addresses that other programs may not open.
    static func location(of address: String) -> String? {
        guard let url = URL(string: address), let scheme = url.scheme?.lowercased() else { return nil }
        switch scheme {
        case "http", "https": return address
        case "file":
            let path = url.path
            return path.hasPrefix("/") && ["", "localhost"].contains(url.host ?? "") ? path : nil
        default: return nil
        }
    }

    /// Returns a time from microseconds, limited to 253 years.
    static func time(_ microseconds: Int64) -> MediaTime {
        let limit: Int64 = 8_000_000_000_000_000
        return MediaTime(nanoseconds: min(max(microseconds, -limit), limit) * 1000)
    }
}
