import Testing

@testable import Compositor

@Suite struct CompositorSettingsTests {
    private func parse(_ text: String) -> (CompositorSettings, [String]) {
        var complaints: [String] = []
        let settings = CompositorSettings(parsing: text, complaints: &complaints)
        return (settings, complaints)
    }

    @Test func emptyFileKeepsDefaults() {
        let (settings, complaints) = parse("\n  # nothing\n\n")
        #expect(settings == CompositorSettings() && complaints.isEmpty)
        #expect(
            settings.startsAutomatically && settings.windows == 1 && settings.isOnAllWorkspaces
                && settings.pausesOtherPlayers)
    }

    @Test func parserReadsEverySetting() {
        let (settings, complaints) = parse(
            "automatic-pip=no\r\n pip-windows = 3 # many\npip-on-all-workspaces=no\npause-other-players=no\nbackground-audio=no"
        )
        #expect(
            !settings.startsAutomatically && settings.windows == 3 && !settings.isOnAllWorkspaces
                && !settings.pausesOtherPlayers
                && !settings.allowsBackgroundAudio && complaints.isEmpty)
    }

    @Test func invalidLinesAreReportedAndIgnored() {
        let (settings, complaints) = parse(
            "automatic-pip=perhaps\npip-windows=0\npip-windows=9\nwindows=2\npip-on-all-workspaces\npause-other-players=1\nbackground-audio=perhaps"
        )
        #expect(settings == CompositorSettings())
        #expect(complaints.count == 7 && complaints[3].contains("line 4") && complaints[3].contains("'windows'"))
    }
}
