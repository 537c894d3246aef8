import Testing

@testable import Compositor

@Suite struct CompositorArgumentsTests {
    @Test func argumentsOfTheLibraryNameOnlyTheReadyDescriptor() throws {
        let arguments = try CompositorArguments(["--ready-fd", "3"])
        #expect(arguments.readyDescriptor == 3)
        #expect(arguments.action == .run)
        #expect(arguments.idleTimeout == 10)
        #expect(!arguments.isVerbose)
    }

    @Test("a value follows the equals sign or is the next argument", arguments: [["=2.5"], [" 2.5"]])
    func valueFollowsTheOption(_ texts: [String]) throws {
        let words = texts.flatMap { ("--idle-timeout" + $0).split(separator: " ").map(String.init) }
        #expect(try CompositorArguments(words + ["-v"]).idleTimeout == 2.5)
        #expect(try CompositorArguments(words + ["--verbose"]).isVerbose)
    }

    @Test func helpAndVersionAreActions() throws {
        #expect(try CompositorArguments(["-h"]).action == .printHelp)
        #expect(try CompositorArguments(["--help", "--unknown"]).action == .printHelp)
        #expect(try CompositorArguments(["--version"]).action == .printVersion)
    }

    @Test(
        "wrong arguments are named",
        arguments: [
            (["--idle"], "unknown argument '--idle'"), (["film.mp4"], "unknown argument 'film.mp4'"),
            (["-v=1"], "unknown argument '-v=1'"), (["--idle-timeout"], "--idle-timeout needs a value"),
            (["--idle-timeout=nan"], "'nan' is not a valid value for --idle-timeout"),
            (["--ready-fd", "9999999999"], "'9999999999' is not a valid value for --ready-fd"),
        ])
    func wrongArgumentIsNamed(_ words: [String], message: String) {
        #expect(throws: CompositorArguments.Failure(description: message)) { try CompositorArguments(words) }
    }

    @Test("options without a value refuse one", arguments: ["--verbose=no", "--help=", "--version=1"])
    func valueOfASwitchIsRefused(_ argument: String) {
        #expect(throws: CompositorArguments.Failure(description: "unknown argument '\(argument)'")) {
            try CompositorArguments([argument])
        }
    }

    @Test("the value after the equals sign may be empty or contain equals signs")
    func valueMayContainEqualsSigns() throws {
        #expect(try CompositorArguments(["--memory-root=/a=b"]).memoryRoot == "/a=b")
        #expect(try CompositorArguments(["--memory-root="]).memoryRoot == "")
        #expect(try CompositorArguments(["--memory-root", "--verbose"]).memoryRoot == "--verbose")
        #expect(throws: CompositorArguments.Failure(description: "'' is not a valid value for --idle-timeout")) {
            try CompositorArguments(["--idle-timeout="])
        }
    }

    @Test("the last of several values counts")
    func lastValueCounts() throws {
        let arguments = try CompositorArguments(["--idle-timeout=1", "--idle-timeout", "-2", "--ready-fd=4"])
        #expect(arguments.idleTimeout == -2 && arguments.readyDescriptor == 4 && arguments.memoryRoot == nil)
    }
}
