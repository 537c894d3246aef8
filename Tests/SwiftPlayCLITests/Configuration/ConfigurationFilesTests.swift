import Foundation
import SystemCalls
import TestSupport
import Testing

@testable import SwiftPlayCLI

@Suite struct ConfigurationFilesTests {
    /// Returns the places of the configuration files for a command line and an environment.
    private func files(_ commandLine: [String] = [], _ environment: [String: String]) -> ConfigurationFiles {
        ConfigurationFiles(commandLine: commandLine, environment: { environment[$0] })
    }

    @Test func theFolderFollowsTheEnvironment() {
        #expect(files([:]).directory == nil)
        #expect(files(["HOME": "/home/me"]).directory == "/home/me/.config/swiftplay")
        let both = ["HOME": "/home/me", "XDG_CONFIG_HOME": "/etc/xdg"]
        #expect(files(both).directory == "/etc/xdg/swiftplay")
        #expect(files(both.merging(["XDG_CONFIG_HOME": "relative"]) { $1 }).directory == "/home/me/.config/swiftplay")
        #expect(files(both).path(of: "input.conf") == "/etc/xdg/swiftplay/input.conf")
    }

    private func files(_ environment: [String: String]) -> ConfigurationFiles { files([], environment) }

    @Test(
        arguments: [
            (["--no-config"], nil), (["--config=no"], nil), (["--config-dir=~/c"], "/home/me/c"),
            (["--config-dir=/c", "--no-config"], nil), (["--config-dir=/a", "--config-dir=/b"], "/b"),
            (["--", "--no-config"], "/home/me/.config/swiftplay"),
        ] as [([String], String?)]) func optionsSelectTheFolder(_ commandLine: [String], _ directory: String?)
    {
        #expect(files(commandLine, ["HOME": "/home/me"]).directory == directory)
    }

    @Test func pathsAreExpanded() {
        let files = files(["HOME": "/home/me"])
        #expect(files.expanded("~/a") == "/home/me/a" && files.expanded("~~/a") == "/home/me/.config/swiftplay/a")
        #expect(files.expanded("/a/~/b") == "/a/~/b" && files.expanded("~you/a") == "~you/a")
        #expect(self.files([:]).expanded("~/a") == "~/a" && self.files([:]).expanded("~~/a") == "~~/a")
    }

    @Test func aFileIsReadUpToOneMegabyte() throws {
        let folder = try TemporaryDirectory(), path = folder.file("swiftplay.conf")
        try String(repeating: "volume=50\n", count: 200_000).write(toFile: path, atomically: false, encoding: .utf8)
        #expect(try ConfigurationFiles.content(path).utf8.count == 1 << 20)
        #expect(throws: SystemCallError.self) { try ConfigurationFiles.content(folder.file("missing")) }
    }
}
