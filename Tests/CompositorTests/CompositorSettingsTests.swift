import Testing

@testable import Compositor

@Suite struct CompositorSettingsTests {
    /// Returns the settings in `text` and the warnings about it.
    private func parse(_ text: String) -> (CompositorSettings, [String]) {
        var warnings: [String] = []
        let settings = CompositorSettings(parsing: text, warnings: &warnings)
        return (settings, warnings)
    }

    @Test func emptyFileKeepsDefaults() {
        let (settings, warnings) = parse("\n  # nothing\n\n")
        #expect(settings == CompositorSettings() && warnings.isEmpty)
        #expect(
            settings.startsPictureInPictureAutomatically && settings.maximumWindowCount == 1
                && settings.isOnAllWorkspaces
                && settings.pausesOtherPlayers)
    }

    @Test func parserReadsEverySetting() {
        let (settings, warnings) = parse(
            """
            automatic-pip=no\r
             pip-windows = 3 # many
            pip-on-all-workspaces=no
            pause-other-players=no
            background-audio=no
            """
        )
        #expect(
            !settings.startsPictureInPictureAutomatically && settings.maximumWindowCount == 3
                && !settings.isOnAllWorkspaces
                && !settings.pausesOtherPlayers
                && !settings.allowsBackgroundAudio && warnings.isEmpty)
    }

    @Test func invalidLinesAreReportedAndIgnored() {
        let (settings, warnings) = parse(
            """
            automatic-pip=perhaps
            pip-windows=0
            pip-windows=9
            windows=2
            pip-on-all-workspaces
            pause-other-players=1
            background-audio=perhaps
            """
        )
        #expect(settings == CompositorSettings())
        #expect(warnings.count == 7 && warnings[3].contains("line 4") && warnings[3].contains("'windows'"))
    }

    @Test("the attenuation of ducked sessions has limits, which the warning states")
    func attenuationHasLimits() {
        for decibels in [6, 14, 35] {
            let (settings, warnings) = parse("duck-decibels=\(decibels)")
            #expect(settings.duckDecibels == decibels && warnings.isEmpty)
        }
        for value in ["5", "36", "-6", "", "loud", "6.5", "99999999999999999999"] {
            let (settings, warnings) = parse("duck-decibels=\(value)")
            #expect(settings.duckDecibels == CompositorSettings().duckDecibels)
            #expect(warnings == ["line 1: duck-decibels must be a number from 6 to 35"], "\(value)")
        }
    }

    @Test("programs are ended only if the user allows it")
    func endingProgramsIsOff() {
        #expect(!CompositorSettings().mayEndPrograms)
        #expect(parse("end-programs=yes").0.mayEndPrograms && !parse("end-programs=no").0.mayEndPrograms)
    }

    @Test(
        "the warning about a switch states its line and its values",
        arguments: [
            "automatic-pip", "pip-on-all-workspaces", "pause-other-players", "background-audio", "end-programs",
        ])
    func warningsStateTheValuesOfASwitch(_ name: String) {
        for value in ["", "Yes", "true", "yes no", "=yes"] {
            let (settings, warnings) = parse("# a comment\n\(name)=\(value)")
            #expect(settings == CompositorSettings() && warnings == ["line 2: \(name) must be yes or no"])
        }
    }

    @Test("the last valid line of a setting counts; an invalid line after it has no effect")
    func lastValidLineCounts() {
        let (settings, warnings) = parse("pip-windows=2\npip-windows=8\npip-windows=9\n")
        #expect(settings.maximumWindowCount == 8)
        #expect(warnings == ["line 3: pip-windows must be a number from 1 to 8"])
    }
}
