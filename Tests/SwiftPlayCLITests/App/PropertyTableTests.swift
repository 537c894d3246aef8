import Foundation
import SwiftPlayKit
import Testing

@testable import SwiftPlayCLI

/// Tests the tables of properties and commands, and compares them with the manual page `swiftplay-ipc(7)`.
@Suite struct PropertyTableTests {
    private let target: PlayerTarget

    init() throws {
        target = PlayerTarget(
            player: try .silent(), layer: nil, settings: try PlayOptions.parse(["film.mkv"]).settings())
    }

    /// Returns the lines of one section of the manual page.
    private static func section(_ title: String) throws -> [Substring] {
        let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..")
        let page = try String(contentsOf: root.appending(path: "docs/man/swiftplay-ipc.7"), encoding: .utf8)
        let lines = page.split(separator: "\n").drop { $0 != ".Sh " + title }.dropFirst()
        return Array(lines.prefix { !$0.hasPrefix(".Sh ") })
    }

    @Test func theManualPageDescribesEveryProperty() throws {
        let documentedNames = try Self.section("PROPERTIES").filter { $0.hasPrefix(".It Li ") }.flatMap { line in
            line.dropFirst(7).split(separator: ",").map { $0.filter { $0 != " " && $0 != "*" } }
        }
        #expect(documentedNames.sorted() == PropertyTable.names.sorted())
        let settable = try Self.section("PROPERTIES").filter { $0.hasPrefix(".It Li ") }.flatMap { line in
            line.dropFirst(7).split(separator: ",").filter { $0.contains("*") }.map {
                $0.filter { $0 != " " && $0 != "*" }
            }
        }
        let fixedNames = Set(PlayerProperty.fixedOptions.map(\.name))
        let writable = PropertyTable.properties.values.filter { $0.write != nil && !fixedNames.contains($0.name) }
        #expect(settable.sorted() == writable.map(\.name).sorted())
    }

    @Test func theManualPageDescribesEveryCommand() throws {
        let documentedNames = try Self.section("COMMANDS OF THE PLAYER").filter { $0.hasPrefix(".It Cm ") }.flatMap {
            line in
            line.split(separator: " ").indices.compactMap { index in
                let words = line.split(separator: " ")
                return words[index] == "Cm" ? String(words[index + 1]) : nil
            }
        }
        #expect(documentedNames.sorted() == PlayerCommand.all.map(\.name).sorted())
    }

    @Test func namesAreUnique() {
        #expect(Set(PropertyTable.names).count == PropertyTable.names.count)
        #expect(Set(PlayerCommand.all.map(\.name)).count == PlayerCommand.all.count)
    }

    @Test func everyPropertyAnswersWithoutAFile() {
        for name in PropertyTable.names {
            do throws(IPCError) { _ = try target.getProperty(name) } catch {
                #expect(error == .propertyUnavailable, "\(name)")
            }
        }
    }

    @Test(arguments: [
        ("no-such-thing", IPCError.propertyNotFound), ("pause/", .propertyNotFound), ("volume/x", .propertyError),
        ("options/time-pos", .propertyNotFound), ("options/nope", .propertyNotFound),
        ("option-info", .propertyUnavailable),
        ("current-tracks/nope/id", .propertyNotFound), ("current-tracks/sub/id", .propertyUnavailable),
        ("track-list/0/id", .propertyNotFound), ("metadata/by-key/title", .propertyUnavailable),
        ("user-data/x", .propertyNotFound), ("filename/no-ext", .propertyUnavailable), ("", .propertyNotFound),
        ("/", .propertyNotFound),
    ])
    func propertiesWithoutAValueFailAsInMPV(_ name: String, _ error: IPCError) {
        #expect(throws: error) { try target.getProperty(name) }
    }

