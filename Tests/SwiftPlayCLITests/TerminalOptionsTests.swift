import Testing

@testable import SwiftPlayCLI

@Suite struct TerminalOptionsTests {
    /// Returns the settings that command line arguments in mpv's spellings describe.
    private func settings(_ arguments: String...) throws -> PlaySettings {
        try PlayOptions.parse(MPVArguments.normalised(arguments + ["f"])).settings()
    }

    @Test func theDefaultsUseTheTerminal() throws {
        #expect(try settings().terminal == TerminalSettings())
        #expect(try settings().logLevels == LogLevels())
    }

    @Test func optionsSwitchPartsOff() throws {
        #expect(try !settings("--quiet").terminal.showsStatusLine)
        #expect(try !settings("--quiet").terminal.isSilent)
        #expect(try settings("--quiet=no").terminal.showsStatusLine)
        #expect(try !settings("-quiet").terminal.showsStatusLine)
        let reallyQuiet = try settings("--really-quiet").terminal
        #expect(!reallyQuiet.showsStatusLine && reallyQuiet.isSilent && reallyQuiet.readsKeys)
        let none = try settings("--no-terminal").terminal
        #expect(!none.isUsed && none.isSilent)
        #expect(try !settings("--input-terminal=no").terminal.readsKeys)
    }

    @Test(arguments: [
        ("all=status", true), ("all=warn", false), ("all=no,statusline=status", true), ("statusline=no", false),
        ("player=warn", true), ("all=debug", true),
    ])
    func theLogLevelDecidesAboutTheStatusLine(_ levels: String, _ isShown: Bool) throws {
        #expect(try settings("--msg-level=\(levels)").terminal.showsStatusLine == isShown)
    }

    @Test func verbosityRaisesLevelsThatAreNotSet() throws {
        #expect(try settings("-v").logLevels.level(of: "player") == .debug)
        #expect(try settings("-v", "-v").logLevels.level(of: "player") == .trace)
        #expect(try settings("-v", "--msg-level=all=error").logLevels.level(of: "player") == .error)
        #expect(try settings("-v", "--msg-level=pip=error").logLevels.level(of: "player") == .debug)
        #expect(try settings("-v").terminal.showsStatusLine)
    }

    @Test func theStatusTextContainsEscapes() throws {
        #expect(try settings(#"--term-status-msg=\e[1m${time-pos}"#).terminal.statusText == "\u{1b}[1m${time-pos}")
        #expect(throws: (any Error).self) { try settings(#"--term-status-msg=\q"#) }
    }
}
