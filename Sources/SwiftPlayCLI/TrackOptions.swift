import ArgumentParser
import MediaPipeline
import SwiftPlayKit

/// The command line options for tracks and subtitles. Names and meanings are mpv's.
struct TrackOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Audio track: a number from 1, auto or no.", valueName: "track"))
    var aid = "auto"

    @Option(help: ArgumentHelp("Subtitle track: a number from 1, auto or no.", valueName: "track"))
    var sid = "auto"

    @Option(
        help: ArgumentHelp(
            "Track of secondary subtitles at the upper edge: a number from 1 or no.", valueName: "track"))
    var secondarySid = "no"

    @Option(help: ArgumentHelp("Video track: a number from 1, auto or no.", valueName: "track"))
    var vid = "auto"

    @Option(help: ArgumentHelp("Preferred audio languages, the most preferred first: de,en.", valueName: "languages"))
    var alang = ""

    @Option(help: ArgumentHelp("Preferred subtitle languages, the most preferred first.", valueName: "languages"))
    var slang = ""

    @Option(
        help: ArgumentHelp("A subtitle file. The option can be repeated.", valueName: "file"), completion: .file())
    var subFile: [String] = []

    @Option(
        help: ArgumentHelp(
            "A file whose audio is played instead of the audio in the media file. The option can be repeated.",
            valueName: "file"),
        completion: .file())
    var audioFile: [String] = []

    @Option(
        help: ArgumentHelp(
            "Which subtitle files beside a media file to load: no, exact, fuzzy, all.", valueName: "search"))
    var subAuto = "exact"

    @Option(
        help: ArgumentHelp(
            "Character set of subtitle files that are not UTF-8, such as cp1251; auto detects it. A plus sign before "
                + "the name forces the character set.", valueName: "name"))
    var subCodepage = "auto"

    @Option(help: ArgumentHelp("Delay of subtitles; may be negative.", valueName: "seconds"))
    var subDelay: Double = 0

    @Option(help: ArgumentHelp("Size of subtitles, 0.1 to 10; 1 is the designed size.", valueName: "factor"))
    var subScale: Double = 1

    @Option(
        help: ArgumentHelp(
            "Vertical position of text subtitles, 0 to 150; 100 is the designed position, 0 the upper edge.",
            valueName: "percent"))
    var subPos: Double = 100

    @Option(
        help: ArgumentHelp(
            "Size of text subtitles without a style, in pixels of a picture 720 pixels high; 45 by default.",
            valueName: "size"))
    var subFontSize: Double = TrackOptions.defaultFontSize

    @Flag(inversion: .prefixedNo, help: "Show subtitles.")
    var subVisibility = true

    @Flag(inversion: .prefixedNo, help: "Show secondary subtitles.")
    var secondarySubVisibility = true

    @Flag(name: .customLong("no-sub"), help: "The same as --sid=no.")
    var noSub = false

    @Flag(name: .customLong("no-audio"), help: "The same as --aid=no.")
    var noAudio = false

    @Flag(name: .customLong("no-video"), help: "The same as --vid=no.")
    var noVideo = false

    /// The size of the default style: 18 pixels of a picture 288 pixels high.
    private static let defaultFontSize = 45.0

    /// Checks the values; throws `ValidationError` for an invalid one.
    func validateAll() throws {
        let values = [("aid", aid), ("sid", sid), ("vid", vid), ("secondary-sid", secondarySid)]
        for (name, value) in values where Self.parseTrackSelection(value) == nil {
            throw ValidationError("--\(name)=\(value) is not a track; use a number from 1, auto or no.")
        }
        guard PlayerItem.SubtitleSearch(rawValue: subAuto) != nil else {
            throw ValidationError("--sub-auto takes no, exact, fuzzy or all.")
        }
        guard Self.characterSet(subCodepage).isSupported else {
            throw ValidationError("--sub-codepage=\(subCodepage) is not a character set; 'iconv -l' lists them.")
        }
        guard subDelay.isFinite, abs(subDelay) <= 1e6 else { throw ValidationError("--sub-delay takes seconds.") }
        guard (0...150).contains(subPos) else { throw ValidationError("--sub-pos takes 0 to 150.") }
        guard (1...9000).contains(subFontSize) else { throw ValidationError("--sub-font-size takes 1 to 9000.") }
        guard (0.1...10).contains(subScale) else { throw ValidationError("--sub-scale takes 0.1 to 10.") }
    }

    /// The track settings that the options describe. The options must be valid.
    var settings: TrackSettings {
        var choice = TrackChoice()
        choice.selections.audio = noAudio ? .off : Self.parseTrackSelection(aid) ?? .automatic
        choice.selections.subtitle = noSub ? .off : Self.parseTrackSelection(sid) ?? .automatic
        choice.selections.video = noVideo ? .off : Self.parseTrackSelection(vid) ?? .automatic
        choice.audioLanguages = Self.splitAtCommas(alang)
        choice.subtitleLanguages = Self.splitAtCommas(slang)
        return TrackSettings(
            choice: choice, secondarySubtitles: Self.parseTrackSelection(secondarySid) ?? .off,
            showsSecondarySubtitles: secondarySubVisibility, subtitleFiles: subFile, audioFiles: audioFile,
            subtitleSearch: PlayerItem.SubtitleSearch(rawValue: subAuto) ?? .exact,
            subtitleCharacterSet: Self.characterSet(subCodepage), subtitleDelay: subDelay,
            subtitleScale: subScale, showsSubtitles: subVisibility, subtitlePosition: subPos,
            subtitleTextScale: subFontSize / Self.defaultFontSize)
    }

    /// Parses a track selection: `auto`, `no` or a number from 1; nil for any other text.
    static func parseTrackSelection(_ text: String) -> TrackChoice.Selection? {
        switch text {
        case "auto": return .automatic
        case "no": return .off
        default:
            guard let number = Int(text), (1...100_000).contains(number) else { return nil }
            return .number(number)
        }
    }

    /// Returns the rule that a value of `--sub-codepage` describes: `auto`, a name, or a name after `+`.
    static func characterSet(_ text: String) -> PlayerItem.SubtitleCharacterSet {
        if text == "auto" { return .automatic }
        return text.hasPrefix("+") ? .forced(String(text.dropFirst())) : .fallback(text)
    }

    /// Returns the value of `--sub-codepage` that describes a rule.
    static func text(of characterSet: PlayerItem.SubtitleCharacterSet) -> String {
        switch characterSet {
        case .automatic: "auto"
        case .fallback(let name): name
        case .forced(let name): "+" + name
        }
    }

    /// Splits a list at commas, removes spaces before the entries and drops empty entries.
    private static func splitAtCommas(_ text: String) -> [String] {
        text.split(separator: ",").map { $0.trimmingPrefix(" ") }.filter { !$0.isEmpty }.map(String.init)
    }
}