    @Test func optionsAreReadAndSetByTheirPath() throws {
        try target.setProperty("options/speed", 2)
        #expect(try target.getProperty("options/speed") == 2.0)
        #expect(try target.getProperty("file-local-options/speed") == 2.0)
        #expect(try target.getProperty("option-info/speed/type") == "Float")
        #expect(throws: IPCError.propertyNotFound) { try target.setProperty("options/path", "x") }
        #expect(throws: IPCError.propertyError) { try target.setProperty("track-list/count", 3) }
        #expect(throws: IPCError.propertyError) { try target.setProperty("hwdec", "vaapi") }
        try target.setProperty("hwdec", "no")
    }

    @Test func clientsShareUserData() throws {
        try target.setProperty("user-data/remote/name", "x")
        #expect(try target.getProperty("user-data/remote") == ["name": "x"])
        _ = try target.run("del", ["user-data/remote"])
        #expect(throws: IPCError.propertyNotFound) { try target.getProperty("user-data/remote") }
    }

    @Test(
        arguments: [
            (["add", "speed", "1"], "speed", 2.0), (["multiply", "speed", "1.5"], "speed", 1.5),
            (["multiply", "speed", "1000"], "speed", 100.0), (["add", "sub-scale", "-5"], "sub-scale", 0.1),
            (["cycle", "mute"], "mute", true), (["add", "mute", "1"], "mute", true),
            (["cycle-values", "speed", "1", "3"], "speed", 3.0), (["cycle", "deinterlace"], "deinterlace", "no"),
            (["set", "sub-visibility", "no"], "sub-visibility", false),
        ] as [([String], String, JSONValue)])
    func commandsChangeProperties(_ words: [String], _ name: String, _ value: JSONValue) throws {
        _ = try target.run(words[0], words.dropFirst().map { .string($0) })
        #expect(try target.getProperty(name) == value)
    }

    @Test(arguments: [
        (["cycle", "nope"], IPCError.commandFailed), (["add", "nope", "1"], .commandFailed),
        (["multiply", "pause", "2"], .commandFailed), (["add", "volume", "x"], .invalidParameter),
        (["keypress", "nokey"], .commandFailed), (["keybind", "b", "\"x"], .invalidParameter),
        (["show-text"], .invalidParameter), (["frame-step", "1"], .invalidParameter), (["nope"], .invalidParameter),
        (["script-message-to", "nobody", "x"], .commandFailed), (["playlist-move", "5", "0"], .commandFailed),
        (["playlist-remove", "7"], .commandFailed), (["playlist-remove", "x"], .invalidParameter),
        (["loadlist", "/nonexistent"], .commandFailed), (["loadlist", "/dev/zero"], .commandFailed),
        (["revert-seek"], .commandFailed), (["sub-seek", "1"], .commandFailed), (["del", "volume"], .commandFailed),
        (["seek", "1", "sideways"], .invalidParameter), (["playlist-move", "1e30", "0"], .invalidParameter),
    ])
    func wrongCommandsFail(_ words: [String], _ error: IPCError) {
        #expect(throws: error) { try target.run(words[0], words.dropFirst().map { .string($0) }) }
    }

    @Test func textsAreExpandedWithTheValuesOfProperties() throws {
        let text = "${volume} ${=volume} ${mute} ${path:none} ${nope}"
        #expect(try target.run("expand-text", [.string(text)]) == "100 100.000000 no none (error)")
    }

    @Test func theNumberOfBoundKeysIsLimited() throws {
        for index in 0..<PlayerTarget.keyBindingLimit {
            let key = try #require(Unicode.Scalar(0x4E00 + UInt32(index)))
            _ = try target.run("keybind", [.string(String(key)), "ignore"])
        }
        #expect(throws: IPCError.outOfMemory) { try target.run("keybind", ["b", "ignore"]) }
        let command = JSONValue.string(String(repeating: "x", count: PlayerTarget.keyCommandByteLimit + 1))
        #expect(throws: IPCError.outOfMemory) { try target.run("keybind", ["\u{4E00}", command]) }
    }
}
