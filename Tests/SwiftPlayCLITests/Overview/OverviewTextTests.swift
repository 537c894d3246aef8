import Testing
import VideoOutput

@testable import SwiftPlayCLI

@Suite struct OverviewTextTests {
    private func text(_ entry: OverviewEntry, columns: Int = .max, _ capabilities: TerminalCapabilities? = nil)
        -> String
    {
        OverviewText.text(of: [entry], columns: columns, capabilities: capabilities)
    }

    private let colours = TerminalCapabilities { $0 == "TERM" ? "xterm-256color" : nil }

    @Test func withoutProgramsTheTextSaysSo() {
        #expect(OverviewText.text(of: [], columns: 80, capabilities: nil) == "no programs\n")
    }

    @Test func aProgramIsDescribedByItsStates() {
        var entry = OverviewEntry(program: "player", picture: .none)
        entry.processes = [
            OverviewFixture.program(7, "player", isFloating: true, isAudible: true),
            OverviewFixture.program(9, "player"),
        ]
        #expect(
            text(entry)
                == "player (7, 9): Picture-in-Picture, plays audio, in the background\n  picture: none\n")
    }

    @Test func aProgramThatHasEndedIsMarked() {
        let entry = OverviewEntry(program: "player", picture: .snapshot(OverviewFixture.snapshot("player"), age: 7200))
        #expect(text(entry) == "player: not running\n  picture: 2 hours ago\n")
    }

    @Test func theTitleAndTheTransfersAreListed() {
        var entry = OverviewEntry(
            program: "player", picture: .snapshot(OverviewFixture.snapshot("player", title: "Film"), age: 3))
        entry.hasAudio = true
        entry.transfers = (1...7).map { OverviewFixture.transfer($0, "player") }
        let lines = text(entry).split(separator: "\n")
        #expect(lines[1] == "  Film" && lines[2] == "  picture: 3 s ago")
        #expect(lines[3] == "  transfer 1: film 1.mkv, 50 % of 100 B, downloads")
        #expect(lines.count == 9 && lines[8] == "  and 2 more transfers")
    }

    @Test func placeholdersStateTheirReason() {
        #expect(text(OverviewEntry(program: "a", picture: .isPrivate)).contains("hidden by the program"))
        #expect(text(OverviewEntry(program: "a", picture: .screenIsLocked)).contains("while the screen is locked"))
    }

    @Test("control characters of programs do not reach the terminal")
    func controlCharactersAreRemoved() {
        let entry = OverviewEntry(
            program: "a\u{1b}[2J", picture: .snapshot(OverviewFixture.snapshot("a", title: "b\u{7}\r\nc"), age: 1))
        #expect(!text(entry).contains("\u{1b}") && !text(entry).contains("\u{7}") && text(entry).contains("b  c"))
    }

    @Test func theTextIsCutAtTheWidthOfTheTerminal() {
        let entry = OverviewEntry(program: String(repeating: "x", count: 200), picture: .none)
        #expect(text(entry, columns: 40).split(separator: "\n")[0].count == 40)
    }

    @Test func aTerminalShowsThePictureBesideTheText() {
        let entry = OverviewEntry(program: "a", picture: .snapshot(OverviewFixture.snapshot("a"), age: 1))
        let lines = text(entry, columns: 80, colours).split(separator: "\n")
        #expect(lines.count == 9 && lines[0].contains("\u{1b}[") && lines[0].hasSuffix("a: not running"))
    }

    @Test func aNarrowTerminalShowsNoPicture() {
        let entry = OverviewEntry(program: "a", picture: .snapshot(OverviewFixture.snapshot("a"), age: 1))
        #expect(!text(entry, columns: 40, colours).contains("\u{1b}"))
    }

    @Test(
        "ages have their largest whole unit",
        arguments: [
            (0, "0 s"), (59, "59 s"), (60, "1 minute"), (3599, "59 minutes"), (3600, "1 hour"), (86_399, "23 hours"),
            (86_400, "1 day"), (2_592_000, "30 days"),
        ] as [(Int64, String)])
    func agesHaveTheirLargestUnit(seconds: Int64, text: String) { #expect(OverviewText.age(seconds) == text) }
}
