import MediaPipeline
import SwiftPlayKit
import Testing

@testable import SwiftPlayCLI

@Suite struct TrackOptionsTests {
    /// Returns the track settings that command line arguments describe.
    private func settings(_ arguments: String...) throws -> TrackSettings {
        try PlayOptions.parse(MPVArguments.normalised(arguments + ["film.mkv"])).settings().tracks
    }

    @Test func theDefaultsApplyWithoutOptions() throws {
        let settings = try settings()
        #expect(settings.choice == TrackChoice())
        #expect(settings.subtitleSearch == .exact && settings.subtitleFiles == [] && settings.showsSubtitles)
        #expect(settings.subtitleDelay == 0 && settings.subtitleScale == 1)
        #expect(settings.secondarySubtitles == .off && settings.showsSecondarySubtitles)
        #expect(settings.audioFiles == [] && settings.subtitleCharacterSet == .automatic)
    }

    @Test(arguments: ["auto", "cp1251", "+utf8"]) func aCharacterSetIsParsedAndPrinted(_ text: String) {
        #expect(TrackOptions.text(of: TrackOptions.characterSet(text)) == text)
    }

    @Test func optionsAreParsed() throws {
        let settings = try settings(
            "--aid=2", "--sid=no", "--vid=auto", "--alang=de,en", "--slang=fr", "--sub-file=a.srt", "--sub-file=b.ass",
            "--sub-auto=fuzzy", "--audio-file=a.ogg", "--audio-files=b.mp3", "--sub-codepage=+cp1251",
            "--secondary-sid=2", "--no-secondary-sub-visibility",
            "--sub-delay=-1.5", "--sub-scale=2", "--sub-visibility=no")
        #expect(
            settings.choice.selections.audio == .number(2) && settings.choice.selections.subtitle == .off
                && settings.choice.selections.video == .automatic)
        #expect(settings.choice.audioLanguages == ["de", "en"] && settings.choice.subtitleLanguages == ["fr"])
        #expect(settings.subtitleFiles == ["a.srt", "b.ass"] && settings.subtitleSearch == .fuzzy)
        #expect(settings.audioFiles == ["a.ogg", "b.mp3"] && settings.subtitleCharacterSet == .forced("cp1251"))
        #expect(settings.secondarySubtitles == .number(2) && !settings.showsSecondarySubtitles)
        #expect(settings.subtitleDelay == -1.5 && settings.subtitleScale == 2 && !settings.showsSubtitles)
        #expect(try self.settings("--no-sub", "--no-audio").choice.selections.subtitle == .off)
    }

    @Test(arguments: [
        "--aid=0", "--sid=first", "--vid=-1", "--sub-auto=some", "--sub-scale=0", "--sub-delay=nan",
        "--sub-codepage=cp0", "--secondary-sid=first",
    ])
    func invalidValuesAreRefused(_ argument: String) { #expect(throws: (any Error).self) { try settings(argument) } }

    @Test func cyclingPassesThroughAllPlayableTracksAndOff() {
        let playable = [true, false, true]
        #expect(PlayerTarget.nextTrackSelection(after: nil, of: playable, by: 1) == .number(1))
        #expect(PlayerTarget.nextTrackSelection(after: 1, of: playable, by: 1) == .number(3))
        #expect(PlayerTarget.nextTrackSelection(after: 3, of: playable, by: 1) == .off)
        #expect(PlayerTarget.nextTrackSelection(after: nil, of: playable, by: -1) == .number(3))
        #expect(PlayerTarget.nextTrackSelection(after: nil, of: [], by: 1) == .off)
        #expect(PlayerTarget.nextTrackSelection(after: nil, of: [false], by: 1) == .off)
    }
}
