import Testing

@testable import SwiftPlayCLI

@Suite struct OptionSuggestionTests {
    @Test(arguments: [
        ("--loop-fil", "--loop-file"), ("--fss", "--fs"), ("--puase", "--pause"), ("--no-mutee", "--no-mute"),
        ("--fulscreen", "--fullscreen"), ("--volum", "--volume"), ("--start-tim", nil), ("--xyzzy", nil), ("--q", nil),
        ("--no-fq", "--no-fs"), ("--no-volume", "--volume"), ("--no-volum", "--volume"), ("-xy", nil),
    ])
    func aSimilarOptionIsSuggested(_ option: String, _ suggestion: String?) throws {
        do {
            _ = try PlayOptions.parse([option, "film.mkv"])
            Issue.record("\(option) was accepted")
        } catch {
            let expected = "Unknown option '\(option)'." + (suggestion.map { " Did you mean '\($0)'?" } ?? "")
            #expect(PlayOptions.message(for: PlayOptions.reportedError(error)) == expected)
        }
    }

    @Test func otherErrorsStayTheSame() throws {
        do {
            _ = try PlayOptions.parse(["--speed=fast", "film.mkv"])
            Issue.record("the value was accepted")
        } catch {
            #expect(PlayOptions.message(for: PlayOptions.reportedError(error)) == PlayOptions.message(for: error))
        }
    }

    @Test func theNamesOfAllOptionsAreKnown() {
        let names = PlayOptions.optionNames
        for name in ["pause", "loop", "loop-file", "sub-delay", "vo", "config-dir", "fs", "volume", "help"] {
            #expect(names.contains(name), "\(name)")
        }
        #expect(!names.contains { $0.hasPrefix("no-") || $0.contains("<") })
    }
}
