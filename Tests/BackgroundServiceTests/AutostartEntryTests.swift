import Foundation
import Logging
import TestSupport
import Testing

@testable import BackgroundService

@Suite struct AutostartEntryTests {
    private let scratch: TemporaryDirectory
    private let entry: AutostartEntry

    init() throws {
        scratch = try TemporaryDirectory()
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        entry = AutostartEntry(directory: scratch.file("config/autostart"), program: "/usr/bin/service", logger: logger)
    }

    /// The content of the file; nil if it does not exist.
    private var content: String? { try? scratch.text("config/autostart/" + AutostartEntry.name) }

    @Test func workThatWaitsIsStoredAfterTheDelay() {
        #expect(entry.update(isNeeded: true, now: 5) == 5 + AutostartEntry.delay && content == nil)
        #expect(entry.update(isNeeded: true, now: 5 + AutostartEntry.delay) == nil)
        #expect(content?.contains("\nExec=\"/usr/bin/service\" --detach\n") == true)
    }

    @Test func shortWorkChangesNoFile() {
        _ = entry.update(isNeeded: true, now: 0)
        #expect(entry.update(isNeeded: false, now: 1) == nil)
        #expect(entry.update(isNeeded: true, now: 2) == 2 + AutostartEntry.delay && content == nil)
    }

    @Test func theFileIsRemovedWhenNoWorkWaits() throws {
        let folder = scratch.file("config/autostart")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        // An earlier run of the service has left the file.
        try Data("old".utf8).write(to: URL(fileURLWithPath: folder + "/" + AutostartEntry.name))
        _ = entry.update(isNeeded: false, now: 0)
        #expect(content == nil)
    }

    @Test func theFileIsReplaced() throws {
        let folder = scratch.file("config/autostart")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try Data("old".utf8).write(to: URL(fileURLWithPath: folder + "/" + AutostartEntry.name))
        _ = entry.update(isNeeded: true, now: 0)
        _ = entry.update(isNeeded: true, now: AutostartEntry.delay)
        #expect(content == AutostartEntry.content(program: "/usr/bin/service"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == [AutostartEntry.name])
    }

    @Test func aFolderThatCannotBeWrittenIsNoFailure() throws {
        try Data().write(to: URL(fileURLWithPath: scratch.file("config")))
        _ = entry.update(isNeeded: true, now: 0)
        #expect(entry.update(isNeeded: true, now: AutostartEntry.delay) == nil)
    }

    @Test func specialCharactersOfAPathAreQuotedAsTheSpecificationRequires() {
        let content = AutostartEntry.content(program: #"/a b/$"`\%"#)
        #expect(content.contains(#"Exec="/a b/\\$\\"\\`\\\\%%" --detach"#))
    }
}
