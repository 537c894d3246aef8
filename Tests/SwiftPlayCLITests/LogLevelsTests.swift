import Logging
import Testing

@testable import SwiftPlayCLI

@Suite struct LogLevelsTests {
    /// Returns the log level that the value `text` of `--msg-level` sets for the logger `label`.
    private func level(_ text: String, _ label: String) throws -> Logger.Level? {
        try #require(LogLevels(parsing: text)).level(of: label)
    }

    @Test(arguments: [
        ("fatal", Logger.Level.critical), ("error", .error), ("warn", .warning), ("info", .info), ("status", .info),
        ("v", .debug),
        ("debug", .debug), ("trace", .trace),
    ])
    func eachNameMapsToALevel(_ name: String, _ expected: Logger.Level) throws {
        #expect(try level("all=\(name)", "player") == expected)
        #expect(try level(name, "player") == expected)
    }

    @Test func aLoggerMayHaveItsOwnLevel() throws {
        #expect(try level("all=error,player=debug", "player") == .debug)
        #expect(try level("all=error,player=debug", "pip") == .error)
        #expect(try level("player=debug", "pip") == .warning)
        #expect(LogLevels().level(of: "pip") == .warning)
    }

    @Test func theLevelNoDisablesLogging() throws {
        #expect(try level("no", "player") == nil)
        #expect(try level("all=no,player=info", "player") == .info)
        #expect(try level("all=info,player=no", "player") == nil)
        #expect(try level("all=info,player=no", "pip") == .info)
    }

    @Test(arguments: ["loud", "all=loud", "all=", "=warn", "all=warn,x", "all=warn=info"]) func invalidTextIsRefused(
        _ text: String
    ) {
        #expect(LogLevels(parsing: text) == nil)
    }
}
