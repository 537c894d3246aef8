import Glibc
import SystemCalls
import Testing

@testable import SwiftPlayCLI

@Suite struct StartupArgumentsTests {
    /// Returns the arguments of a command line for a user with these files.
    private func startup(
        _ commandLine: String..., files: [String: String] = [:],
        check: @escaping ([String]) -> String? = PlayOptions.reasonForRefusal
    ) throws -> StartupArguments {
        let joined = MPVArguments.joined(commandLine)
        let source = ConfigurationFiles(
            commandLine: joined, environment: { $0 == "HOME" ? "/home/a" : nil },
            read: { path throws(SystemCallError) in
                guard let text = files[path] else { throw SystemCallError(call: "open", number: ENOENT) }
                return text
            })
        return try StartupArguments(commandLine: joined, files: source, check: check)
    }

    private static let path = "/home/a/.config/swiftplay/swiftplay.conf"

    @Test func theCommandLineTakesPrecedenceOverTheFile() throws {
        let startup = try startup("--pause=no", "--volume=3", "f", files: [Self.path: "pause\nvolume=50\nspeed=2\n"])
        #expect(startup.arguments == ["--volume=50", "--speed=2", "--no-pause", "--volume=3", "f"])
        let settings = try PlayOptions.parse(startup.arguments).settings()
        #expect(!settings.isPaused && settings.volume == 3 && settings.speed == 2 && startup.warnings == [])
    }

    @Test func withoutOptionsInAFileTheParserIsNotCalled() throws {
        for files in [[:], [Self.path: "# comment\n"]] {
            let startup = try startup("--mute", "f", files: files) { _ in
                Issue.record("the options of the file were parsed")
                return nil
            }
            #expect(startup.arguments == ["--mute", "f"])
        }
    }

    @Test func anInvalidLineIsNamedWithItsReasonAndSkipped() throws {
        let startup = try startup(
            "f", files: [Self.path: "volume=9999\nbogus=1\nspeed\nmute\naudio-device=help\npause=maybe\ntitle=\"x\n"])
        #expect(startup.arguments == ["--mute", "f"])
        #expect(startup.warnings.count == 6)
        for (line, word) in [
            (1, "--volume"), (2, "bogus"), (3, "--speed"), (5, "command line"), (6, "pause"), (7, "closed"),
        ] {
            #expect(startup.warnings.contains { $0.hasPrefix("\(Self.path):\(line): ") && $0.contains(word) })
        }
    }

    @Test func profilesApplyInThePlaceOfTheOption() throws {
        let text = "[a]\nspeed=2\nprofile-desc=x\n[b]\nprofile=a\nmute\n[c]\nprofile=c\nvolume=5\n"
        let startup = try startup("--speed=1", "--profile", "b", "f", files: [Self.path: text])
        #expect(startup.arguments == ["--speed=1", "--speed=2", "--mute", "f"] && startup.warnings == [])
        #expect(throws: StartupArguments.Invalid.self) { try self.startup("--profile=no-such", "f") }
        let recursive = try self.startup("--profile=c", "f", files: [Self.path: text])
        #expect(recursive.arguments.contains("--volume=5") && recursive.warnings.contains { $0.contains("include") })
    }

    @Test func otherFilesCanBeIncluded() throws {
        let files = [
            Self.path: "include=~~/more.conf\ninclude=/missing\n",
            "/home/a/.config/swiftplay/more.conf": "mute\n", "/x/swiftplay.conf": "speed=3\n",
        ]
        let startup = try startup("f", files: files)
        #expect(startup.arguments == ["--mute", "f"] && startup.warnings.count == 1)
        #expect(startup.warnings.first?.contains("/missing: No such file") == true)
        #expect(
            try self.startup("--config-dir=/x", "f", files: files).arguments == ["--speed=3", "--config-dir=/x", "f"])
        #expect(try self.startup("--config-dir", "/x", "f", files: files).arguments.first == "--speed=3")
        #expect(try self.startup("--no-config", "f", files: files).arguments == ["--no-config", "f"])
        #expect(throws: StartupArguments.Invalid.self) { try self.startup("--include=/missing", "f") }
    }

    @Test(arguments: [
        "--vo=gpu", "--hwdec=auto-safe", "--no-ytdl", "--profile=gpu-hq", "--gpu-context=x11egl", "--scale=ewa",
        "--script=x.lua", "--ytdl-format=best", "--force-seekable=yes", "--cache-secs=10", "--vf-add=hflip",
        "--ao=pulse", "-hwdec=no",
    ])
    func optionsOfMPVWithoutMeaningWarn(_ option: String) throws {
        let startup = try startup(option, "f")
        #expect(startup.arguments == ["f"] && startup.warnings.count == 1, "\(startup)")
    }

    @Test func theFirstOutputOfAListThatExistsIsUsed() throws {
        #expect(try startup("--vo=gpu-next,x11,null", "f").arguments == ["--vo=x11", "f"])
        #expect(try startup("--ao=pulse,alsa", "f").arguments == ["--ao=alsa", "f"])
        #expect(try startup("--vo=oil", "f").arguments == ["--vo=oil", "f"])
    }

    @Test func noIgnoredOptionIsAnOptionOfThePlayer() {
        let help = PlayOptions.helpMessage(columns: 200)
        for line in help.split(separator: "\n") {
            for word in line.split(whereSeparator: { " ,/".contains($0) }) where word.hasPrefix("--") {
                #expect(!IgnoredOptions.contains(String(word.dropFirst(2))), "\(word)")
            }
        }
        #expect(
            !IgnoredOptions.contains("bogus") && !IgnoredOptions.contains("o") && !IgnoredOptions.contains("frames"))
    }
}
