import SwiftPlayKit
import Testing

@testable import SwiftPlayCLI

@Suite struct StatisticsPageTests {
    private let player: Player

    init() throws {
        player = try .silent()
    }

    @Test func thePageWithoutAFileSaysSo() {
        #expect(StatisticsPage.lines(player, output: "x11") == ["No file"])
    }

    @Test(arguments: [
        ("file:///nonexistent/lat%E4.mp4", "lat\u{FFFD}.mp4"), ("/nonexistent/film.mkv", "film.mkv"),
        ("file:///nonexistent/a%20b.mp4", "a b.mp4"),
    ])
    func thePageBeginsWithTheNameOfTheFile(_ location: String, _ name: String) {
        player.replaceCurrentItem(with: PlayerItem(location: location))
        let lines = StatisticsPage.lines(player, output: "x11")
        #expect(lines.first == "File: \(name)" && lines.contains { $0.hasPrefix("Time: ") })
        // The file does not exist, so that no codec is known.
        #expect(!lines.contains { $0.hasPrefix("Video: ") || $0.hasPrefix("Audio: ") })
    }

    @Test func theKeyListEndsWithTheKeysOfTheConfiguration() throws {
        let builtIn = StatisticsPage.keyLines(KeyMap())
        #expect(try #require(builtIn.first).contains("pause") && !builtIn.contains { $0.hasPrefix("input.conf") })
        let map = KeyMap(bindings: InputConfiguration(parsing: "y quit\nb seek 1\nc ignore").bindings)
        #expect(StatisticsPage.keyLines(map) == builtIn + ["input.conf: b  y"])
    }
}
