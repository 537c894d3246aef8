import MediaPipeline

/// The remembered position of a media file, and the settings that the user has changed. A pure value.
struct RememberedPlayback: Equatable, Sendable {
    /// The position in seconds.
    var position: Double
    /// The volume in percent; nil if it was not changed.
    var volume: Double?
    /// Whether the sound was off; nil if that was not changed.
    var isMuted: Bool?
    /// The speed as a factor; nil if it was not changed.
    var speed: Double?
    /// The tracks that were selected, each as a number from 1, or no track.
    var tracks: [MediaTrack.Kind: TrackChoice.Selection] = [:]

    /// The names of the track settings.
    private static let trackNames: [(kind: MediaTrack.Kind, name: String)] = [
        (.video, "vid"), (.audio, "aid"), (.subtitle, "sid"),
    ]

    init(position: Double) { self.position = position }

    /// Reads the settings of a file; nil without a position. Invalid values are ignored.
    init?(_ file: ConfigurationFile) {
        func value(_ name: String) -> String? { file.settings.first { $0.name == name }?.value ?? nil }
        func number(_ name: String, _ range: ClosedRange<Double>) -> Double? {
            value(name).flatMap(Double.init).flatMap { range.contains($0) ? $0 : nil }
        }
        guard let position = number("start", 0...1e9) else { return nil }
        self.position = position
        volume = number("volume", 0...1000)
        speed = number("speed", 0.01...100)
        isMuted = value("mute").flatMap { ["yes": true, "no": false][$0] }
        for (kind, name) in Self.trackNames {
            if let selection = value(name).flatMap(TrackOptions.parseTrackSelection) { tracks[kind] = selection }
        }
    }

    /// The lines of the file, in the syntax and with the names of mpv's configuration.
    var text: String {
        var lines = ["start=\(position)"]
        if let volume { lines.append("volume=\(volume)") }
        if let isMuted { lines.append("mute=\(isMuted ? "yes" : "no")") }
        if let speed { lines.append("speed=\(speed)") }
        for (kind, name) in Self.trackNames {
            switch tracks[kind] {
            case .off: lines.append("\(name)=no")
            case .number(let number): lines.append("\(name)=\(number)")
            case .automatic, .id, nil: continue
            }
        }
        return lines.map { $0 + "\n" }.joined()
    }
}
