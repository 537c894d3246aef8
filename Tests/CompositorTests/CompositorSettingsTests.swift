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
}
