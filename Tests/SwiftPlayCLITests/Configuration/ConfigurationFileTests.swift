import Testing

@testable import SwiftPlayCLI

@Suite struct ConfigurationFileTests {
    /// Returns the value of the only setting of a text; nil if the text has no valid line.
    private func value(_ line: String) -> String? {
        ConfigurationFile(parsing: line).settings.first.map { $0.value ?? "" }
    }

    @Test(arguments: [
        ("volume=50", "50"), ("  volume = 50  ", "50"), ("volume=50 # later", "50"),
        ("title=hello world", "hello world"),
        ("title=\"a # b\" # c", "a # b"), ("title='it\"s'", "it\"s"), ("title=%5%a#b c", "a#b c"), ("title=\"\"", ""),
        ("title=", ""), ("fullscreen", ""), ("no-osc # off", ""), ("--title=x", "x"), ("title=%4%äö", "äö"),
        ("\u{feff}title=x", "x"),
    ])
    func aLineHasTheSameValueAsInMPV(_ line: String, _ expected: String) {
        #expect(value(line) == expected)
        #expect(ConfigurationFile(parsing: line).problems == [])
    }

    @Test(arguments: [
        "title=\"a", "title='a", "title=\"a\" x", "title x", "[a", "[a] x", "=5", "title=%9%ab", "title=%x%ab",
        "title=%1%ä", "title=%99999999999999999999%a",
    ])
    func anInvalidLineIsNamedAndTheOthersHold(_ line: String) {
        let file = ConfigurationFile(parsing: "mute\n\(line)\nvolume=50\n")
        #expect(file.problems.map(\.line) == [2])
        #expect(file.settings.map(\.name) == ["mute", "volume"] && file.settings.map(\.line) == [1, 3])
    }

    @Test func sectionsAreProfiles() {
        let file = ConfigurationFile(parsing: "mute\r\n[a]\r\nspeed=2\r\n[b]\n[default]\nvolume=1\n[a]\npause\n")
        #expect(file.settings.map(\.name) == ["mute", "volume"])
        #expect(file.profiles["a"]?.map(\.name) == ["speed", "pause"] && file.profiles["b"] == [])
        #expect(file.settings.first?.value == nil && file.problems == [])
    }
}