/// The track settings that result from the command line.
struct TrackSettings: Sendable {
    /// The selected tracks and preferred languages.
    var choice = TrackChoice()
    /// The selected secondary subtitles; `.automatic` selects none.
    var secondarySubtitles = TrackChoice.Selection.off
    var showsSecondarySubtitles = true
    /// The paths of additional subtitle files.
    var subtitleFiles: [String] = []
    /// The paths of separate audio files.
    var audioFiles: [String] = []
    /// The rule that selects subtitle files in the media file's folder to be loaded automatically.
    var subtitleSearch = PlayerItem.SubtitleSearch.exact
    /// The rule that selects the character set of subtitle files.
    var subtitleCharacterSet = PlayerItem.SubtitleCharacterSet.automatic
    /// The delay of subtitles, in seconds.
    var subtitleDelay = 0.0
    /// The size factor of subtitles; 1 is the normal size.
    var subtitleScale = 1.0
    var showsSubtitles = true
    /// The vertical position of text subtitles in percent.
    var subtitlePosition = 100.0
    /// The size factor of text subtitles without a style of their own.
    var subtitleTextScale = 1.0

    /// Applies to the player the settings that are the same for all files: delay, size and visibility of subtitles.
    func apply(to player: Player) {
        player.subtitleDelay = MediaTime(seconds: subtitleDelay)
        player.subtitleScale = subtitleScale
        player.showsSubtitles = showsSubtitles
        player.showsSecondarySubtitles = showsSecondarySubtitles
        player.subtitlePosition = subtitlePosition
        player.subtitleTextScale = subtitleTextScale
    }

    /// Adds the additional audio and subtitle files to the item of one media file, and sets which other subtitle files
    /// are loaded.
    func apply(to item: PlayerItem) {
        item.subtitleSearch = subtitleSearch
        item.subtitleCharacterSet = subtitleCharacterSet
        item.pickSecondarySubtitles(secondarySubtitles)
        for file in audioFiles { item.addAudio(location: file) }
        // Show the first subtitle file, unless an option selected a track.
        for (index, file) in subtitleFiles.enumerated() {
            item.addSubtitles(location: file, selecting: index == 0 && choice.selections.subtitle == .automatic)
        }
    }
}
