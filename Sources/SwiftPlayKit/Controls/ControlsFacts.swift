/// The state of a player that the controls show.
struct ControlsFacts: Equatable, Sendable {
    /// The number of tracks of a kind, and the number of the current track, from 1.
    struct Tracks: Equatable, Sendable {
        var current: Int?
        var count = 0
        /// The text `2/3`, with a dash for no track.
        var text: String { "\(current.map(String.init) ?? "-")/\(count)" }
    }

    var title = ""
    var isPaused = true
    /// The position and the duration in seconds; the duration is nil if it is unknown or infinite.
    var position = 0.0
    var duration: Double?
    var canSeek = false
    var hasSound = false
    /// The volume as a cubic factor: see ``PlayerViewController/Command/setVolume(_:)``.
    var volume = 1.0
    var isMuted = false
    var audioTracks = Tracks()
    var subtitles = Tracks()
    var offersPictureInPicture = false
    var isFullScreen = false

    /// The controls that have a function now.
    var wanted: Set<PlayerControl> {
        var wanted: Set<PlayerControl> = [.playPause, .time, .fullScreen]
        if duration != nil { wanted.insert(.scrubber) }
        if hasSound { wanted.formUnion([.mute, .volume]) }
        if audioTracks.count > 1 { wanted.insert(.audioTracks) }
        if subtitles.count > 0 { wanted.insert(.subtitles) }
        if offersPictureInPicture { wanted.insert(.pictureInPicture) }
        return wanted
    }

    /// The played part of the item, 0 to 1.
    var part: Double {
        guard let duration, duration > 0 else { return 0 }
        return min(1, max(0, position / duration))
    }

    var timeText: String {
        guard let duration else { return Self.clock(position) }
        return "\(Self.clock(min(position, duration), hours: duration >= 3600)) / \(Self.clock(duration))"
    }

    /// A time as `2:03` or `1:02:03`.
    static func clock(_ seconds: Double, hours: Bool = false) -> String {
        let all = seconds.isFinite ? Int(min(max(0, seconds), 360_000_000)) : 0
        func two(_ n: Int) -> String { n < 10 ? "0\(n)" : "\(n)" }
        return all >= 3600 || hours
            ? "\(all / 3600):\(two(all / 60 % 60)):\(two(all % 60))" : "\(all / 60):\(two(all % 60))"
    }
}
