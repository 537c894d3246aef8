import ArgumentParser
import MediaPipeline
import SwiftPlayKit

/// The options for tracks and subtitles. Names and meanings are mpv's.
struct TrackOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Sound track, counted from 1; auto or no.", valueName: "track"))
    var aid = "auto"

    @Option(help: ArgumentHelp("Subtitle track, counted from 1; auto or no.", valueName: "track"))
    var sid = "auto"

    @Option(help: ArgumentHelp("Video track, counted from 1; auto or no.", valueName: "track"))
    var vid = "auto"

    @Option(help: ArgumentHelp("Languages of sound, the most wanted first: de,en.", valueName: "languages"))
    var alang = ""

    @Option(help: ArgumentHelp("Languages of subtitles, the most wanted first.", valueName: "languages"))
    var slang = ""

    @Option(help: ArgumentHelp("A file of subtitles; may be said more than once.", valueName: "file"))
    var subFile: [String] = []

    @Option(
        help: ArgumentHelp(
            "Which files beside the media are its subtitles: no, exact, fuzzy, all.", valueName: "search"))
    var subAuto = "exact"

    @Option(help: ArgumentHelp("Show subtitles so much later; may be negative.", valueName: "seconds"))
    var subDelay: Double = 0

    @Option(help: ArgumentHelp("Size of subtitles; 1 is as designed.", valueName: "factor"))
    var subScale: Double = 1

    @Flag(inversion: .prefixedNo, help: "Show subtitles.")
    var subVisibility = true

    @Flag(name: .customLong("no-sub"), help: "The same as --sid=no.")
    var noSub = false

    @Flag(name: .customLong("no-audio"), help: "The same as --aid=no.")
    var noAudio = false

    @Flag(name: .customLong("no-video"), help: "The same as --vid=no.")
    var noVideo = false

    func validateAll() throws {
        for (name, value) in [("aid", aid), ("sid", sid), ("vid", vid)] where Self.pick(value) == nil {
            throw ValidationError("--\(name)=\(value) is no track; write a number from 1, auto or no.")
        }
        guard PlayerItem.SubtitleSearch(rawValue: subAuto) != nil else {
            throw ValidationError("--sub-auto takes no, exact, fuzzy or all.")
        }
        guard subDelay.isFinite, abs(subDelay) <= 1e6 else { throw ValidationError("--sub-delay takes seconds.") }
        guard (0.1...10).contains(subScale) else { throw ValidationError("--sub-scale takes 0.1 to 10.") }
    }

    var settings: TrackSettings {
        var choice = TrackChoice()
        choice.picks.audio = noAudio ? .off : Self.pick(aid) ?? .automatic
        choice.picks.subtitle = noSub ? .off : Self.pick(sid) ?? .automatic
        choice.picks.video = noVideo ? .off : Self.pick(vid) ?? .automatic
        choice.audioLanguages = Self.list(alang)
        choice.subtitleLanguages = Self.list(slang)
        return TrackSettings(
            choice: choice, subtitleFiles: subFile,
            subtitleSearch: PlayerItem.SubtitleSearch(rawValue: subAuto) ?? .exact,
            subtitleDelay: subDelay, subtitleScale: subScale, showsSubtitles: subVisibility)
    }

    /// Parses a track selection: `auto`, `no` or a number from 1; nil if `text` is none of them.
    static func pick(_ text: String) -> TrackChoice.Pick? {
        switch text {
        case "auto": return .automatic
        case "no": return .off
        default:
            guard let number = Int(text), (1...100_000).contains(number) else { return nil }
            return .number(number)
        }
    }

    private static func list(_ text: String) -> [String] {
        text.split(separator: ",").map { $0.trimmingPrefix(" ") }.filter { !$0.isEmpty }.map(String.init)
    }
}

/// The track settings that result from the command line.
struct TrackSettings: Sendable {
    var choice = TrackChoice()
    var subtitleFiles: [String] = []
    var subtitleSearch = PlayerItem.SubtitleSearch.exact
    /// The delay of subtitles, in seconds.
    var subtitleDelay = 0.0
    var subtitleScale = 1.0
    var showsSubtitles = true

    func apply(to player: Player) {
        player.subtitleDelay = MediaTime(seconds: subtitleDelay)
        player.subtitleScale = subtitleScale
        player.showsSubtitles = showsSubtitles
    }

    func apply(to item: PlayerItem) {
        item.subtitleSearch = subtitleSearch
        // Show the first subtitle file, unless an option selected a track.
        for (index, file) in subtitleFiles.enumerated() {
            item.addSubtitles(location: file, selecting: index == 0 && choice.picks.subtitle == .automatic)
        }
    }
}
