import Glibc
import TestSupport
import Testing

@testable import TransferEngine

/// The restrictions of the engine, in a process of its own.
@Suite struct EngineSandboxTests {
    /// Runs the probe, and returns the outcomes of its actions and the name of the file on which it acts.
    private func outcomes() throws -> (outcomes: [String: String], directory: TemporaryDirectory) {
        let directory = try TemporaryDirectory()
        try run("cp", ["/etc/hostname", directory.file("file")])
        let probe = try ChildProcess(try Products.path("SandboxProbe"), [directory.file("file")])
        let status = try probe.waitForExit(within: .seconds(20))
        #expect(status.isSuccess, "\(probe.errors.text)")
        var outcomes: [String: String] = [:]
        for line in probe.output.text.split(separator: "\n") {
            let words = line.split(separator: " ")
            if words.count == 2 { outcomes[String(words[0])] = String(words[1]) }
        }
        return (outcomes, directory)
    }

    @Test func theKernelAppliesAllRestrictions() throws {
        #expect(try outcomes().outcomes["restrictions"] == "3")
    }

    @Test func noFileIsOpenedOrChangedByItsPath() throws {
        let (outcomes, directory) = try outcomes()
        for action in ["open-new", "open-to-write", "open-to-read"] {
            #expect(outcomes[action] == "\(EACCES)", "\(action)")
        }
        for action in ["truncate", "unlink", "rename", "link", "symlink", "mkdir", "chmod"] {
            #expect(outcomes[action] == "\(EPERM)", "\(action)")
        }
        #expect(try run("ls", [directory.path]) == "file\n")
    }

    @Test func noProgramIsStarted() throws {
        let outcomes = try outcomes().outcomes
        #expect(outcomes["execve"] == "\(EPERM)" && outcomes["spawn"] == "\(EPERM)")
    }

    @Test func otherProcessesAreOutOfReach() throws {
        let outcomes = try outcomes().outcomes
        #expect(outcomes["kill"] == "\(EPERM)" && outcomes["listen"] == "\(EPERM)")
    }

    @Test func theWorkOfTheEngineIsPossible() throws {
        let outcomes = try outcomes().outcomes
        for action in ["write-to-open-file", "synchronise", "resolve", "thread", "connect-socket"] {
            #expect(outcomes[action] == "ok", "\(action)")
        }
    }
}
