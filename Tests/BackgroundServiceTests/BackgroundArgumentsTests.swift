import Testing

@testable import BackgroundService

@Suite struct BackgroundArgumentsTests {
    @Test func withoutArgumentsTheServiceRuns() throws {
        let arguments = try BackgroundArguments([])
        #expect(arguments.action == .run && arguments.idleTimeout == 60 && arguments.readyDescriptor == nil)
    }

    @Test func allArgumentsAreRead() throws {
        let arguments = try BackgroundArguments(["--idle-timeout", "0.5", "--ready-fd", "3", "--detach", "-v"])
        #expect(arguments.idleTimeout == 0.5 && arguments.readyDescriptor == 3)
        #expect(arguments.isDetached && arguments.isVerbose)
    }

    @Test func theCommandLineOfArgumentsIsReadAsTheSameArguments() throws {
        let arguments = try BackgroundArguments(["--idle-timeout", "0.5", "--ready-fd", "3", "--detach", "-v"])
        #expect(try BackgroundArguments(arguments.commandLine) == arguments)
        #expect(try BackgroundArguments(BackgroundArguments([]).commandLine) == BackgroundArguments([]))
    }

    @Test(arguments: [
        ["--idle-timeout"], ["--idle-timeout", "-1"], ["--idle-timeout", "nan"], ["--ready-fd", "2"], ["--unknown"],
    ]) func invalidArgumentsAreRefused(_ arguments: [String]) {
        #expect(throws: BackgroundArguments.Failure.self) { try BackgroundArguments(arguments) }
    }

    @Test func theHelpNamesEveryOption() {
        for option in ["--idle-timeout", "--ready-fd", "--detach", "--verbose", "--version"] {
            #expect(BackgroundArguments.help.contains(option))
        }
    }

    @Test(arguments: [("HOME", true), ("LC_ALL", true), ("XDG_DATA_HOME", true), ("DISPLAY", false), ("SECRET", false)])
    func theEnvironmentIsReduced(_ name: String, _ isKept: Bool) {
        #expect(ServiceEnvironment.keeps(name) == isKept)
    }
}
